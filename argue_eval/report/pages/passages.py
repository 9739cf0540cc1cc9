"""The passage of a document that decided a judgment, and how much of the document is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from argue_eval.text.words import FILLERS, words

MAX_SHOWN = 3_000
"""A longer document is shown around its passages."""

_AROUND = 300
_FEWEST_SHARED = 2
_SHORTEST = 12
_PIECE = re.compile(r"[^.!?。！？؟۔\n]+(?:[.!?。！？؟۔](?!\s))*[^.!?。！？؟۔\n]*[.!?。！？؟۔]*")


class Passage(NamedTuple):
    """A place in a document.

    Attributes:
        is_named: the judge named it; otherwise it is the one with most words of the sentence.
    """

    start: int
    end: int
    is_named: bool


def deciding(text: str, rationale: str, sentence: str) -> Passage | None:
    """The passage that the judge names; failing that, the one most like the sentence.

    >>> deciding("It sank. A tug came.", "A tug came in time", "A tug came.")
    Passage(start=9, end=20, is_named=False)
    """
    named = " ".join(rationale.split()).rstrip("… .")
    if len(named) >= _SHORTEST:
        pattern = r"\s+".join(map(re.escape, named.split()))
        if found := re.search(pattern, text):
            return Passage(found.start(), found.end(), is_named=True)
    wanted = frozenset(words(sentence[:MAX_SHOWN])) - FILLERS
    best, most = None, _FEWEST_SHARED - 1
    for start, end, have in _pieces(text):
        shared = len(wanted & have)
        if shared > most:
            best, most = Passage(start, end, is_named=False), shared
    return best


@lru_cache(maxsize=2_000)
def _pieces(text: str) -> list[tuple[int, int, frozenset[str]]]:
    found = []
    for match in _PIECE.finditer(text):
        piece = match.group()
        start = match.start() + len(piece) - len(piece.lstrip())
        if piece.strip():
            found.append((start, start + len(piece.strip()), frozenset(words(piece)) - FILLERS))
    return found


class Excerpt(NamedTuple):
    """So much of a document as is shown.

    Attributes:
        text: pieces of it, with an ellipsis between.
        kept: where they stand in the document, and where in the text.
    """

    text: str
    kept: tuple[tuple[int, int, int], ...]

    def place(self, passage: Passage) -> tuple[int, int]:
        """Where a passage stands in the text; (0, 0) if it is not there."""
        for start, end, at in self.kept:
            if start <= passage.start < end:
                return at + passage.start - start, at + min(passage.end, end) - start
        return 0, 0


def excerpt(text: str, passages: Sequence[Passage]) -> Excerpt:
    """A document, whole or around its passages.

    >>> long = "x " * 2000 + "A tug came. " + "y " * 2000
    >>> shown = excerpt(long, [Passage(4000, 4011, True)])
    >>> len(shown.text), "A tug came." in shown.text
    (615, True)
    """
    if len(text) <= MAX_SHOWN:
        return Excerpt(text, ((0, len(text), 0),))
    spans = sorted(
        (max(0, each.start - _AROUND), min(len(text), each.end + _AROUND)) for each in passages
    ) or [(0, 2 * _AROUND)]
    merged = [spans[0]]
    for start, end in spans[1:]:
        last_start, last_end = merged[-1]
        if start <= last_end:
            merged[-1] = last_start, max(last_end, end)
        else:
            merged.append((start, end))
    shown, kept, size = [], [], 0
    for number, (start, end) in enumerate(merged):
        if size > MAX_SHOWN:
            break
        before = "… " if start and not number else " … " if number else ""
        kept.append((start, end, size + len(before)))
        shown.append(before + text[start:end])
        size += len(shown[-1])
    is_cut = kept[-1][1] < len(text)
    return Excerpt("".join(shown) + " …" * is_cut, tuple(kept))
