"""The passage of a text that decided a judgment, or that is most like a sentence."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import fsum, log
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
        is_named: the judge named it; otherwise it is the one that shares most with the sentence.
    """

    start: int
    end: int
    is_named: bool


def deciding(text: str, rationale: str, sentence: str) -> Passage | None:
    """The passage that the judge names; failing that, the one that shares most with the sentence:
    words weigh more if fewer passages of the text have them.

    >>> deciding("It sank. A tug came.", "A tug came in time", "A tug came.")
    Passage(start=9, end=20, is_named=False)
    """
    named = " ".join(rationale.split()).rstrip("… .")
    if len(named) >= _SHORTEST:
        pattern = r"\s+".join(map(re.escape, named.split()))
        if found := re.search(pattern, text):
            return Passage(found.start(), found.end(), is_named=True)
    wanted = frozenset(words(sentence[:_MAX_WORDS_FROM])) - FILLERS
    pieces, weights = _pieces(text)
    best, most = None, 0.0
    for start, end, have in pieces:
        shared = wanted & have
        if len(shared) >= _FEWEST_SHARED:
            weight = fsum(weights[word] for word in shared)  # exact, in whatever order
            if weight > most:
                best, most = Passage(start, end, is_named=False), weight
    return best


@lru_cache(maxsize=2_000)
def _pieces(text: str) -> tuple[list[tuple[int, int, frozenset[str]]], dict[str, float]]:
    """The passages of a text with their words, and the weights of these."""
    found = []
    for match in _PIECE.finditer(text):
        piece = match.group()
        start = match.start() + len(piece) - len(piece.lstrip())
        if piece.strip():
            found.append((start, start + len(piece.strip()), frozenset(words(piece)) - FILLERS))
    numbers = Counter(word for _, _, have in found for word in have)
    return found, {word: log(1 + len(found) / number) for word, number in numbers.items()}
