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
from argue_eval.judges.lexical.text import (
    MAX_DOCUMENT_CHARS,
    clean,
    keys_by_sentence,
    split,
    tokens,
)
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


class _Counted:
    """In how many texts of one sort each term is, and what it weighs among them."""

    def __init__(self, rarest: float) -> None:
        """A term in this many texts is as rare as can be."""
        self.num_texts = 0
        self.frequency: Counter[str] = Counter()
        self._rarest = rarest
        self._known: dict[str, float] = {}

    def add(self, keys: set[str]) -> None:
        self.num_texts += 1
        self.frequency.update(keys)

    def weight(self, term: str) -> float:
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = sqrt(self._rarity(term) * _weight_in_general(term))
        return known

    def _rarity(self, term: str) -> float:
        if not self.num_texts:
            return 1.0
        size = self.num_texts + 1
        rarity = log(size / (self.frequency[term] + 0.5)) / log(size / self._rarest)
        return min(1.0, max(_LEAST, rarity))


class TermWeights:
    """Weights between 0 and 1 of terms and of quantities' keys; rarer ones have more.

    A weight is the geometric mean of two: how rare the term is among the texts at hand, and how
    rare it is in general. In texts about doctors the first knows that "doctor" says little; the
    second knows what three nuggets cannot show.

    What distinguishes claims from each other is weighted among claims alone, on a scale that does
    not depend on their number: a term that only one of them has is as rare as can be.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts, self._claims = _Counted(rarest=0.5), _Counted(rarest=1.5)
        self._ngrams: Counter[str] = Counter()
        for text in texts:
            if not text.strip():
                continue
            cleaned = clean(text, MAX_DOCUMENT_CHARS)
            keys: set[str] = set().union(*keys_by_sentence(tokens(split(cleaned))))
            self._texts.add(keys)
            if len(cleaned) <= MAX_CLAIM_CHARS:
                self._claims.add(keys)
                self._ngrams.update(ngrams(cleaned))
        size = self._claims.num_texts + 1
        self._squares = {each: log(size / (num + 0.5)) ** 2 for each, num in self._ngrams.items()}
        self._square_of_others = log(size / 0.5) ** 2

    def weight(self, term: str) -> float:
        """The weight of a term among all texts."""
        return self._texts.weight(term)

    def claim_weight(self, term: str) -> float:
        """The weight of a term for distinguishing claims."""
        return self._claims.weight(term)

    def ngrams(self, text: str) -> Ngrams:
        """The character n-grams of a cleaned text with their weights among claims."""
        known, others = self._squares, self._square_of_others
        # Sorted, so that the sum is the same in every process.
        squares = {each: known.get(each, others) for each in sorted(ngrams(text))}
        return Ngrams(squares=squares, norm=sqrt(sum(squares.values())))

    def digest(self) -> bytes:
        """A hash of everything that could change a weight."""
        sizes = f"{self._texts.num_texts}/{self._claims.num_texts}"
        sha = hashlib.sha256(sizes.encode() + general_digest())
        for counts in (self._texts.frequency, self._claims.frequency, self._ngrams):
            sha.update(_listed(counts))
        return sha.digest()


def _weight_in_general(term: str) -> float:
    known = general_weights().get(term)
    if known is not None:
        return known
    # Not a common English word. Short terms say less.
    if not term.isascii() and len(term) <= 2:
        return 0.6
    return _WEIGHT_BY_LENGTH.get(len(term), 1.0)


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
    flat, size = _words(text)
    return frozenset(flat[at : at + size] for at in range(len(flat) - size + 1))


def _words(text: str) -> tuple[str, int]:
    """The words of a cleaned text with a space around each, and the length of its n-grams."""
    flat = f" {' '.join(_WORD.findall(_CITATION.sub(' ', text)))} ".lower()
    return flat, 2 if _UNSPACED.search(text) else 4


def longest_gap(text: str, known: frozenset[str]) -> int:
    """The length of the longest part of a cleaned text that is in none of the known n-grams.

    >>> longest_gap("A wooden dam", ngrams("A stone dam"))
    9
    """
    flat, size = _words(text)
    longest = end = 0
    for at in range(len(flat) - size + 1):
        if flat[at : at + size] in known:
            longest, end = max(longest, at - end), at + size
    return max(longest, len(flat) - end)


def cosine(one: Ngrams, other: Ngrams) -> float:
    """The similarity of two texts by their n-grams, in [0, 1]; 0 if either has none."""
    if not one.norm or not other.norm:
        return 0.0
    few, many = sorted((one.squares, other.squares), key=len)
    return sum(square for each, square in few.items() if each in many) / (one.norm * other.norm)
