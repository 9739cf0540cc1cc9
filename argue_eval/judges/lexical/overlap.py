"""How much of one text is in another: weighted shares of terms, names, quantities, pairs."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import NamedTuple

from argue_eval.judges.lexical.document import DocumentText
from argue_eval.judges.lexical.quantity import Need
from argue_eval.judges.lexical.text import Text
from argue_eval.judges.lexical.weights import TermWeights
from argue_eval.judges.lexical.words import OPPOSITE_STEMS

WINDOW = 3
"""Evidence is looked for in this many consecutive sentences of a document."""

NEED_WEIGHT = 1.0
NAME_WEIGHT = 1.3
_MAX_POSTINGS = 500


class Claim(NamedTuple):
    """A text with the weight of each term. Weights are positive."""

    text: Text
    weights: Mapping[str, float]
    total: float


class Evidence(NamedTuple):
    """What a document has of a claim. Shares are in [0, 1]; 1 if there is nothing to have.

    Attributes:
        all: share of the claim's terms and quantities that are anywhere in the document.
        window: share in its best window of consecutive sentences.
        best: share in its best sentence.
        sentence: that sentence.
    """

    all: float
    window: float
    best: float
    sentence: str


def weigh(text: Text, weights: TermWeights) -> Claim:
    """Returns the text with the weight of each term; names weigh more."""
    weighed = {
        term: weights.weight(term) * (NAME_WEIGHT if term in text.names else 1.0)
        for term in text.terms
    }
    return Claim(text, weighed, sum(weighed.values()))


def share(weights: Mapping[str, float], keys: Container[str]) -> float:
    """Returns the weighted share of the terms that are among the keys; 1 if there are none."""
    total = sum(weights.values())
    if not total:
        return 1.0
    return sum(weight for term, weight in weights.items() if term in keys) / total


def missing_needs(needs: tuple[Need, ...], keys: Container[str]) -> list[Need]:
    """Returns the quantities of which none of the keys is there."""
    return [need for need in needs if not any(key in keys for key in need)]


def negation_conflict(one: Text, other: Text) -> float:
    """Returns the share of common terms that one text negates and the other states, in [0, 1].

    It is reckoned over the terms that either negates, so that one negated verb is enough. A term
    whose opposite stands in its place is a conflict too.
    """
    if any(
        OPPOSITE_STEMS[term] in other.keys and term not in other.keys
        for term in one.terms
        if term in OPPOSITE_STEMS and OPPOSITE_STEMS[term] not in one.keys
    ):
        return 1.0
    if not one.negated and not other.negated:
        return 0.0
    ones, others = set(one.terms), set(other.terms)
    negated = (one.negated & others) | (other.negated & ones)
    if not negated:
        return 0.0
    return len(negated & (one.negated ^ other.negated)) / len(negated)


def polarity_conflict(one: Text, other: Text) -> float:
    """Returns the share of common terms that one text negates and the other states, in [0, 1].

    It is reckoned over all common terms, so that one negated word in long texts means little. A
    term whose opposite stands in its place counts as a common term in conflict.
    """
    common = set(one.terms) & set(other.terms)
    num_opposite = sum(
        OPPOSITE_STEMS[term] in other.keys and term not in other.keys
        for term in one.terms
        if term in OPPOSITE_STEMS and OPPOSITE_STEMS[term] not in one.keys
    )
    num_conflicts = len(common & (one.negated ^ other.negated)) + num_opposite
    return num_conflicts / (len(common) + num_opposite) if num_conflicts else 0.0


def find_evidence(claim: Claim, document: DocumentText) -> Evidence:
    """Returns what the document has of the claim, and where it has most."""
    units: list[tuple[Need, float]] = [((term,), weight) for term, weight in claim.weights.items()]
    units += [(need, NEED_WEIGHT) for need in claim.text.needs]
    total = sum(weight for _, weight in units)
    masks: dict[int, int] = {}
    scores: dict[int, float] = {}
    found_all = 0.0
    for bit, (need, weight) in enumerate(units):
        posting = 0
        for key in need:
            posting |= document.postings.get(key, 0)
        if not posting:
            continue
        found_all += weight
        for at in _positions(posting):
            masks[at] = masks.get(at, 0) | 1 << bit
            scores[at] = scores.get(at, 0.0) + weight
    if not masks:
        return Evidence(0.0 if total else 1.0, 0.0, 0.0, "")
    best = max(scores, key=lambda at: (scores[at], -at))
    window = _best_window(masks, scores, [weight for _, weight in units])
    return Evidence(
        found_all / total,
        window / total,
        scores[best] / total,
        document.sentences[best],
    )


def _positions(posting: int) -> list[int]:
    """Returns the numbers of the bits that are set, lowest first."""
    found: list[int] = []
    while posting and len(found) < _MAX_POSTINGS:
        low = posting & -posting
        found.append(low.bit_length() - 1)
        posting ^= low
    return found


def _best_window(masks: dict[int, int], scores: dict[int, float], weights: list[float]) -> float:
    """Returns the most weight that consecutive sentences have together.

    The sum of their own weights is an upper bound, so most windows need no exact count.
    """
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
