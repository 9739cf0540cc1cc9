"""The AutoNuggetizer scores of the TREC RAG track, over claim nuggets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from argue_eval.measures import Measure
from argue_eval.measures.averages import ratio
from argue_eval.records import Importance, TopicEvidence, Verdict, Worlds

PROTOCOL = "nuggetizer"

SOURCE = "AutoNuggetizer, TREC 2024 RAG track"


class Stats(NamedTuple):
    """Counts of one topic, over judged nuggets."""

    nuggets: float = 0
    vital: float = 0
    support: float = 0
    partial_support: float = 0
    vital_support: float = 0
    vital_partial_support: float = 0


def tally(evidence: TopicEvidence) -> Worlds:
    """Returns a topic's counts."""
    grades = evidence.grades.get(PROTOCOL, ())
    vital = {
        nugget.nugget_id for nugget in evidence.nuggets if nugget.importance is Importance.VITAL
    }
    is_open = {grade.unit_id: grade.verdict is None for grade in grades}
    judged = _stats([(grade.unit_id, grade.verdict) for grade in grades], vital)
    num_units = {"nugget": len(grades), "vital nugget": len(vital & is_open.keys())}
    if not any(is_open.values()):
        return Worlds(judged, judged, judged, num_units)
    return Worlds(
        judged,
        _stats([(grade.unit_id, grade.least) for grade in grades], vital),
        _stats([(grade.unit_id, grade.most) for grade in grades], vital),
        num_units,
        {
            "nugget": sum(is_open.values()),
            "vital nugget": sum(is_open[unit_id] for unit_id in vital & is_open.keys()),
        },
    )


def _stats(grades: Sequence[tuple[str, Verdict | None]], vital: set[str]) -> Stats:
    judged = [(unit_id in vital, verdict) for unit_id, verdict in grades if verdict is not None]
    return Stats(
        len(judged),
        sum(is_vital for is_vital, _ in judged),
        sum(verdict is Verdict.YES for _, verdict in judged),
        sum(verdict is Verdict.PARTIAL for _, verdict in judged),
        sum(is_vital and verdict is Verdict.YES for is_vital, verdict in judged),
        sum(is_vital and verdict is Verdict.PARTIAL for is_vital, verdict in judged),
    )


def all_score(stats: Stats) -> float | None:
    """Returns (support + half of partial support) / nuggets.

    >>> all_score(Stats(nuggets=4, support=1, partial_support=2))
    0.5
    """
    return ratio(stats.support + 0.5 * stats.partial_support, stats.nuggets)


def vital_score(stats: Stats) -> float | None:
    """Returns the same over vital nuggets.

    >>> vital_score(Stats(nuggets=9, vital=2, vital_support=1, vital_partial_support=1))
    0.75
    """
    return ratio(stats.vital_support + 0.5 * stats.vital_partial_support, stats.vital)


def strict_all_score(stats: Stats) -> float | None:
    """Returns support / nuggets.

    >>> strict_all_score(Stats(nuggets=4, support=1, partial_support=2))
    0.25
    """
    return ratio(stats.support, stats.nuggets)


def strict_vital_score(stats: Stats) -> float | None:
    """Returns support / nuggets, over vital nuggets.

    >>> strict_vital_score(Stats(nuggets=9, vital=2, vital_support=1, vital_partial_support=1))
    0.5
    """
    return ratio(stats.vital_support, stats.vital)


_NO_CLAIMS = "undefined where the topic has no claim nuggets"
_NO_VITAL = "undefined where the topic has no vital claim nuggets"
_PARTIAL = "nuggets supported, and half of those partially supported"

MEASURES = tuple(
    Measure(name, rewards, numerator, denominator, empty, SOURCE, example, value, unit)
    for name, rewards, numerator, denominator, empty, example, value, unit in (
        (
            "all_score",
            "claims of the topic that the report makes, wholly or in part",
            _PARTIAL,
            "claim nuggets",
            _NO_CLAIMS,
            "4 nuggets, 1 supported, 2 partially: (1 + 0.5 x 2) / 4 = 0.5",
            all_score,
            "nugget",
        ),
        (
            "vital_score",
            "vital claims that the report makes, wholly or in part",
            _PARTIAL + ", vital ones only",
            "vital claim nuggets",
            _NO_VITAL,
            "2 vital nuggets, 1 supported, 1 partially: 1.5 / 2 = 0.75",
            vital_score,
            "vital nugget",
        ),
        (
            "strict_all_score",
            "claims of the topic that the report makes wholly",
            "nuggets supported",
            "claim nuggets",
            _NO_CLAIMS,
            "4 nuggets, 1 supported, 2 partially: 1 / 4 = 0.25",
            strict_all_score,
            "nugget",
        ),
        (
            "strict_vital_score",
            "vital claims that the report makes wholly",
            "vital nuggets supported",
            "vital claim nuggets",
            _NO_VITAL,
            "2 vital nuggets, 1 supported, 1 partially: 1 / 2 = 0.5",
            strict_vital_score,
            "vital nugget",
        ),
    )
)
