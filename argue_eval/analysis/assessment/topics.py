"""Means over topics, some of which people assessed completely."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from argue_eval.analysis import prediction_powered
from argue_eval.analysis.assessment.reading import People, ScoredRun
from argue_eval.analysis.bootstrap import Floats
from argue_eval.analysis.prediction_powered import Assessed, Judged
from argue_eval.analysis.results import CorrectedScore, Figure
from argue_eval.measures import Family, Measure, select
from argue_eval.measures.averages import measure_topics, printed
from argue_eval.records import Average, Bounds, TopicEvidence


def means_of(
    scores: ScoredRun, people: People, level: float
) -> tuple[list[CorrectedScore], tuple[str, ...]]:
    """Corrects every measure of a run that is a mean over topics, or a ratio of sums over them.

    Returns:
        The corrected measures, and the topics with assessments that people did not complete.
    """
    evidence = scores.evidence
    theirs = scores.judged_by(people.judgments)
    chosen = [place for place, each in enumerate(evidence) if each.topic_id in people.topics]
    names = (row.measure for row in scores.table.averages() if not row.is_count)
    rows: list[CorrectedScore] = []
    incomplete: dict[str, None] = {}
    for family in _families(tuple(name for name in names if "[" not in name)):
        tally = family.module.tally
        machine = [tally(each) for each in evidence]
        by_people = [tally(theirs[place]) for place in chosen]
        for measure in family.measures:
            own = _Column.of(measure, evidence, machine)
            assessed = _Column.of(measure, [evidence[place] for place in chosen], by_people)
            is_open = zip(chosen, assessed.is_open, strict=True)
            incomplete |= {evidence[place].topic_id: None for place, each in is_open if each}
            for name, average in printed(measure).items():
                if average in (Average.MEAN, Average.MACRO, Average.MICRO):
                    row = _corrected(own, assessed, chosen, average, level)
                    rows.append(row._replace(run_id=scores.run_id, measure=name))
    return rows, tuple(incomplete)


@cache
def _families(names: tuple[str, ...]) -> list[Family]:
    """The families of measures that depend on judgments."""
    found = [] if not names else select(names)
    return [
        family._replace(
            measures=tuple(each for each in family.measures if each.is_judged and not each.is_count)
        )
        for family in found
        if family.module.PROTOCOL is not None
    ]


class _Column(NamedTuple):
    """A measure over topics.

    Attributes:
        values: of each topic; 0 where it is undefined, as in the mean, and the middle of the bounds
            where missing judgments leave it open.
        is_open: where they do.
        stats: what the value is computed of, in the worst and the best case.
    """

    measure: Measure
    values: Floats
    is_open: Floats
    stats: list[tuple[Any, Any]]

    @classmethod
    def of(
        cls, measure: Measure, evidence: Sequence[TopicEvidence], bounds: Sequence[Bounds]
    ) -> _Column:
        """The column of some topics."""
        rows = measure_topics(measure, [each.topic_id for each in evidence], bounds)
        return cls(
            measure,
            np.array([(row.lower + row.upper) / 2 for row in rows]),
            np.array([row.is_bounded for row in rows], dtype=bool),
            [(each.worst, each.best) for each in bounds],
        )

    def table(self, average: Average) -> Floats:
        """The statistics of each topic, (topics, statistics)."""
        if average is Average.MICRO:
            return np.array(self.stats, dtype=float).mean(1)
        return self.values[:, None]

    def value(self, average: Average) -> prediction_powered.Value | None:
        """The function of the mean statistics; None for the mean itself."""
        if average is not Average.MICRO:
            return None
        return partial(_ratio, self.measure, type(self.stats[0][0]))


def _ratio(measure: Measure, stats: Any, means: Floats) -> float | None:
    return measure.value(stats(*map(float, means)))


def _corrected(
    own: _Column, assessed: _Column, chosen: Sequence[int], average: Average, level: float
) -> CorrectedScore:
    """A measure of one run, whose topics are the units."""
    places = np.array(chosen, dtype=int)
    value, table = own.value(average), own.table(average)
    machine = None
    if not own.is_open.any():
        machine = float(table.mean()) if value is None else value(table.mean(0))
    row = CorrectedScore("", "", "topic", machine, _NONE, _NONE, 0.0, len(table), len(places))
    num_open = int(assessed.is_open.sum())
    if num_open or not chosen:
        # To take the complete ones alone would favour short reports, and those that are missing.
        reason = f"{num_open:,} of {len(places):,} assessed topics are incomplete"
        none = _NONE._replace(reason=reason if chosen else _NONE.reason)
        return row._replace(people=none, ppi=none, num_topics=0)
    is_rest = np.ones(len(table), dtype=bool)
    is_rest[places] = False
    found = prediction_powered.correct(
        Assessed(assessed.table(average), table[places], places, np.ones(len(places))),
        Judged(table[is_rest], np.flatnonzero(is_rest), is_rest=True),
        value,
        level,
    )
    return row._replace(people=found.people, ppi=found.value, weight=found.weight)


_NONE = Figure("ppi", None, reason="no topic is assessed")
