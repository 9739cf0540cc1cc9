"""How far one sentence states a claim: what is common to both, weighed by how much it tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from argue_eval.judges.lexical import letters
from argue_eval.judges.lexical.letters import Letters
from argue_eval.judges.lexical.text import Text
from argue_eval.judges.lexical.weights import TermWeights

NEAR = 3
"""Terms at most so many places apart are near each other."""

_ENOUGH_AMOUNT, _ENOUGH_NEAR = 3.0, 2.0
"""What is common counts half where it has this much weight."""

Pair = tuple[str, str]


class Statement(NamedTuple):
    """A sentence or claim, ready to be compared.

    Attributes:
        weights: of its terms and quantities, in order of appearance.
        near: terms that are near each other, the smaller first.
    """

    weights: Mapping[str, float]
    near: frozenset[Pair]
    letters: Letters


def statement(text: Text, weights: TermWeights) -> Statement:
    """Returns a text ready to be compared."""
    sequence = text.sequence
    pairs = (
        (one, other) if one < other else (other, one)
        for at, one in enumerate(sequence)
        for other in sequence[at + 1 : at + 1 + NEAR]
        if one != other
    )
    weighed = {term: weights.claim_weight(term) for term in sequence}
    return Statement(weighed, frozenset(pairs), weights.letters(text.raw))


def compare(claim: Statement, sentence: Statement) -> dict[str, float]:
    """Returns what a sentence has of a claim, in [0, 1].

    ``amount``: the weight of what is common. ``near``: the weight of common pairs of near terms.
    ``rarest``: the highest weight of a common term. ``early``: the share of the first half of the
    claim's terms, which tell what it is about. ``letters``: how alike the texts are by letters.
    """
    common = [weight for term, weight in claim.weights.items() if term in sentence.weights]
    amount = sum(common)
    weight_of = claim.weights.__getitem__
    near = sum(_product(pair, weight_of) for pair in sorted(claim.near & sentence.near))
    return {
        "amount": amount / (amount + _ENOUGH_AMOUNT),
        "near": near / (near + _ENOUGH_NEAR),
        "rarest": max(common, default=0.0),
        "early": _early(claim, sentence),
        "letters": letters.cosine(claim.letters, sentence.letters),
    }


def _product(pair: Pair, weight_of: Callable[[str], float]) -> float:
    return weight_of(pair[0]) * weight_of(pair[1])


def _early(claim: Statement, sentence: Statement) -> float:
    """Returns the weighted share of the claim's first half that the sentence has."""
    terms = list(claim.weights.items())
    first = terms[: (len(terms) + 1) // 2]
    total = sum(weight for _, weight in first)
    if not total:
        return 0.0
    return sum(weight for term, weight in first if term in sentence.weights) / total
