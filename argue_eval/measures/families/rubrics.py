"""Scores over weighted criteria, some of which may be negative.

Source: ResearchRubrics, as in the development data of the TREC 2026 RAG track
"""

from __future__ import annotations

from math import fsum
from typing import NamedTuple

from argue_eval.measures import Measure
from argue_eval.measures.averages import ratio
from argue_eval.measures.claims import claim_nuggets, graded
from argue_eval.measures.counting import CREDIT, Case, bounds_of
from argue_eval.records import Bounds, Grade, TopicEvidence, Verdict

PROTOCOL = "rubrics"


class Stats(NamedTuple):
    """Sums of one report.

    Attributes:
        possible: the positive weights.
        ternary: weight x verdict (1, 0.5, 0); `binary`: weights of what is wholly satisfied.
    """

    possible: float = 0
    ternary: float = 0
    binary: float = 0


def tally(evidence: TopicEvidence) -> Bounds:
    """A report's sums."""
    weighed = [
        (1.0 if nugget.weight is None else nugget.weight, grade)
        for nugget, grade in graded(evidence, PROTOCOL, claim_nuggets(evidence.nuggets))
    ]

    def stats(case: Case) -> Stats:
        found = [(weight, _verdict(weight, grade, case)) for weight, grade in weighed]
        counted = [(weight, verdict) for weight, verdict in found if verdict is not None]
        return Stats(
            possible=fsum(max(weight, 0.0) for weight, _ in counted),
            ternary=fsum(weight * CREDIT[verdict] for weight, verdict in counted),
            binary=fsum(weight for weight, verdict in counted if verdict is Verdict.YES),
        )

    num_open = sum(grade.verdict is None for _, grade in weighed)
    return bounds_of(stats, {"nugget": len(weighed)}, {"nugget": num_open})


def _verdict(weight: float, grade: Grade, case: Case) -> Verdict | None:
    """The verdict; of what is open, that which lowers the score most in the worst case."""
    if weight < 0 and case != "judged":
        case = "best" if case == "worst" else "worst"
    return grade.in_case(case)


def rubric_score(stats: Stats) -> float | None:
    """Criteria that the report satisfies, wholly or in part, without those of negative weight.

    Numerator: weight x verdict of each criterion: satisfied 1, partially 0.5, not 0; less than 0 if
        negative criteria outweigh the others
    Denominator: weights of the criteria of positive weight
    Empty: undefined where no criterion has a positive weight
    Example: weights 5, 2 and 3, satisfied, partially and not: (5 + 2 x 0.5) / 10 = 0.6

    >>> rubric_score(Stats(possible=5 + 2 + 3, ternary=5 + 2 * 0.5))
    0.6
    """
    return ratio(stats.ternary, stats.possible)


def rubric_score_binary(stats: Stats) -> float | None:
    """Criteria that the report wholly satisfies, without those of negative weight.

    Numerator: weights of the criteria that are satisfied; one that is partially satisfied counts as
        not satisfied
    Denominator: weights of the criteria of positive weight
    Empty: undefined where no criterion has a positive weight
    Example: weights 5, 2 and 3, satisfied, partially and not: 5 / 10 = 0.5

    >>> rubric_score_binary(Stats(possible=5 + 2 + 3, binary=5))
    0.5
    """
    return ratio(stats.binary, stats.possible)


MEASURES = (
    Measure(rubric_score, unit="nugget"),
    Measure(rubric_score_binary, unit="nugget"),
)
