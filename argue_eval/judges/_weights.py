"""How much a term tells, from the collection at hand and from the term's own shape."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from math import log

from argue_eval.judges._document import MAX_DOCUMENT_CHARS, keys_by_sentence, split
from argue_eval.judges._stem import stem
from argue_eval.judges._tokens import clean
from argue_eval.judges._words import COMMON_WORDS

_COMMON_STEMS = frozenset(stem(word) for word in COMMON_WORDS)

PRIOR_TEXTS = 25
"""The built-in weight counts as much as this many texts."""


class TermWeights:
    """Weights between 0 and 1, rarer terms having more."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._num_texts = 0
        self._frequency: Counter[str] = Counter()
        for text in texts:
            self._num_texts += 1
            self._frequency.update(_keys(text))
        self._known: dict[str, float] = {}

    def weight(self, term: str) -> float:
        """Returns the weight of a term."""
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = self._weight(term)
        return known

    def digest(self) -> bytes:
        """Returns a hash of everything that could change a weight."""
        sha = hashlib.sha256(f"{self._num_texts}/{PRIOR_TEXTS}".encode())
        for term, count in sorted(self._frequency.items()):
            sha.update(f"\n{term}\t{count}".encode("utf-8", "replace"))
        return sha.digest()

    def _weight(self, term: str) -> float:
        prior = _prior(term)
        if not self._num_texts:
            return prior
        size = self._num_texts + 1
        idf = log(size / (self._frequency[term] + 0.5)) / log(size / 0.5)
        return (self._num_texts * max(idf, 0.05) + PRIOR_TEXTS * prior) / (
            self._num_texts + PRIOR_TEXTS
        )


def _keys(text: str) -> set[str]:
    return set().union(*keys_by_sentence(split(clean(text, MAX_DOCUMENT_CHARS))))


def _prior(term: str) -> float:
    if term in _COMMON_STEMS:
        return 0.35
    if not term.isascii() and len(term) <= 2:
        return 0.6
    return {1: 0.5, 2: 0.6, 3: 0.7, 4: 0.8, 5: 0.9}.get(len(term), 1.0)
