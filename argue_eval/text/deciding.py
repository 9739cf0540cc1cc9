"""The passage of a text that decided a judgment, or that is most like a sentence."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from argue_eval.text.words import FILLERS, words

_MAX_WORDS_FROM = 3_000
"""Of a longer sentence, only so many characters are looked for."""
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
    wanted = frozenset(words(sentence[:_MAX_WORDS_FROM])) - FILLERS
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
