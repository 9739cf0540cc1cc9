"""Runs that are one JSON document, with the citations in the text (BioGen)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from argue_eval.errors import InputError, describe
from argue_eval.formats.jsonl import JsonPath, Source
from argue_eval.validation.draft import Draft
from argue_eval.validation.found import Found
from argue_eval.validation.size import has_too_many_values, too_many_values
from argue_eval.validation.tracks import Form

_STOPS = ".!?。…"
_UNREAD = object()
_MARKER = re.compile(r"\[\s*(\d+(?:\s*[,;]\s*\d+)*)\s*\]")


def drafts(value: Any, form: Form, found: Found) -> Iterator[Draft]:
    """Yields the reports of a document."""
    if value is _UNREAD:
        return
    if type(value) is not dict:
        found.at(1, "wrong_type", f"expected an object, found {describe(value)}")
        return
    items = value.get(form.results)
    if type(items) is not list:
        what = "is missing" if items is None else f"is {describe(items)}"
        hint = f"write {{…, {form.results!r}: [ … ]}} with one object a topic"
        found.at(1, "missing_key", f"the list {form.results!r} {what}", (), hint)
        return
    if not items:
        found.at(1, "empty_file", "the list of reports is empty", (form.results,))
    common = {key: each for key, each in value.items() if key != form.results}
    for place, item in enumerate(items):
        base: JsonPath = (form.results, place)
        if type(item) is not dict:
            found.at(1, "wrong_type", f"expected an object, found {describe(item)}", base)
            continue
        yield _draft(item, common, base, form, found)


def load(source: Source, found: Found, max_bytes: int) -> Any:
    """Returns the document, so that findings can be located in it; or `_UNREAD`."""
    from argue_eval.formats.checking import Locator

    try:
        raw = source.read(max_bytes)
        if has_too_many_values(raw):
            raise too_many_values(source, 1)
        value = source.decode(raw)
    except InputError as exc:
        found.broken(*exc.findings)
        return _UNREAD
    found.locate = Locator(raw).line
    return value


def _draft(
    item: dict[str, Any], common: dict[str, Any], base: JsonPath, form: Form, found: Found
) -> Draft:
    key = next((key for key in form.sentences if key in item), "")
    metadata = {**common, **{name: each for name, each in item.items() if name != key}}
    text = item.get(key)
    references = _references(item)
    place = Draft(1, metadata, key, [], [], references)
    place.base, place.meta_path = base, ()
    if text is not None and type(text) is not str:
        found("wrong_type", f"expected text, found {describe(text)}", place, (key,))
    texts, cited, num_dropped = _sentences(text if type(text) is str else "")
    draft = Draft(1, metadata, key, texts, cited, references)
    draft.base, draft.meta_path, draft.is_inline = base, (), True
    if num_dropped:
        message = f"{num_dropped} citations stand outside of a sentence, and the track drops them"
        hint = "put the brackets at the end of the sentence, before its full stop"
        found("citation_format", message, draft, (key,), hint=hint)
    return draft


def _references(item: dict[str, Any]) -> list[str] | None:
    references = item.get("references")
    if type(references) is not list:
        return None
    return [str(each) if type(each) in (str, int) else "" for each in references]


def _sentences(text: str) -> tuple[list[str], list[Any], int]:
    """Returns the sentences without their citations, the citations, and how many belong to none.

    The tracks leave out citations that stand before a sentence, or after its full stop.
    """
    from argue_eval.text.sentences import split

    texts: list[str] = []
    cited: list[Any] = []
    num_dropped = 0
    for sentence in split(text):
        found: list[str] = []
        for match in _MARKER.finditer(sentence):
            numbers = re.split(r"\s*[,;]\s*", match.group(1))
            before = _MARKER.sub("", sentence[: match.start()]).rstrip()
            after = _MARKER.sub("", sentence[match.end() :])
            if not before or (before[-1] in _STOPS and not after.strip()):
                num_dropped += len(numbers)
            else:
                found += numbers
        bare = _MARKER.sub("", sentence).strip()
        if bare.strip(_STOPS):
            texts.append(re.sub(r"\s+([.!?,;])", r"\1", bare))
            cited.append(found)
    return texts, cited, num_dropped
