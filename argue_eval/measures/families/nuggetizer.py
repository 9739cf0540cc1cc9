"""The AutoNuggetizer scores of the TREC RAG track, over claim nuggets.

Source: AutoNuggetizer, TREC 2024 RAG track
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from argue_eval.measures import Measure
from argue_eval.measures.averages import ratio
from argue_eval.measures.counting import Case, bounds_of
from argue_eval.records import Bounds, Grade, Importance, TopicEvidence, Verdict

PROTOCOL = "nuggetizer"


class Stats(NamedTuple):
    """Counts of one topic, over judged nuggets."""

    nuggets: float = 0
    vital: float = 0
    support: float = 0
    partial_support: float = 0
    vital_support: float = 0
    vital_partial_support: float = 0


def tally(evidence: TopicEvidence) -> Bounds:
    """A topic's counts."""
    grades: Sequence[Grade] = evidence.outcomes[PROTOCOL]
    vital = {each.nugget_id for each in evidence.nuggets if each.importance is Importance.VITAL}
    unjudged = [grade.unit_id for grade in grades if grade.verdict is None]

    def stats(case: Case) -> Stats:
        verdicts = [(grade.unit_id in vital, grade.in_case(case)) for grade in grades]
        number = Counter(each for each in verdicts if each[1] is not None)
        num_vital = sum(number[True, verdict] for verdict in Verdict)
        return Stats(
            nuggets=number.total(),
            vital=num_vital,
            support=number[True, Verdict.YES] + number[False, Verdict.YES],
            partial_support=number[True, Verdict.PARTIAL] + number[False, Verdict.PARTIAL],
            vital_support=number[True, Verdict.YES],
            vital_partial_support=number[True, Verdict.PARTIAL],
        )

    num_vital = sum(grade.unit_id in vital for grade in grades)
    num_open = {"nugget": len(unjudged), "vital nugget": len(vital.intersection(unjudged))}
    return bounds_of(stats, {"nugget": len(grades), "vital nugget": num_vital}, num_open)


def all_score(stats: Stats) -> float | None:
    """Claims of the topic that the report makes, wholly or in part.

    Numerator: nuggets supported, and half of those partially supported
    Denominator: claim nuggets
    Empty: undefined where the topic has no claim nuggets
    Example: 4 nuggets, 1 supported, 2 partially: (1 + 0.5 x 2) / 4 = 0.5

    >>> all_score(Stats(nuggets=4, support=1, partial_support=2))
    0.5
    """
    return ratio(stats.support + 0.5 * stats.partial_support, stats.nuggets)


def vital_score(stats: Stats) -> float | None:
    """Vital claims that the report makes, wholly or in part.

    Numerator: nuggets supported, and half of those partially supported, vital ones only
    Denominator: vital claim nuggets
    Empty: undefined where the topic has no vital claim nuggets
    Example: 2 vital nuggets, 1 supported, 1 partially: 1.5 / 2 = 0.75

    >>> vital_score(Stats(nuggets=9, vital=2, vital_support=1, vital_partial_support=1))
    0.75
    """
    return ratio(stats.vital_support + 0.5 * stats.vital_partial_support, stats.vital)


def strict_all_score(stats: Stats) -> float | None:
    """Claims of the topic that the report makes wholly.

    Numerator: nuggets supported
    Denominator: claim nuggets
    Empty: undefined where the topic has no claim nuggets
    Example: 4 nuggets, 1 supported, 2 partially: 1 / 4 = 0.25

    >>> strict_all_score(Stats(nuggets=4, support=1, partial_support=2))
    0.25
    """
    return ratio(stats.support, stats.nuggets)


def strict_vital_score(stats: Stats) -> float | None:
    """Vital claims that the report makes wholly.

    Numerator: vital nuggets supported
    Denominator: vital claim nuggets
    Empty: undefined where the topic has no vital claim nuggets
    Example: 2 vital nuggets, 1 supported, 1 partially: 1 / 2 = 0.5

    >>> strict_vital_score(Stats(nuggets=9, vital=2, vital_support=1, vital_partial_support=1))
    0.5
    """
    return ratio(stats.vital_support, stats.vital)


MEASURES = (
    Measure(all_score, unit="nugget"),
    Measure(vital_score, unit="vital nugget"),
    Measure(strict_all_score, unit="nugget"),
    Measure(strict_vital_score, unit="vital nugget"),
)
