"""Counting nuggets, for every family that needs it."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from argue_eval.measures.averages import Case
from argue_eval.measures.protocols.argue import NuggetOutcome
from argue_eval.records import ScoringOptions


def count_nuggets(
    nuggets: Sequence[NuggetOutcome], options: ScoringOptions, case: Case
) -> tuple[float, float, float, float]:
    """Returns correct nuggets, nuggets, and the weights of both.

    Args:
        case: ``judged`` leaves out nuggets that depend on missing judgments, ``worst`` takes
            them for wrong, ``best`` for correct.
    """
    correct = total = 0
    correct_weights: list[float] = []
    weights: list[float] = []
    weight_of = options.weights
    for nugget, is_correct, _ in nuggets:
        if is_correct is None:
            if case == "judged":
                continue
            is_correct = case == "best"
        weight = weight_of[nugget.importance or "none"]
        total += 1
        weights.append(weight)
        if is_correct:
            correct += 1
            correct_weights.append(weight)
    return correct, total, fsum(correct_weights), fsum(weights)
