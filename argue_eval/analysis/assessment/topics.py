"""Means over topics, some of which people assessed completely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from argue_eval.analysis.assessment.reading import People
from argue_eval.analysis.assessment.units import Column, Units
from argue_eval.analysis.results import CorrectedScore
from argue_eval.measures import Family
from argue_eval.measures.averages import printed
from argue_eval.records import Average

if TYPE_CHECKING:
    from argue_eval.analysis.scored import Scored


def means_of(
    scores: Scored, people: People, families: Sequence[Family], level: float
) -> tuple[list[CorrectedScore], tuple[str, ...]]:
    """Corrects every measure of a run that is a mean over topics, or a ratio of sums over them.

    A topic without a report needs no assessment: it counts as it does in the score.

    Returns:
        The corrected measures, and the topics with assessments that people did not complete.
    """
    evidence = scores.evidence
    theirs = scores.judged_by(people.judgments)
    is_asked = np.array([each.report is not None for each in evidence], dtype=bool)
    is_assessed = is_asked & np.array([each.topic_id in people.chances for each in evidence])
    weights = np.array([1 / people.chances.get(each.topic_id, 1.0) for each in evidence])
    units = Units("topic", is_asked, is_assessed, weights, np.arange(len(evidence)))
    rows: list[CorrectedScore] = []
    incomplete: dict[str, None] = {}
    for family in families:
        own = [family.module.tally(each) for each in evidence]
        by_people = [
            family.module.tally(theirs[place]) if is_assessed[place] else bounds
            for place, bounds in enumerate(own)
        ]
        for measure in family.measures:
            machine, assessed = Column.of(measure, own), Column.of(measure, by_people)
            is_open = (assessed.is_open | assessed.has_open_stats) & is_assessed
            incomplete |= {evidence[at].topic_id: None for at in np.flatnonzero(is_open).tolist()}
            for name, average in printed(measure).items():
                if average in (Average.MEAN, Average.MACRO, Average.MICRO):
                    row = units.corrected(machine, assessed, average, level)
                    rows.append(row._replace(run_id=scores.run_id, measure=name))
    return rows, tuple(incomplete)
