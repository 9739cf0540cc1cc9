"""How much a term tells: rare ones more, in the collection at hand and in general."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from math import log, sqrt

from argue_eval.judges.lexical import general
from argue_eval.judges.lexical.document import MAX_DOCUMENT_CHARS, keys_by_sentence, split
from argue_eval.judges.lexical.letters import Letters, groups
from argue_eval.judges.lexical.letters import weigh as weigh_letters
from argue_eval.judges.lexical.tokens import clean

MAX_CLAIM_CHARS = 400
"""Longer texts are documents, which do not count for how much a claim's terms tell."""

_LEAST_IDF = 0.05


class TermWeights:
    """Weights between 0 and 1, rarer terms having more.

    A weight is the geometric mean of two: how rare the term is among the texts at hand, and how
    rare it is in general. The first knows that everybody in these texts is a doctor; the second
    knows what three nuggets cannot tell.

    What tells a claim from the others is weighed among claims alone, on a scale that does not
    depend on how many there are: a term that one of them has is as rare as can be.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._num_texts = self._num_claims = 0
        self._frequency: Counter[str] = Counter()
        self._claim_frequency: Counter[str] = Counter()
        self._letters: Counter[str] = Counter()
        for text in texts:
            if not text.strip():
                continue
            self._num_texts += 1
            cleaned = clean(text, MAX_DOCUMENT_CHARS)
            keys: set[str] = set().union(*keys_by_sentence(split(cleaned)))
            self._frequency.update(keys)
            if len(cleaned) <= MAX_CLAIM_CHARS:
                self._num_claims += 1
                self._claim_frequency.update(keys)
                self._letters.update(groups(cleaned))
        self._general = general.general_weights()
        self._known: dict[str, float] = {}
        self._known_of_claims: dict[str, float] = {}

    def weight(self, term: str) -> float:
        """Returns the weight of a term or of a quantity's key."""
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = sqrt(self._idf(term) * self._in_general(term))
        return known

    def claim_weight(self, term: str) -> float:
        """Returns the weight of a term or of a quantity's key for telling claims apart."""
        known = self._known_of_claims.get(term)
        if known is None:
            known = sqrt(self._claim_idf(term) * self._in_general(term))
            self._known_of_claims[term] = known
        return known

    def letters(self, text: str) -> Letters:
        """Returns the groups of letters of a cleaned text with their weights."""
        size = self._num_claims + 1
        counts = self._letters
        return weigh_letters({group: log(size / (counts[group] + 0.5)) for group in groups(text)})

    def digest(self) -> bytes:
        """Returns a hash of everything that could change a weight."""
        sha = hashlib.sha256(f"{self._num_texts}/{self._num_claims}".encode() + general.digest())
        for counts in (self._frequency, self._claim_frequency, self._letters):
            for term, count in sorted(counts.items()):
                sha.update(f"\n{term}\t{count}".encode("utf-8", "replace"))
        return sha.digest()

    def _in_general(self, term: str) -> float:
        return self._general.get(term) or _by_shape(term)

    def _idf(self, term: str) -> float:
        if not self._num_texts:
            return 1.0
        size = self._num_texts + 1
        return max(_LEAST_IDF, log(size / (self._frequency[term] + 0.5)) / log(size / 0.5))

    def _claim_idf(self, term: str) -> float:
        if not self._num_claims:
            return 1.0
        size = self._num_claims + 1
        idf = log(size / (self._claim_frequency[term] + 0.5)) / log(size / 1.5)
        return min(1.0, max(_LEAST_IDF, idf))


def _by_shape(term: str) -> float:
    """Returns the general weight of what is no common English word: short terms tell less."""
    if not term.isascii() and len(term) <= 2:
        return 0.6
    return {1: 0.5, 2: 0.6, 3: 0.7, 4: 0.8, 5: 0.9}.get(len(term), 1.0)
