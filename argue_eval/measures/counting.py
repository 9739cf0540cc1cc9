"""From the units of a topic to a family's statistics: as judged, and in the worst and best case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any, Literal

from argue_eval.measures.protocols.argue import NuggetOutcome
from argue_eval.records import Bounds, Verdict

Case = Literal["judged", "worst", "best"]
"""How missing judgments are counted: left out, or as badly or as well as they can come out."""

CREDIT = {Verdict.YES: 1.0, Verdict.PARTIAL: 0.5, Verdict.NO: 0.0, Verdict.CONTRADICTS: 0.0}
"""What a graded unit counts."""


def bounds_of(
    stats: Callable[[Case], Any], num_units: Mapping[str, int], num_unjudged: Mapping[str, int]
) -> Bounds:
    """A family's statistics in all three cases; computed once, where nothing is unjudged."""
    judged = stats("judged")
    if not any(num_unjudged.values()):
        return Bounds(judged=judged, worst=judged, best=judged, num_units=num_units)
    return Bounds(
        judged=judged,
        worst=stats("worst"),
        best=stats("best"),
        num_units=num_units,
        num_unjudged=num_unjudged,
    )


class NuggetCounts:
    """How many nuggets a report answers, and what they weigh.

    Attributes:
        num_open: nuggets that depend on missing judgments.
    """

    def __init__(self, nuggets: Sequence[NuggetOutcome]) -> None:
        self._correct: list[float] = []
        self._wrong: list[float] = []
        self._open: list[float] = []
        for _, is_correct, _, weight in nuggets:
            if is_correct:
                self._correct.append(weight)
            elif is_correct is None:
                self._open.append(weight)
            else:
                self._wrong.append(weight)
        self.num_open = len(self._open)

    def in_case(self, case: Case) -> tuple[float, float, float, float]:
        """Correct nuggets, those counted, and the weights of both.

        Args:
            case: ``judged`` leaves out nuggets that depend on missing judgments, ``worst`` counts
                them as wrong, ``best`` as correct.
        """
        correct = self._correct + self._open if case == "best" else self._correct
        counted = correct + self._wrong
        if case == "worst":
            counted += self._open
        return len(correct), len(counted), fsum(correct), fsum(counted)
