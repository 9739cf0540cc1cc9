"""Runs that are one JSON document, with the citations in the text (BioGen)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from argue_eval.errors import describe
from argue_eval.formats.runs._draft import Draft, Layout, Problem, no_report

_STOPS = ".!?。…"
_MARKER = re.compile(r"\[\s*(\d+(?:\s*[,;]\s*\d+)*)\s*\]")


def drafts_of_document(value: Any, layout: Layout) -> Iterator[Draft]:
    """Yields the reports of a document. One that is none, or has none, is one with a problem."""
    results = layout.results
    if type(value) is not dict:
        message = f"expected an object, found {describe(value)}"
        yield no_report(1, Problem("wrong_type", message))
        return
    items = value.get(results)
    if type(items) is not list:
        what = "is missing" if items is None else f"is {describe(items)}"
        hint = f"write {{…, {results!r}: [ … ]}} with one object a topic"
        yield no_report(1, Problem("missing_key", f"the list {results!r} {what}", (), hint))
        return
    if not items:
        yield no_report(1, Problem("empty_file", "the list of reports is empty", (results,)))
    common = {key: each for key, each in value.items() if key != results}
    for place, item in enumerate(items):
        if type(item) is dict:
            draft = _draft(item, common, layout)
        else:
            message = f"expected an object, found {describe(item)}"
            draft = no_report(1, Problem("wrong_type", message))
        draft.base = (results, place)
        yield draft


def _draft(item: dict[str, Any], common: dict[str, Any], layout: Layout) -> Draft:
    key = next((key for key in layout.sentences if key in item), "")
    metadata = {**common, **{name: each for name, each in item.items() if name != key}}
    text = item.get(key)
    texts, cited, num_dropped = _sentences(text if type(text) is str else "")
    references = item.get("references")
    listed = None
    if type(references) is list:
        listed = [str(each) if type(each) in (str, int) else "" for each in references]
    draft = Draft(1, metadata, key, texts, cited, listed)
    draft.meta_path, draft.is_inline = (), True
    if text is not None and type(text) is not str:
        message = f"expected text, found {describe(text)}"
        draft.problems.append(Problem("wrong_type", message, (key,)))
    if num_dropped:
        message = f"{num_dropped} citations stand outside of a sentence, and the track drops them"
        hint = "put the brackets at the end of the sentence, before its full stop"
        draft.problems.append(Problem("citation_format", message, (key,), hint))
    return draft


def _sentences(text: str) -> tuple[list[str], list[Any], int]:
    """The sentences without their citations, the citations, and how many belong to none.

    The tracks leave out citations that stand before a sentence, or after its full stop.
    """
    from argue_eval.text.sentences import split

    texts: list[str] = []
    cited: list[Any] = []
    num_dropped = 0
    for sentence in split(text):
        found: list[str] = []
        pieces = _MARKER.split(sentence)  # and the numbers between them
        bare = "".join(pieces[::2]).strip()
        last = max(at for at in range(0, len(pieces), 2) if at == 0 or pieces[at].strip())
        sign = ""
        for at in range(1, len(pieces), 2):
            numbers = re.split(r"\s*[,;]\s*", pieces[at])
            sign = pieces[at - 1].rstrip()[-1:] or sign
            if not sign or (sign in _STOPS and last < at):
                num_dropped += len(numbers)
            else:
                found += numbers
        if bare.strip(_STOPS):
            texts.append(re.sub(r"(?<!\s)\s+([.!?,;])", r"\1", bare))
            cited.append(found)
    return texts, cited, num_dropped
