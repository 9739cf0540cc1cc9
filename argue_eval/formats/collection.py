"""Which documents a collection has, and which one a mistyped id probably stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import islice
from typing import Any

from argue_eval import errors, formats
from argue_eval.errors import InputError, describe
from argue_eval.formats.detection import CALLED
from argue_eval.formats.documents import irds
from argue_eval.formats.documents.jsonl import IDS
from argue_eval.formats.jsonl import Source

MAX_GUESSED = 25
"""For so many unknown ids, the ones that were probably meant are searched."""

MAX_GUESSED_ONLINE = 5
"""A data set of ir_datasets is asked for every id that might be meant."""

_FEW = 5_000
_MAX_LENGTH = 100
_USUAL = "0123456789abcdefghijklmnopqrstuvwxyz-_.#"
_PASSAGE = re.compile(r"(.+?)[#:]\w+")
_REPORT_EVERY = 1 << 16

Advance = Callable[[str, int, int], None]
"""Reports progress: what, done, total (0 if that is unknown)."""


class Collection:
    """The ids of one collection, which may be too many to keep.

    Args:
        given: a file of documents as JSON, or of ids, one a line; or ``irds:ID``.
    """

    def __init__(self, given: str | Source) -> None:
        # The source keeps what came through a pipe, which cannot be read again.
        self._source = given if isinstance(given, Source) else Source(given)
        self._name = self._source.name
        self.is_online = self._name.startswith("irds:")

    @classmethod
    def all_of(cls, names: Sequence[str | Source]) -> list[Collection]:
        """Several collections: files, ``irds:`` names, and those in folders."""
        return [cls(source) for source in formats.sources(names, "documents")]

    def ids(self, wanted: Set[str] | None = None, advance: Advance | None = None) -> Iterator[str]:
        """Yields the ids, or those that are wanted.

        Raises:
            InputError: the file holds neither documents nor ids.
            MissingResourceError: there is no such file or data set.
        """
        for doc_id in self._fetched(wanted) if self.is_online else self._listed(advance):
            if wanted is None or doc_id in wanted:
                yield doc_id

    def few(self) -> list[str]:
        """All ids, if they are few enough to compare each with others; else none."""
        if self.is_online:
            number = irds.num_documents(self._name.removeprefix("irds:"))
            if number is None or number > _FEW:
                return []
        found = list(islice(self.ids(), _FEW + 1))
        return found if len(found) <= _FEW else []

    def _fetched(self, wanted: Set[str] | None) -> Iterator[str]:
        for document in formats.iter_documents(self._name, wanted):
            yield document.doc_id

    def _listed(self, advance: Advance | None) -> Iterator[str]:
        try:
            yield from self._ids_in_file(advance)
        except InputError as exc:
            kinds = formats.kinds_of(self._source)
            if not kinds or "documents" in kinds:
                raise
            raise self._no_documents(CALLED[kinds[0]], exc.findings[0].line) from None

    def _ids_in_file(self, advance: Advance | None) -> Iterator[str]:
        start = next(self._source.lines())[1].lstrip()[:1]
        if start == b"[":
            yield from map(self._doc_id, self._source.document())
            return
        for number, line in self._source.lines():
            if advance and number % _REPORT_EVERY == 0:
                advance("reading the collection", number, 0)
            if start == b"{":
                yield self._doc_id(self._source.decode(line, number), number)
            else:
                yield line.decode("utf-8", "replace").strip()

    def _doc_id(self, value: Any, line: int | None = None) -> str:
        if type(value) is str:
            return value
        for key in IDS if type(value) is dict else ():
            if type(value.get(key)) is str:
                return str(value[key])
        raise self._no_documents(describe(value), line)

    def _no_documents(self, found: str, line: int | None) -> InputError:
        message = f"expected a document with {IDS[0]!r}, found {found}"
        hint = "name a file of documents as JSON lines, or of ids, one a line"
        return self._source.error("unknown_format", message, line=line, hint=hint)


def existing(
    collections: Iterable[Collection], wanted: Iterable[str], advance: Advance | None = None
) -> set[str]:
    """Those of the ids that a collection has."""
    kept = frozenset(wanted)
    return {doc_id for each in collections for doc_id in each.ids(kept, advance)}


def nearest(unknown: Sequence[str], collections: Iterable[Collection]) -> dict[str, str]:
    """Finds the ids that were probably meant by unknown ones.

    A collection may have millions of ids, so nothing is compared with all of them: every way to
    mistype one character of an unknown id is undone, and what comes out is looked up. In a small
    collection, the most similar id is found too. Where several are as near, none is given.
    """
    found: dict[str, str] = {}
    for collection in collections:
        left = [each for each in unknown if each not in found and len(each) <= _MAX_LENGTH]
        left = left[: MAX_GUESSED_ONLINE if collection.is_online else MAX_GUESSED]
        if not left:
            break
        meant: dict[str, list[str]] = {}
        for each in left:
            for near in _one_off(each, left):
                meant.setdefault(near, []).append(each)
        for doc_id in collection.ids(meant.keys()):
            for each in meant[doc_id]:
                is_only = found.setdefault(each, doc_id) == doc_id
                found[each] = doc_id if is_only else ""
        if left := [each for each in left if each not in found]:
            few = collection.few()
            found |= {each: near for each in left if (near := errors.likely(each, few))}
    return {each: near for each, near in found.items() if near}


def _one_off(doc_id: str, ids: Iterable[str]) -> Iterator[str]:
    """Yields the ids that differ in one character, in two swapped ones, in case or space.

    Of a passage's id, such as ``doc#3``, also that of its document.
    """
    alphabet = sorted(set(_USUAL).union(*ids))
    yield from (doc_id.lower(), doc_id.upper(), "".join(doc_id.split()))
    if passage := _PASSAGE.fullmatch(doc_id):
        yield passage[1]
    for at in range(len(doc_id) + 1):
        before, after = doc_id[:at], doc_id[at:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for sign in alphabet:
            yield before + sign + after
            if after:
                yield before + sign + after[1:]
