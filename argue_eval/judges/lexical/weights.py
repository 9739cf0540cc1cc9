"""How informative terms are: rare ones more, among the texts at hand and in English in general."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from math import log, log10, sqrt
from pathlib import Path
from typing import NamedTuple

import msgspec

from argue_eval.errors import MissingResourceError
from argue_eval.judges.lexical.text import MAX_DOCUMENT_CHARS, clean, keys_by_sentence, split
from argue_eval.judges.lexical.words import stem

MAX_CLAIM_CHARS = 400
"""Longer texts are documents, which do not count for the weights of a claim's terms."""

_LEAST = 0.05
_MOST_FREQUENT, _RAREST = -2.0, -6.5
"""Decimal logarithms of a stem's share of all words, between which its weight grows to 1."""

_WEIGHT_BY_LENGTH = {1: 0.5, 2: 0.6, 3: 0.7, 4: 0.8, 5: 0.9}
_CITATION = re.compile(r"\[\d[\d,;\s]*\]")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


class Ngrams(NamedTuple):
    """The squared weight of each character n-gram of a text, and the root of their sum."""

    squares: Mapping[str, float]
    norm: float


class TermWeights:
    """Weights between 0 and 1 of terms and of quantities' keys; rarer ones have more.

    A weight is the geometric mean of two: how rare the term is among the texts at hand, and how
    rare it is in general. In texts about doctors the first knows that "doctor" says little; the
    second knows what three nuggets cannot show.

    What distinguishes claims from each other is weighted among claims alone, on a scale that does
    not depend on their number: a term that only one of them has is as rare as can be.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._num_texts = self._num_claims = 0
        self._frequency: Counter[str] = Counter()
        self._claim_frequency: Counter[str] = Counter()
        self._ngrams: Counter[str] = Counter()
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
                self._ngrams.update(ngrams(cleaned))
        size = self._num_claims + 1
        self._squares = {each: log(size / (num + 0.5)) ** 2 for each, num in self._ngrams.items()}
        self._square_of_others = log(size / 0.5) ** 2
        self._general = general_weights()
        self._known: dict[str, float] = {}
        self._known_of_claims: dict[str, float] = {}

    def weight(self, term: str) -> float:
        """The weight of a term among all texts."""
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = sqrt(self._idf(term) * self._in_general(term))
        return known

    def claim_weight(self, term: str) -> float:
        """The weight of a term for distinguishing claims."""
        known = self._known_of_claims.get(term)
        if known is None:
            known = sqrt(self._claim_idf(term) * self._in_general(term))
            self._known_of_claims[term] = known
        return known

    def ngrams(self, text: str) -> Ngrams:
        """The character n-grams of a cleaned text with their weights among claims."""
        known, others = self._squares, self._square_of_others
        # Sorted, so that the sum is the same in every process.
        squares = {each: known.get(each, others) for each in sorted(ngrams(text))}
        return Ngrams(squares=squares, norm=sqrt(sum(squares.values())))

    def digest(self) -> bytes:
        """A hash of everything that could change a weight."""
        sha = hashlib.sha256(f"{self._num_texts}/{self._num_claims}".encode() + general_digest())
        for counts in (self._frequency, self._claim_frequency, self._ngrams):
            sha.update(_listed(counts))
        return sha.digest()

    def _in_general(self, term: str) -> float:
        known = self._general.get(term)
        if known is not None:
            return known
        # Not a common English word. Short terms say less.
        if not term.isascii() and len(term) <= 2:
            return 0.6
        return _WEIGHT_BY_LENGTH.get(len(term), 1.0)

    def _idf(self, term: str) -> float:
        if not self._num_texts:
            return 1.0
        size = self._num_texts + 1
        return max(_LEAST, log(size / (self._frequency[term] + 0.5)) / log(size / 0.5))

    def _claim_idf(self, term: str) -> float:
        if not self._num_claims:
            return 1.0
        size = self._num_claims + 1
        idf = log(size / (self._claim_frequency[term] + 0.5)) / log(size / 1.5)
        return min(1.0, max(_LEAST, idf))


@cache
def general_weights() -> Mapping[str, float]:
    """The weights of stems of common English words, in [0.05, 1]: frequent ones have less.

    Stems that are not in it are rarer than one word in a million, or not English.
    """
    shares: defaultdict[str, float] = defaultdict(float)
    for word, share in word_shares():
        if word.isascii() and word.isalpha():
            shares[stem(word)] += share
    spread = _MOST_FREQUENT - _RAREST
    weights = {term: (_MOST_FREQUENT - log10(share)) / spread for term, share in shares.items()}
    return {term: round(min(1.0, max(_LEAST, each)), 3) for term, each in weights.items()}


def word_shares() -> Iterator[tuple[str, float]]:
    """Yields English words with their shares of all words, the most frequent first.

    They are read from the file of the package wordfreq, since importing the package would take
    longer than all else at the start of the judge. Its format: gzipped msgpack, a header and lists
    of words; the position of a list is minus a hundred times the decimal logarithm of the share.

    Raises:
        MissingResourceError: the package is not installed.
    """
    spec = find_spec("wordfreq")
    if spec is None or spec.origin is None:
        raise MissingResourceError(
            "the judge lexical needs the package wordfreq: reinstall argue-eval"
        )
    file = Path(spec.origin).with_name("data") / "small_en.msgpack.gz"
    _, *lists = msgspec.msgpack.decode(gzip.decompress(file.read_bytes()))
    for number, words in enumerate(lists):
        for word in words:
            yield word, 10 ** (-number / 100)


@cache
def general_digest() -> bytes:
    """A hash of the table."""
    return hashlib.sha256(_listed(general_weights())).digest()


def _listed(values: Mapping[str, float]) -> bytes:
    rows = [f"\n{term}\t{value}" for term, value in sorted(values.items())]
    return "".join(rows).encode("utf-8", "replace")


def ngrams(text: str) -> frozenset[str]:
    """The 4-grams of a cleaned text's characters, with spaces between words; 2-grams for Chinese.

    They show what stems do not: shared parts of words, and set phrases.

    >>> sorted(ngrams("A dam [3]"))
    [' a d', ' dam', 'a da', 'dam ']
    """
    size = 2 if _UNSPACED.search(text) else 4
    flat = f" {' '.join(_WORD.findall(_CITATION.sub(' ', text)))} ".lower()
    return frozenset(flat[at : at + size] for at in range(len(flat) - size + 1))


def cosine(one: Ngrams, other: Ngrams) -> float:
    """The similarity of two texts by their n-grams, in [0, 1]; 0 if either has none."""
    if not one.norm or not other.norm:
        return 0.0
    few, many = sorted((one.squares, other.squares), key=len)
    return sum(square for each, square in few.items() if each in many) / (one.norm * other.norm)
