"""Ratios of sums over sentences, some of which people assessed with all their questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from argue_eval.analysis.assessment.reading import People
from argue_eval.analysis.assessment.units import Column, Units, used_by
from argue_eval.analysis.results import CorrectedScore
from argue_eval.measures import Family
from argue_eval.measures.protocols import Compared
from argue_eval.records import Average, Bounds

if TYPE_CHECKING:
    from argue_eval.analysis.scored import Scored


def ratios_of(
    scores: Scored, people: People, families: Sequence[Family], level: float
) -> list[CorrectedScore]:
    """Corrects every measure of a run that is a ratio of sums over its sentences.

    It has the name of the measure and ``_micro``: the ratio of sums over topics is the same.
    """
    found = list(scores.compared(people.judgments))
    numbers = {each.topic_id: place for place, each in enumerate(scores.evidence)}
    rows = []
    for family in families:
        mine = [each for each in found if each.protocol == family.module.PROTOCOL]
        if not mine:
            continue
        units = _units(mine, numbers, people)
        is_other = units.is_assessed | ~units.is_asked
        own = [family.module.tally(each.own) for each in mine]
        theirs = [
            family.module.tally(each.other) if is_other[place] else own[place]
            for place, each in enumerate(mine)
        ]
        whole = [family.module.tally(each) for each in scores.evidence if each.report is not None]
        sums = _sums(family, own, whole)
        for measure in family.measures:
            if sums.issuperset(used_by(measure, type(own[0].best))):
                columns = Column.of(measure, own), Column.of(measure, theirs)
                row = units.corrected(*columns, Average.MICRO, level)
                name = f"{measure.name}_micro"
                rows.append(row._replace(run_id=scores.run_id, measure=name))
    return rows


def _units(found: Sequence[Compared], numbers: Mapping[str, int], people: People) -> Units:
    chances = [{judged.prob or 0.0 for judged in each.said} for each in found]
    # Where some sentences were drawn by chance, the others were chosen.
    is_assessed = [bool(each) and (0.0 not in each or not people.is_drawn) for each in chances]
    return Units(
        "sentence",
        np.array([not people.kinds.isdisjoint(each.kinds) for each in found], dtype=bool),
        np.array(is_assessed, dtype=bool),
        np.array([1 / (max(each) or 1.0) if len(each) == 1 else nan for each in chances]),
        np.array([numbers[each.own.topic_id] for each in found]),
    )


def _sums(family: Family, units: Sequence[Bounds], whole: Sequence[Bounds]) -> set[int]:
    """The places of the statistics that are sums over units, in the worst and in the best case."""
    of_units, of_all = (
        np.array([(each.worst, each.best) for each in bounds], dtype=float).sum(0)
        for bounds in (units, whole)
    )
    return set(np.flatnonzero(np.isclose(of_units, of_all).all(0)))
