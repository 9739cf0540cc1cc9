"""Measures of a run, topic by topic or sentence by sentence, of which people assessed some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from argue_eval.analysis.assessment.reading import People
from argue_eval.analysis.bootstrap import Floats
from argue_eval.analysis.prediction_powered import Assessed, Judged, Value, correct
from argue_eval.analysis.results import CorrectedScore, Figure
from argue_eval.errors import count
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.measures import Family, Measure, select
from argue_eval.measures.averages import measure_topics, printed
from argue_eval.measures.protocols import Compared
from argue_eval.records import Average, Bounds

if TYPE_CHECKING:
    from argue_eval.analysis.systems import Scored


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
        (column,) = measure_topics([measure], [""] * len(bounds), bounds)
        rows = list(column.rows())
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
        if average is not Average.MICRO:
            return lambda means: float(means[0])
        return lambda means: self.measure.value(self.make(*map(float, means)))


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
    total = known.sum(0)
    return lambda means: value((means * num_units + total) / (num_units + len(known)))


# --- topics ---------------------------------------------------------------------------------------


def means_of(
    scores: Scored, people: People, families: Sequence[Family]
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
                    row = units.corrected(machine, assessed, average, people.level)
                    rows.append(row._replace(run_id=scores.run_id, measure=name))
    return rows, tuple(incomplete)


# --- sentences ------------------------------------------------------------------------------------


def ratios_of(scores: Scored, people: People, families: Sequence[Family]) -> list[CorrectedScore]:
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
                row = units.corrected(*columns, Average.MICRO, people.level)
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
