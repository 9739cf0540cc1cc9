"""Lines to drafts: fast for what is as it should be, thorough for the rest.

A line is first decoded in the way that costs least. Whatever does not fit, or may have a key
twice, is decoded again strictly, and every key and type is looked at. The draft is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Annotated, Any

from argue_eval.formats.jsonl import Source, count_decoded, decode_plain
from argue_eval.formats.runs._draft import Draft, Layout, draft_of

SMALL_BYTES = 3 << 20
"""Up to here the standard library's decoder is used: to import a faster one takes longer."""


class Decoder:
    """Makes drafts of a run's lines."""

    def __init__(self, source: Source, layout: Layout, num_small: int = SMALL_BYTES) -> None:
        """Decodes nothing yet.

        Args:
            num_small: when the process has decoded so many bytes, the faster decoder is used.
        """
        self._source = source
        self._layout = layout
        self._num_small = num_small
        self._key = ""
        self._typed: Callable[[int, bytes], Draft | None] | None = None

    def draft(self, number: int, raw: bytes) -> Draft:
        """Returns the draft of a line.

        Raises:
            InputError: it is not strict JSON.
        """
        draft = None
        if count_decoded(len(raw)) < self._num_small:
            draft = self._plain(number, raw)
        elif self._typed is not None:
            draft = self._typed(number, raw)
        elif self._key:
            self._typed = typed_decoder(self._key)
            draft = self._typed(number, raw)
        if draft is None:
            value = self._source.decode(raw.rstrip(b"\r\n"), number)
            draft = draft_of(value, number, self._layout)
        if not self._key and draft.meta_path:
            keys = self._layout.sentences
            self._key = draft.key if draft.key in keys else keys[0]
        return draft

    def _plain(self, number: int, raw: bytes) -> Draft | None:
        """Returns the draft of a line in the usual shape, by the standard library; else None."""
        try:
            value = decode_plain(raw)
        except (ValueError, RecursionError):
            return None
        draft = draft_of(value, number, self._layout)
        if draft.problems or draft.rest or draft.further or not draft.meta_path:
            return None
        return draft if _has_all(raw, draft, len(value)) else None


def typed_decoder(key: str) -> Callable[[int, bytes], Draft | None]:
    """Returns what makes drafts of lines whose sentences are under a key, and None of others."""
    import msgspec

    # A whole number stays one; longer ones are looked at in the thorough way.
    whole = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
    sentence = msgspec.defstruct(
        "Sentence",
        [("text", str), ("citations", dict[str, float | whole] | list[str | int])],
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
    decode = msgspec.json.Decoder(report).decode
    errors = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
    unset = msgspec.UNSET

    def typed(number: int, raw: bytes) -> Draft | None:
        try:
            report: Any = decode(raw)
        except errors:
            return None
        has_references = report.references is not unset
        draft = Draft(
            number,
            report.metadata,
            key,
            [sentence.text for sentence in report.sentences],
            [sentence.citations for sentence in report.sentences],
            report.references if has_references else None,
        )
        if report.references is None:
            draft.rest = {"references": None}
        return draft if _has_all(raw, draft, 3 if has_references else 2) else None

    return typed


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
