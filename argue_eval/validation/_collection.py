"""Looks the cited documents up in the collection, and finds what mistyped ids are meant to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from argue_eval.errors import shorten
from argue_eval.jsonl import Source
from argue_eval.validation._audit import Audit

MAX_GUESSED = 50
"""For so many unknown ids the nearest one is looked for."""

MAX_COMPARED = 5_000_000
"""So many ids of the collection are looked at for that."""

_TAIL = 8

Advance = Callable[[str, int, int], None]


def check_collection(
    collections: Sequence[str], audits: Iterable[Audit], advance: Advance | None = None
) -> None:
    """Checks that every cited document is in one of the collections.

    The collections are read once for all runs, and once more if there are ids to be guessed.
    """
    audits = list(audits)
    unknown = {doc_id for audit in audits for doc_id in audit.cited or ()}
    for name in collections:
        unknown.difference_update(_ids_in(name, frozenset(unknown), advance))
    guesses = _guess(sorted(unknown)[:MAX_GUESSED], collections) if unknown else {}
    for audit in audits:
        for doc_id, (line, path, topic_id, sentence) in (audit.cited or {}).items():
            if doc_id in unknown:
                near = guesses.get(doc_id)
                hint = f"is {shorten(near, 80)} meant?" if near else "correct or remove it"
                message = f"the collection has no document {shorten(doc_id, 80)}"
                audit.found("unknown_document", message, hint=hint, sentence=sentence,
                            topic_id=topic_id, place=(line, path))  # fmt: skip


def _ids_in(
    name: str, wanted: frozenset[str] | None, advance: Advance | None = None
) -> Iterator[str]:
    """Yields the ids of a collection that are wanted; all of them if that is None."""
    from argue_eval import formats

    if not name.startswith("irds:") and _is_list(Source(name)):
        for number, raw in Source(name).lines():
            doc_id = raw.decode("utf-8", "replace").strip()
            if wanted is None or doc_id in wanted:
                yield doc_id
            if advance and number % 65536 == 0:
                advance("reading the collection", number, 0)
        return
    for document in formats.read_documents(name, wanted):
        yield document.doc_id


def _is_list(source: Source) -> bool:
    """Returns whether a file has an id a line, and not a JSON object."""
    _, first = next(source.lines())
    return first.lstrip()[:1] != b"{"


def _guess(unknown: Sequence[str], collections: Sequence[str]) -> dict[str, str]:
    """Returns for mistyped ids the one that is a letter away, or has two letters swapped."""
    heads: dict[str, list[str]] = {}
    tails: dict[str, list[str]] = {}
    for doc_id in unknown:
        tail = min(_TAIL, len(doc_id) // 2)
        heads.setdefault(doc_id[: len(doc_id) - tail - 1], []).append(doc_id)
        tails.setdefault(doc_id[len(doc_id) - tail :], []).append(doc_id)
    head_sizes, tail_sizes = sorted({*map(len, heads)}), sorted({*map(len, tails)})
    guesses: dict[str, str] = {}
    num_compared = 0
    for name in collections:
        if name.startswith("irds:"):
            continue  # to read all its documents for a guess would take hours
        for known in _ids_in(name, None):
            num_compared += 1
            if num_compared > MAX_COMPARED or len(guesses) == len(unknown):
                return guesses
            near: list[Any] = [heads.get(known[:size]) for size in head_sizes]
            near += [tails.get(known[len(known) - size :]) for size in tail_sizes]
            for doc_ids in filter(None, near):
                for doc_id in doc_ids:
                    if doc_id not in guesses and _is_near(doc_id, known):
                        guesses[doc_id] = known
    return guesses


def _is_near(one: str, other: str) -> bool:
    """Returns whether two ids differ in one place, or in two neighbouring letters.

    >>> _is_near("abcdef", "abXdef"), _is_near("abcdef", "abdcef"), _is_near("abcdef", "aXcXef")
    (True, True, False)
    """
    size, longest = min(len(one), len(other)), max(len(one), len(other))
    head = next((place for place in range(size) if one[place] != other[place]), size)
    rest = size - head
    tail = next((place for place in range(rest) if one[-1 - place] != other[-1 - place]), rest)
    changed = longest - head - tail
    return changed <= 1 or (
        changed == 2
        and len(one) == len(other)
        and one[head : head + 2] == other[head : head + 2][::-1]
    )
