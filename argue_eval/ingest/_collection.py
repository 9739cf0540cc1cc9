"""Document ids against collections, and the id that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from difflib import get_close_matches
from itertools import chain, islice

from argue_eval import formats
from argue_eval.errors import shorten
from argue_eval.ingest._found import Found, count
from argue_eval.jsonl import Source
from argue_eval.records import TopicNuggets

_MAX_GUESSED = 25
_MAX_GUESSED_ONLINE = 5
"""A data set of ir_datasets is asked for every id that might be meant."""

_KEYS = ("doc_id", "id", "docno")
_FEW = 5_000
_MAX_LENGTH = 100
_CUTOFF = 0.8


class Collection:
    """The ids of one collection, which may be too many to keep.

    Args:
        name: a file of documents as JSON lines, or of ids, one a line; or ``irds:ID``.
    """

    def __init__(self, name: str) -> None:
        self.is_online = name.startswith("irds:")
        self._name = name
        self._source = Source(name)  # keeps what came through a pipe, which can't be read again

    def ids(self, wanted: Set[str] | None = None) -> Iterator[str]:
        """Yields the ids, or those that are wanted.

        Raises:
            InputError: the file holds neither documents nor ids.
            MissingResourceError: there is no such file or data set.
        """
        if self.is_online:
            for document in formats.read_documents(self._name, wanted):
                yield document.doc_id
            return
        number, first = next(self._source.lines())
        is_json = first.lstrip()[:1] in (b"{", b"[")
        for number, line in self._source.lines():
            doc_id = self._decoded(number, line) if is_json else line.decode("utf-8", "replace")
            doc_id = doc_id.strip()
            if wanted is None or doc_id in wanted:
                yield doc_id

    def _decoded(self, number: int, line: bytes) -> str:
        value = self._source.decode(line, number)
        if type(value) is dict:
            for key in _KEYS:
                if type(value.get(key)) is str:
                    return str(value[key])
        message = f"expected a document with {_KEYS[0]!r}, found {shorten(line.decode())}"
        hint = "name a file of documents as JSON lines, or of ids, one a line"
        raise self._source.error("unknown_format", message, line=number, hint=hint)


def existing(collections: Sequence[Collection], wanted: Iterable[str]) -> set[str]:
    """Returns which of some ids there are."""
    kept = frozenset(wanted)
    return {doc_id for each in collections for doc_id in each.ids(kept)}


def check(
    topics: Sequence[TopicNuggets],
    collections: Sequence[Collection],
    known: Set[str],
    found: Found,
) -> None:
    """Warns of ids that no document has, with the nearest one that there is."""
    unknown = {
        topic.topic_id: list(
            dict.fromkeys(
                doc_id
                for nugget in topic.nuggets
                for answer in nugget.answers
                for doc_id in answer.doc_ids
                if doc_id not in known
            )
        )
        for topic in topics
    }
    nearest = _nearest(list(dict.fromkeys(chain(*unknown.values()))), collections)
    for topic_id, doc_ids in unknown.items():
        for doc_id in doc_ids:
            near = nearest.get(doc_id)
            guess = f"is {near} meant? " if near else ""
            message = f"no document of the collection has the id {shorten(doc_id)}"
            hint = f"{guess}{'A' if guess else 'a'}n answer counts only if its document is cited"
            found.warn("unknown_document", message, hint, topic_id)
    num_unknown, num_all = len(set(chain(*unknown.values()))), len(known)
    if num_unknown and not num_all:
        message = f"none of the {count(num_unknown, 'document id')} is in the collection"
        found.warn("other_collection", message, "check that it is the track's own collection")


def _nearest(unknown: Sequence[str], collections: Sequence[Collection]) -> dict[str, str]:
    """Returns the id that was probably meant for some of the unknown ones.

    A collection may have millions of ids, so nothing is compared with all of them: every way to
    mistype one character of an unknown id is undone, and what comes out is looked up. In a small
    collection, the most similar id is found too.
    """
    nearest: dict[str, str] = {}
    for collection in collections:
        left = [each for each in unknown if each not in nearest and len(each) <= _MAX_LENGTH]
        left = left[: _MAX_GUESSED_ONLINE if collection.is_online else _MAX_GUESSED]
        if not left:
            break
        meant = {near: each for each in left for near in _one_off(each, left)}
        for doc_id in collection.ids(meant.keys()):
            nearest.setdefault(meant[doc_id], doc_id)
        if collection.is_online:
            continue
        few = list(islice(collection.ids(), _FEW + 1))
        for each in left if len(few) <= _FEW else ():
            near = get_close_matches(each, few, n=1, cutoff=_CUTOFF)
            if near:
                nearest.setdefault(each, near[0])
    return nearest


def _one_off(doc_id: str, ids: Iterable[str]) -> Iterator[str]:
    """Yields the ids that differ in one character, in two that were exchanged, in case or space."""
    alphabet = sorted(set("0123456789abcdefghijklmnopqrstuvwxyz-_.#").union(*ids))
    yield from (doc_id.lower(), doc_id.upper(), "".join(doc_id.split()))
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
