"""Measures of a run, topic by topic or sentence by sentence, of which people assessed some."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from math import isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from argue_eval.analysis.bootstrap import Floats
from argue_eval.analysis.prediction_powered import Assessed, Judged, Value, correct
from argue_eval.analysis.results import CorrectedScore, Figure
from argue_eval.errors import count
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.measures import Family, Measure, select
from argue_eval.measures.averages import measure_topics
from argue_eval.records import Average, Bounds

if TYPE_CHECKING:
    from argue_eval.analysis.scored import Scored


def families_of(scores: Scored) -> list[Family]:
    """The families of a run's measures that rest on judgments and are no counts."""
    names = (row.measure for row in scores.table.averages() if not row.is_count)
    blank = [each for each in scores.judged_by(JudgmentIndex()) if each.report is not None]
    found = []
    for family in _families(tuple(name for name in names if "[" not in name)):
        bounds = list(map(family.module.tally, blank))
        measures = [
            each
            for each in family.measures
            if bounds and Column.of(each, bounds).has_open_stats.any()
        ]
        found.append(family._replace(measures=tuple(measures)))
    return found


@cache
def _families(names: tuple[str, ...]) -> list[Family]:
    found = [] if not names else select(names)
    return [
        family._replace(
            measures=tuple(each for each in family.measures if each.is_judged and not each.is_count)
        )
        for family in found
        if family.module.PROTOCOL is not None
    ]


class Column(NamedTuple):
    """A measure of some units.

    Attributes:
        values: of each unit; 0 where it is undefined, as in the mean, and the middle of the bounds
            where missing judgments leave it open.
        stats: what the value is computed of, (units, statistics); of an open one, between those of
            the worst and the best case.
        is_open: where the values are open; `has_open_stats` where a statistic is that they use.
    """

    measure: Measure
    make: Any
    values: Floats
    stats: Floats
    is_open: Floats
    has_open_stats: Floats

    @classmethod
    def of(cls, measure: Measure, bounds: Sequence[Bounds]) -> Column:
        """The column of at least one unit."""
        rows = list(measure_topics(measure, [""] * len(bounds), bounds).rows())
        make = type(bounds[0].best)
        worst, best = np.array([(each.worst, each.best) for each in bounds], dtype=float).swapaxes(
            0, 1
        )
        return cls(
            measure,
            make,
            np.array([(row.lower + row.upper) / 2 for row in rows]),
            (worst + best) / 2,
            np.array([row.is_bounded for row in rows], dtype=bool),
            (worst != best)[:, used_by(measure, make)].any(1),
        )

    def open_in(self, average: Average) -> Floats:
        """Where missing judgments leave a unit's part in the average open."""
        return self.has_open_stats if average is Average.MICRO else self.is_open

    def table(self, average: Average) -> Floats:
        """The statistics whose means make the average, (units, statistics)."""
        return self.stats if average is Average.MICRO else self.values[:, None]

    def value(self, average: Average) -> Value:
        """From the mean statistics of units to the average."""
        return partial(_ratio, self) if average is Average.MICRO else _only


def used_by(measure: Measure, make: Any) -> list[int]:
    """The places of the statistics that a measure is computed of.

    Args:
        make: makes a family's statistics of their values.
    """
    num = len(make._fields)
    found = []
    for place in range(num):
        value = measure.value(make(*(nan if each == place else 1.0 for each in range(num))))
        if value is not None and isnan(value):
            found.append(place)
    return found


def _only(means: Floats) -> float:
    return float(means[0])


def _ratio(column: Column, means: Floats) -> float | None:
    return column.measure.value(column.make(*map(float, means)))


class Units(NamedTuple):
    """Topics or sentences of a run, as the machine and as people judge them.

    Attributes:
        name: ``topic`` or ``sentence``.
        is_asked: about which units people could be asked; the others are certain for them, or else
            nothing is corrected.
        is_assessed: of which people said something.
        weights: 1 / the probability with which each was drawn; NaN if its questions were drawn with
            different ones.
        topics: the number of each unit's topic.
    """

    name: str
    is_asked: Floats
    is_assessed: Floats
    weights: Floats
    topics: Floats

    def corrected(
        self, machine: Column, people: Column, average: Average, level: float
    ) -> CorrectedScore:
        """A measure of the run, still without its name.

        Args:
            people: of all units; what it has of those that people could be asked about, and that
                they did not assess, does not matter.
        """
        own, theirs, value = machine.table(average), people.table(average), machine.value(average)
        score = CorrectedScore(
            run_id="",
            measure="",
            unit=self.name,
            machine=None if machine.open_in(average).any() else value(own.mean(0)),
            people=_none(f"no {self.name} is assessed"),
            ppi=_none(f"no {self.name} is assessed"),
            weight=0.0,
            num_units=int(self.is_asked.sum()),
            num_topics=0,
        )
        is_uncertain = people.open_in(average) & ~self.is_asked
        if is_uncertain.any():
            number = count(int(is_uncertain.sum()), self.name)
            none = _none(f"{number} with questions of kinds that people were not asked")
            return score._replace(people=none, ppi=none)
        num = int(self.is_assessed.sum())
        num_open = int(
            (self.is_assessed & (people.open_in(average) | np.isnan(self.weights))).sum()
        )
        if num_open:
            # To take the complete ones alone would favour what needs few answers.
            none = _none(f"{num_open:,} of {num:,} assessed {self.name}s are incomplete")
            return score._replace(people=none, ppi=none)
        if not num:
            return score
        is_topic = self.name == "topic"
        is_judged = self.is_asked & ~self.is_assessed if is_topic else self.is_asked
        found = correct(
            Assessed(
                theirs[self.is_assessed],
                own[self.is_assessed],
                self.topics[self.is_assessed],
                self.weights[self.is_assessed],
            ),
            Judged(own[is_judged], self.topics[is_judged], is_rest=is_topic),
            _with_known(value, theirs[~self.is_asked], score.num_units),
            level,
        )
        return score._replace(
            people=found.people, ppi=found.value, weight=found.weight, num_topics=found.num_topics
        )


def _none(reason: str) -> Figure:
    return Figure("ppi", None, reason=reason)


def _with_known(value: Value, known: Floats, num_units: int) -> Value:
    """The average over units of which some are known, from the means of the others."""
    if not len(known):
        return value
    return partial(_joined, value, known.sum(0), num_units, len(known))


def _joined(
    value: Value, known: Floats, num_units: int, num_known: int, means: Floats
) -> float | None:
    return value((means * num_units + known) / (num_units + num_known))
