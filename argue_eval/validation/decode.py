"""Lines to drafts: fast for what is as it should be, thorough for the rest.

A line is first decoded in the way that costs least. Whatever does not fit, or may have a key
twice, is decoded again strictly, and every key and type is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from math import isfinite
from typing import Any

from argue_eval.errors import InputError
from argue_eval.formats.jsonl import Source, decode_plain
from argue_eval.validation.draft import Draft
from argue_eval.validation.found import Found
from argue_eval.validation.shape import draft_of
from argue_eval.validation.size import has_too_many_values, too_many_values
from argue_eval.validation.tracks import Form

SMALL_BYTES = 3 << 20
"""Up to here the standard library's decoder is used: to import a faster one takes longer."""


class Decoder:
    """Makes drafts of a run's lines."""

    def __init__(self, source: Source, form: Form, found: Found, *, is_large: bool = False) -> None:
        self._source = source
        self._form = form
        self._found = found
        self._num_bytes = SMALL_BYTES if is_large else 0
        self._typed: Any = None
        self._unset: Any = None
        self._errors: tuple[type[Exception], ...] = ()
        self._key = ""

    def draft(self, number: int, raw: bytes) -> Draft | None:
        """Returns the report of a line; None, with a finding, if it has none."""
        if has_too_many_values(raw):
            self._found.broken(*too_many_values(self._source, number).findings)
            return None
        self._num_bytes += len(raw)
        draft = None
        if self._typed is not None:
            draft = self._from_typed(number, raw)
        elif self._num_bytes < SMALL_BYTES:
            draft = self._from_loaded(number, raw)
        return draft if draft is not None else self._from_strict(number, raw)

    def _from_strict(self, number: int, raw: bytes) -> Draft | None:
        """Returns the draft of any line, with a finding for whatever is wrong with its writing."""
        try:
            value = self._source.decode(raw.rstrip(b"\r\n"), number)
        except InputError as exc:
            self._found.broken(*exc.findings)
            return None
        draft = draft_of(value, number, self._form, self._found)
        if self._typed is None and self._num_bytes >= SMALL_BYTES and draft and draft.meta_path:
            keys = self._form.sentences
            self._key = draft.key if draft.key in keys else keys[0]
            self._typed, self._unset, self._errors = _typed_decoder(self._key)
        return draft

    def _from_loaded(self, number: int, raw: bytes) -> Draft | None:
        """Returns the draft of a line in the usual form, by the standard library; else None."""
        try:
            value = decode_plain(raw)
        except (ValueError, RecursionError):
            return None
        key = self._form.sentences[0]
        if type(value) is not dict or not value.keys() <= {"metadata", key, "references"}:
            return None
        metadata, items, references = (value.get(name) for name in ("metadata", key, "references"))
        if type(metadata) is not dict or type(items) is not list or set(map(type, items)) != {dict}:
            return None
        if references is not None and not (type(references) is list and _are(references, {str})):
            return None
        if set(map(len, items)) != {2}:
            return None
        texts = [item.get("text") for item in items]
        cited = [item.get("citations") for item in items]
        if not _are(texts, {str}) or not _are(cited, {dict, list}) or not _are_citations(cited):
            return None
        draft = Draft(number, metadata, key, texts, cited, references)
        return draft if _has_all(raw, draft, len(value)) else None

    def _from_typed(self, number: int, raw: bytes) -> Draft | None:
        """Returns the draft of a line in the usual form, by a faster decoder; else None."""
        try:
            report = self._typed(raw)
        except self._errors:
            return None
        sentences = report.sentences
        references = report.references
        has_references = references is not self._unset
        draft = Draft(
            number,
            report.metadata,
            self._key,
            [sentence.text for sentence in sentences],
            [sentence.citations for sentence in sentences],
            references if has_references else None,
        )
        return draft if _has_all(raw, draft, 3 if has_references else 2) else None


def _typed_decoder(
    key: str,
) -> tuple[Callable[[bytes], Any], Any, tuple[type[Exception], ...]]:
    """Returns what decodes reports whose sentences are under a key.

    With it, what stands for references that are absent, and what it may raise.
    """
    import msgspec

    sentence = msgspec.defstruct(
        "Sentence",
        [("text", str), ("citations", dict[str, float] | list[str | int])],
        forbid_unknown_fields=True,
        gc=False,
    )
    report = msgspec.defstruct(
        "Report",
        [
            ("metadata", dict[str, Any]),
            ("sentences", list[sentence]),  # type: ignore[valid-type]
            ("references", list[str] | None | msgspec.UnsetType, msgspec.UNSET),
        ],
        rename={"sentences": key},
        forbid_unknown_fields=True,
    )
    errors = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
    return msgspec.json.Decoder(report).decode, msgspec.UNSET, errors


def _are(values: Iterable[Any], types: set[type]) -> bool:
    return types.issuperset(map(type, values))


def _are_citations(cited: list[Any]) -> bool:
    """Returns whether lists of citations are ids or indexes, and scores are finite numbers."""
    lists = chain.from_iterable(each for each in cited if type(each) is list)
    scores = [score for each in cited if type(each) is dict for score in each.values()]
    return _are(lists, {str, int}) and _are(scores, {float}) and all(map(isfinite, scores))


def _has_all(raw: bytes, draft: Draft, num_keys: int) -> bool:
    """Returns whether all strings of a line are in its draft, so that no key was there twice.

    Every string leaves two quotes in the line. False may mean that this can't be told.
    """
    num_quotes = raw.count(b'"')
    num_escapes = raw.count(b"\\") if b"\\" in raw else 0
    if num_escapes:
        if b"\\u0022" in raw:
            return False
        num_inner = draft.joined.count('"')
        num_quotes -= num_inner
        num_escapes -= num_inner
    if num_escapes == 0:  # a control character would have one
        draft.is_plain = b"\x7f" not in raw and draft.joined.isascii()
    num_strings = num_keys + 3 * len(draft.texts) + len(draft.metadata)
    types = list(map(type, draft.metadata.values()))
    if dict in types or list in types:
        return False
    num_strings += types.count(str)
    if draft.has_indexes:
        num_strings += sum(type(item) is str for item in chain.from_iterable(draft.cited))
    else:
        num_strings += sum(map(len, draft.cited))
    if draft.references:
        num_strings += len(draft.references)
    return num_quotes == 2 * num_strings
