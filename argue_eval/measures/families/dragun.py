"""The DRAGUN scores: how far a report gives the answers of a rubric, and how far it denies them.

Source: report generation of the TREC 2025 DRAGUN track
"""

from __future__ import annotations

from math import fsum
from typing import NamedTuple

from argue_eval.measures import Measure, count
from argue_eval.measures.averages import ratio
from argue_eval.measures.claims import graded
from argue_eval.measures.counting import CREDIT, Case, bounds_of
from argue_eval.measures.protocols.dragun import answers
from argue_eval.records import Bounds, Grade, TopicEvidence, Verdict

PROTOCOL = "dragun"


class Stats(NamedTuple):
    """Sums of one report.

    Attributes:
        weight: of the questions with a judged answer.
        support: weight x mean credit of the answers, over questions; `contradiction`: weight x
            share of the answers that the report contradicts, below 0.
    """

    weight: float = 0
    support: float = 0
    contradiction: float = 0
    answers_supported: float = 0
    answers_partial: float = 0
    answers_contradicted: float = 0


def tally(evidence: TopicEvidence) -> Bounds:
    """A report's sums."""
    rubric = graded(evidence, PROTOCOL, answers(evidence.nuggets))
    questions: dict[str, tuple[float, list[Grade]]] = {}
    for nugget, grade in rubric:
        weight = 1.0 if nugget.weight is None else nugget.weight
        key = nugget.group or f"answer {nugget.nugget_id}"
        questions.setdefault(key, (weight, []))[1].append(grade)

    def stats(case: Case) -> Stats:
        weighed = []
        for weight, found in questions.values():
            counts = [_counts(each, case) for each in found if each.in_case(case) is not None]
            if counts:
                sums = [sum(each) for each in zip(*counts, strict=True)]
                weighed.append((weight, len(counts), sums))
        return Stats(
            weight=fsum(weight for weight, _, _ in weighed),
            support=fsum(weight * sums[0] / number for weight, number, sums in weighed),
            contradiction=fsum(-weight * sums[3] / number for weight, number, sums in weighed),
            answers_supported=sum(sums[1] for _, _, sums in weighed),
            answers_partial=sum(sums[2] for _, _, sums in weighed),
            answers_contradicted=sum(sums[3] for _, _, sums in weighed),
        )

    num_open = sum(grade.verdict is None for _, grade in rubric)
    return bounds_of(stats, {"nugget": len(rubric)}, {"nugget": num_open})


def _counts(grade: Grade, case: Case) -> tuple[float, bool, bool, bool]:
    """The credit of an answer; whether it counts as supported, in part, and as contradicted."""
    verdict = grade.verdict
    if verdict is not None:
        is_partial, is_opposed = verdict is Verdict.PARTIAL, verdict is Verdict.CONTRADICTS
        return CREDIT[verdict], verdict is Verdict.YES, is_partial, is_opposed
    if case == "best":
        return CREDIT[grade.most], True, True, False
    return CREDIT[grade.least], False, False, not grade.least.is_positive


def supportive_score(stats: Stats) -> float | None:
    """Short answers of the rubric that the report gives, wholly or in part.

    Numerator: weight of each question (A 4, B 2, C 1) x mean over its answers: supported 1, in
        part 0.5, otherwise 0
    Denominator: weights of the questions
    Empty: undefined where the topic has no short answers
    Example: questions of weight 4 and 2; answers supported and contradicted, and in part:
        (4 x 0.5 + 2 x 0.5) / 6 = 0.5

    >>> supportive_score(Stats(weight=6, support=4 * 0.5 + 2 * 0.5))
    0.5
    """
    return ratio(stats.support, stats.weight)


def contradictory_score(stats: Stats) -> float | None:
    """Nothing: 0 is best, and -1 says that the report contradicts every answer of the rubric.

    Numerator: weight of each question (A 4, B 2, C 1) x mean over its answers: contradicted -1,
        otherwise 0
    Denominator: weights of the questions
    Empty: undefined where the topic has no short answers
    Example: questions of weight 4 and 2; answers supported and contradicted, and in part:
        (4 x -0.5 + 2 x 0) / 6 = -0.3333

    >>> round(contradictory_score(Stats(weight=6, contradiction=4 * -0.5)), 4)
    -0.3333
    """
    return ratio(stats.contradiction, stats.weight)


MEASURES = (
    Measure(supportive_score, unit="nugget"),
    Measure(contradictory_score, unit="nugget"),
    count(
        "answers_supported",
        """Short answers that the report gives.

        Numerator: short answers that the report supports
        Example: 2 of 5 answers supported, 1 in part: 2
        Source: report generation of the TREC 2025 DRAGUN track
        """,
        unit="nugget",
    ),
    count(
        "answers_partial",
        """Short answers that the report gives in part.

        Numerator: short answers that the report supports in part
        Example: 2 of 5 answers supported, 1 in part: 1
        Source: report generation of the TREC 2025 DRAGUN track
        """,
        unit="nugget",
    ),
    count(
        "answers_contradicted",
        """Short answers of which the report says the opposite.

        Numerator: short answers that the report contradicts
        Example: 5 answers, 1 contradicted: 1
        Source: report generation of the TREC 2025 DRAGUN track
        """,
        unit="nugget",
    ),
)
