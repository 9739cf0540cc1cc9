"""What the readers of SummHay's files have in common: citations in bullets, parts of a file.

Source: the repository of "Summary of a Haystack" (EMNLP 2024). A file is a haystack, with its
subtopics, insights, documents, summaries and evaluations, or a list of annotated summaries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, Fields, each_object

MARK = re.compile(r"\[([0-9, ]+)\]")
"""What cites documents in a bullet: numbers in brackets, as the evaluation of the paper takes
them. ``[1-3]`` and ``[Article 4]`` cite nothing."""

_RANGE = re.compile(r"\[ *[0-9]+ *[-–] *[0-9]+ *\]")
_MARKS = re.compile(rf"[^\S\n]*{MARK.pattern}")


def cited_numbers(bullet: str) -> list[str]:
    """The numbers of the documents that a bullet cites, each once, in order.

    >>> cited_numbers("Calm helps [79, 8][08]; so does rest [1-3].")
    ['79', '8']
    """
    parts = (part.strip() for match in MARK.findall(bullet) for part in match.split(","))
    found = (number for part in parts for number in part.split())
    return list(dict.fromkeys(number.lstrip("0") or "0" for number in found))


def without_marks(bullet: str) -> str:
    """A bullet without its citations, as judges see it.

    >>> without_marks("- Calm helps [79, 8][46], as rest does [11].")
    '- Calm helps, as rest does.'
    """
    return _MARKS.sub("", bullet)


def has_range(bullet: str) -> bool:
    """Whether a bullet has a range of numbers in brackets, which cites nothing.

    >>> has_range("Calm helps [1-3].")
    True
    """
    return "[" in bullet and _RANGE.search(bullet) is not None


def subtopics(values: Iterable[Any], check: Check) -> Iterator[tuple[Fields, Fields]]:
    """Yields each haystack with each of its subtopics."""
    for top in each_object(check, values):
        for subtopic in top.objects("subtopics"):
            yield top, subtopic


def run_id_of(summary: Fields) -> str:
    """The key of an annotated summary, which the published benchmark calls `summkey`."""
    return summary.identifier("summary_key", "summkey")


def is_haystack(value: Any) -> bool:
    """Whether a value is a haystack, not an annotated summary."""
    return type(value) is dict and "subtopics" in value
