"""How much of one text is in another: weighted shares of terms, names, quantities and pairs."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from heapq import nsmallest
from typing import NamedTuple

from argue_eval.judges.cache import Cache
from argue_eval.judges.lexical.quantities import Need
from argue_eval.judges.lexical.text import DocumentText, Text
from argue_eval.judges.lexical.weights import Ngrams, TermWeights, cosine
from argue_eval.judges.lexical.words import OPPOSITE_STEMS

WINDOW = 3
"""The number of consecutive sentences of a document in which evidence is sought."""

NUM_BEST = 3
MAX_COPIED = 200
"""The number of a claim's words of which it is asked whether they are copied."""

NEED_WEIGHT = 1.0
NAME_WEIGHT = 1.3
_MAX_POSTINGS = 500

NEAR = 3
"""Terms at most this many places apart are near each other."""

_ENOUGH_AMOUNT, _ENOUGH_NEAR = 3.0, 2.0
"""The weights at which what is common counts one half."""


def share(weights: Mapping[str, float], keys: Container[str]) -> float:
    """The weighted share of the terms that are among the keys; 1 if there are no terms."""
    total = sum(weights.values())
    if not total:
        return 1.0
    return sum(weight for term, weight in weights.items() if term in keys) / total


def missing_needs(needs: tuple[Need, ...], keys: Container[str]) -> list[Need]:
    """The quantities of which no key is present."""
    return [need for need in needs if not any(key in keys for key in need)]


# --- contradiction ------------------------------------------------------------------------------


def negation_conflict(one: Text, other: Text) -> float:
    """The share of common terms that one text negates and the other states, in [0, 1].

    Only terms that either text negates are counted, so one negated verb is enough. It is 1 if the
    opposite of a term stands in its place.
    """
    if _num_opposites(one, other):
        return 1.0
    if not one.negated and not other.negated:
        return 0.0
    negated = one.negated.intersection(other.terms) | other.negated.intersection(one.terms)
    return len(negated & (one.negated ^ other.negated)) / len(negated) if negated else 0.0


def polarity_conflict(one: Text, other: Text) -> float:
    """The share of common terms that one text negates and the other states, in [0, 1].

    All common terms are counted, so one negated word in long texts has little effect. A term whose
    opposite stands in its place counts as a common term in conflict.
    """
    common = set(one.terms).intersection(other.terms)
    num_opposites = _num_opposites(one, other)
    num_conflicts = len(common & (one.negated ^ other.negated)) + num_opposites
    return num_conflicts / (len(common) + num_opposites) if num_conflicts else 0.0


def _num_opposites(one: Text, other: Text) -> int:
    return sum(
        OPPOSITE_STEMS[term] in other.keys and term not in other.keys
        for term in one.terms
        if term in OPPOSITE_STEMS and OPPOSITE_STEMS[term] not in one.keys
    )


# --- a document's evidence for a claim ----------------------------------------------------------


class Claim(NamedTuple):
    """A text with the weight of each term. Weights are positive."""

    text: Text
    weights: Mapping[str, float]
    total: float


class Evidence(NamedTuple):
    """What a document has of a claim. Shares are in [0, 1].

    Attributes:
        window: share of the claim's terms and quantities that are in the best window of consecutive
            sentences.
        sentences: those that have most of them, the best first.
    """

    window: float
    sentences: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The best; empty if there is none."""
        return self.sentences[0] if self.sentences else ""


def weigh(text: Text, weights: TermWeights) -> Claim:
    """Adds the weight of each term to a text; names weigh more."""
    weighted = {
        term: weights.weight(term) * (NAME_WEIGHT if term in text.names else 1.0)
        for term in text.terms
    }
    return Claim(text=text, weights=weighted, total=sum(weighted.values()))


def find_evidence(claim: Claim, document: DocumentText) -> Evidence:
    """Finds what a document has of a claim, and where it has most."""
    units: list[tuple[Need, float]] = [((term,), weight) for term, weight in claim.weights.items()]
    units += [(need, NEED_WEIGHT) for need in claim.text.needs]
    total = sum(weight for _, weight in units)
    masks: dict[int, int] = {}
    scores: dict[int, float] = {}
    for bit, (need, weight) in enumerate(units):
        posting = 0
        for key in need:
            posting |= document.postings.get(key, 0)
        for at in _positions(posting):
            masks[at] = masks.get(at, 0) | 1 << bit
            scores[at] = scores.get(at, 0.0) + weight
    if not masks:
        return Evidence(window=0.0, sentences=())
    best = nsmallest(NUM_BEST, scores, key=lambda at: (-scores[at], at))
    window = _best_window(masks, scores, [weight for _, weight in units])
    return Evidence(window / total, tuple(document.sentences[at] for at in best))


def copied(words: Sequence[str], flat: str) -> float:
    """How far a document has the words in the same order, in [0, 1].

    The words are cut into the longest pieces that the document has. The sum of the squares of their
    lengths is 1 if all are in one piece, and near 0 if each comes from another place.

    >>> copied(["the", "dam", "broke"], " the dam is old . it broke ") == (2**2 + 1**2) / 3**2
    True
    """
    words = words[:MAX_COPIED]
    start, squares = 0, 0
    while start < len(words):
        piece, end, at = " ", start, 0
        while end < len(words):
            piece += f"{words[end]} "
            at = flat.find(piece, at)
            if at < 0:
                break
            end += 1
        squares += (end - start) ** 2
        start = max(end, start + 1)
    return squares / len(words) ** 2 if words else 0.0


def _positions(posting: int) -> list[int]:
    """The numbers of the bits that are set, lowest first."""
    found: list[int] = []
    while posting and len(found) < _MAX_POSTINGS:
        low = posting & -posting
        found.append(low.bit_length() - 1)
        posting ^= low
    return found


def _best_window(masks: dict[int, int], scores: dict[int, float], weights: list[float]) -> float:
    # The sum of their own weights is an upper bound, so most windows need no exact count.
    bounds = sorted(
        ((sum(scores.get(at + step, 0.0) for step in range(WINDOW)), at) for at in masks),
        reverse=True,
    )
    best = max(scores.values())
    for bound, at in bounds:
        if bound <= best:
            break
        mask = 0
        for step in range(WINDOW):
            mask |= masks.get(at + step, 0)
        best = max(best, sum(weight for bit, weight in enumerate(weights) if mask >> bit & 1))
    return best


# --- how far a sentence covers a claim ----------------------------------------------------------


class Statement(NamedTuple):
    """A sentence or claim, ready to be compared.

    Attributes:
        weights: of its terms and quantities, in order of appearance.
        near: pairs of terms that are near each other, each in alphabetical order.
        ngrams: its character n-grams.
    """

    weights: Mapping[str, float]
    near: frozenset[tuple[str, str]]
    ngrams: Ngrams


def statement(text: Text, weights: TermWeights) -> Statement:
    """Makes a text ready to be compared."""
    sequence = text.sequence
    pairs = (
        (one, other) if one < other else (other, one)
        for at, one in enumerate(sequence)
        for other in sequence[at + 1 : at + 1 + NEAR]
        if one != other
    )
    weighted = {term: weights.claim_weight(term) for term in sequence}
    return Statement(weights=weighted, near=frozenset(pairs), ngrams=weights.ngrams(text.raw))


def compare(claim: Statement, sentence: Statement) -> dict[str, float]:
    """What a sentence has of a claim, as features in [0, 1].

    ``amount``: the weight of what is common. ``near``: the weight of common pairs of near terms.
    ``rarest``: the highest weight of a common term. ``early``: the share of the first half of the
    claim's terms, which name its subject. ``letters``: how similar their n-grams are.
    """
    weights = claim.weights
    common = [weight for term, weight in weights.items() if term in sentence.weights]
    amount = sum(common)
    near = sum(weights[one] * weights[other] for one, other in sorted(claim.near & sentence.near))
    first = dict(list(weights.items())[: (len(weights) + 1) // 2])
    return {
        "amount": amount / (amount + _ENOUGH_AMOUNT),
        "near": near / (near + _ENOUGH_NEAR),
        "rarest": max(common, default=0.0),
        "early": share(first, sentence.weights) if first else 0.0,
        "letters": cosine(claim.ngrams, sentence.ngrams),
    }


# --- how much of a sentence the sentences before it say -----------------------------------------
#
# Their terms have a bit for every sentence. So a sentence is compared with a thousand others in a
# few steps: those that have the same of its terms are compared as one.

BLOCK = 1_000
"""How many of the nearest earlier sentences are examined."""

Postings = Mapping[str, int]


def postings_of(sentences: Iterable[Claim]) -> Postings:
    """The keys of a block of sentences, each with the bits of those that have it."""
    postings: dict[str, int] = {}
    for place, sentence in enumerate(sentences):
        for key in sentence.text.keys:
            postings[key] = postings.get(key, 0) | 1 << place
    return postings


class Earlier:
    """The keys of the last `BLOCK` sentences before one.

    Args:
        sentences: those of the report; `index`: the place of the sentence.
        postings: by the sentences of a block.
    """

    def __init__(
        self, sentences: tuple[str, ...], index: int, postings: Cache[tuple[str, ...], Postings]
    ) -> None:
        start = index - index % BLOCK
        self._first = start - BLOCK
        self._before = postings[sentences[self._first : start]] if start else {}
        self._own = postings[sentences[start : start + BLOCK]]
        self._window = (1 << index - self._first) - (1 << max(index - BLOCK, 0) - self._first)

    def __contains__(self, key: object) -> bool:
        return bool(self._posting(str(key)))

    def _posting(self, key: str) -> int:
        return (self._before.get(key, 0) | self._own.get(key, 0) << BLOCK) & self._window

    def nearest(self, claim: Claim) -> int | None:
        """The place of the sentence with the largest weighted share of a claim's terms.

        Of several, it is the first; None if there is no sentence.
        """
        groups = [(0.0, self._window)] if self._window else []
        for term, weight in claim.weights.items():
            if posting := self._posting(term):
                split = [
                    each
                    for found, group in groups
                    for each in ((found + weight, group & posting), (found, group & ~posting))
                ]
                groups = [each for each in split if each[1]]
        if not groups:
            return None
        most = max(found for found, _ in groups)
        firsts = [group & -group for found, group in groups if found == most]
        return self._first + min(firsts).bit_length() - 1
