"""What stands in brackets in a text: citations, or words of the text."""

from __future__ import annotations

import re
from collections.abc import Collection

_PART = re.compile(r"\s*[,;，；、]\s*")
_RANGE = re.compile(r"([A-Za-z]{0,3})(\d{1,5})\s*[-–—]\s*([A-Za-z]{0,3})(\d{1,5})")
_NUMBER = re.compile(r"\d{1,3}|\d{5,9}")
_LETTERED = re.compile(r"[A-Za-z]{1,3}\d{1,6}")
_DOC_ID = re.compile(r"(?!\d+$)[A-Za-z0-9][\w.:#/-]*(?:\d[\w.:#/-]*){3,}|[a-z]+[-_]\d+")
_MAX_RANGE = 50


def cited_labels(inner: str, known: Collection[str]) -> list[str]:
    """Returns the labels that brackets cite, in order; none if they hold words of the text.

    A label is cited if a reference has it. Without a reference, numbers (but not years), letters
    with a number and what looks like a document id are.

    Args:
        inner: what stands between the brackets.
        known: the labels that have a reference.

    >>> cited_labels("1, 3-5", ()), cited_labels("D12; D14", ()), cited_labels("^2", ())
    (['1', '3', '4', '5'], ['D12', 'D14'], ['2'])
    >>> cited_labels("sic", ()), cited_labels("2019", ()), cited_labels("2019", {"2019"})
    ([], [], ['2019'])
    """
    labels: list[str] = []
    for part in _PART.split(inner.strip()):
        label = part.strip().removeprefix("^")
        expanded = [label] if label in known else _expanded(label)
        if not all(each in known or _looks_cited(each) for each in expanded or [""]):
            return []
        labels += expanded
    return list(dict.fromkeys(labels))


def is_number(label: str) -> bool:
    """Returns whether a label is a number of a reference, not the id of a document.

    >>> is_number("12"), is_number("12345678"), is_number("D12")
    (True, False, False)
    """
    return label.isdecimal() and len(label) < 4


def _looks_cited(label: str) -> bool:
    return any(form.fullmatch(label) for form in (_NUMBER, _LETTERED, _DOC_ID))


def _expanded(label: str) -> list[str]:
    """Returns all labels of a range, or the label; nothing for a range that runs backwards."""
    match = _RANGE.fullmatch(label)
    if match is None or match[3] not in ("", match[1]):
        return [label]
    first, last = int(match[2]), int(match[4])
    if not first < last <= first + _MAX_RANGE:
        return []
    return [f"{match[1]}{number}" for number in range(first, last + 1)]
