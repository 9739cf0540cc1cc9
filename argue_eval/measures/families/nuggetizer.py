"""The AutoNuggetizer scores of the TREC RAG track, over claim nuggets.

Source: AutoNuggetizer, TREC 2024 RAG track
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from argue_eval.formats.assignments import SUB_NARRATIVE
from argue_eval.measures import Measure
from argue_eval.measures.averages import ratio
from argue_eval.measures.claims import claim_nuggets, graded
from argue_eval.measures.counting import Case, bounds_of
from argue_eval.records import Bounds, Grade, Importance, Nugget, TopicEvidence, Verdict

PROTOCOL = "nuggetizer"


class Stats(NamedTuple):
    """Counts of one topic, over judged nuggets."""

    nuggets: float = 0
    vital: float = 0
    support: float = 0
    partial_support: float = 0
    vital_support: float = 0
    vital_partial_support: float = 0
    sub_narratives: float = 0
    covered_sub_narratives: float = 0


def tally(evidence: TopicEvidence) -> Bounds:
    """A topic's counts."""
    grades = [grade for _, grade in graded(evidence, PROTOCOL, claim_nuggets(evidence.nuggets))]
    sub_narratives = _sub_narratives(evidence.nuggets, grades)
    vital = {each.nugget_id for each in evidence.nuggets if each.importance is Importance.VITAL}
    unjudged = [grade.unit_id for grade in grades if grade.verdict is None]

    def stats(case: Case) -> Stats:
        verdicts = [(grade.unit_id in vital, grade.in_case(case)) for grade in grades]
        number = Counter(each for each in verdicts if each[1] is not None)
        num_vital = sum(number[True, verdict] for verdict in Verdict)
        covered = [_is_covered([grade.in_case(case) for grade in each]) for each in sub_narratives]
        return Stats(
            nuggets=number.total(),
            vital=num_vital,
            support=number[True, Verdict.YES] + number[False, Verdict.YES],
            partial_support=number[True, Verdict.PARTIAL] + number[False, Verdict.PARTIAL],
            vital_support=number[True, Verdict.YES],
            vital_partial_support=number[True, Verdict.PARTIAL],
            sub_narratives=len(covered) - covered.count(None),
            covered_sub_narratives=covered.count(True),
        )

    num_vital = sum(grade.unit_id in vital for grade in grades)
    num_units = {
        "nugget": len(grades),
        "vital nugget": num_vital,
        "sub-narrative": len(sub_narratives),
    }
    is_covered = [_is_covered([grade.verdict for grade in each]) for each in sub_narratives]
    num_open = {
        "nugget": len(unjudged),
        "vital nugget": len(vital.intersection(unjudged)),
        "sub-narrative": is_covered.count(None),
    }
    return bounds_of(stats, num_units, num_open)


def _sub_narratives(nuggets: Sequence[Nugget], grades: Sequence[Grade]) -> list[list[Grade]]:
    """The grades of the nuggets of each sub-narrative; nuggets of none are left out."""
    of_nugget = {each.nugget_id: each.extra.get(SUB_NARRATIVE) for each in nuggets}
    found: dict[str, list[Grade]] = {}
    for grade in grades:
        if name := of_nugget[grade.unit_id]:
            found.setdefault(str(name), []).append(grade)
    return list(found.values())


def _is_covered(verdicts: Sequence[Verdict | None]) -> bool | None:
    if Verdict.YES in verdicts:
        return True
    return None if None in verdicts else False


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


def sub_narrative_coverage(stats: Stats) -> float | None:
    """Sub-narratives of the topic about which the report makes at least one claim wholly.

    Numerator: sub-narratives with a supported nugget; one that is supported in part is not enough
    Denominator: sub-narratives to which nuggets are mapped (`mapped_sub_narrative`)
    Empty: undefined where no nugget of the topic is mapped to one
    Example: 4 sub-narratives, 3 with a supported nugget: 3 / 4 = 0.75
    Source: named after the sub-narrative coverage of the TREC 2025 RAG track

    >>> sub_narrative_coverage(Stats(sub_narratives=4, covered_sub_narratives=3))
    0.75
    """
    return ratio(stats.covered_sub_narratives, stats.sub_narratives)


MEASURES = (
    Measure(all_score, unit="nugget"),
    Measure(vital_score, unit="vital nugget"),
    Measure(strict_all_score, unit="nugget"),
    Measure(strict_vital_score, unit="vital nugget"),
    Measure(sub_narrative_coverage, unit="sub-narrative", is_default=False),
)
