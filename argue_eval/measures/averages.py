"""From a family's statistics to values: of every topic, and averaged over topics.

Only here an average is taken. Sums are exact (`math.fsum`, also in `fmean`), so the order of topics
changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from math import fsum
from operator import attrgetter
from statistics import fmean, median
from typing import Any, NamedTuple

from argue_eval.measures import COUNTS, Measure, select, split_names
from argue_eval.records import AVERAGES_BY_SUFFIX, Average, Bounds, MeasureValue

ALL = "all"


def ratio(numerator: float, denominator: float) -> float | None:
    """A quotient; None if the denominator is 0."""
    return numerator / denominator if denominator else None


def harmonic_mean(first: float | None, second: float | None) -> float | None:
    """The harmonic mean of two values; 0 if both are 0, None if one is undefined.

    >>> harmonic_mean(1.0, 1 / 3), harmonic_mean(0.0, 0.0), harmonic_mean(None, 0.5)
    (0.5, 0.0, None)
    """
    if first is None or second is None:
        return None
    return 2 * first * second / (first + second) if first + second else 0.0


def mean(values: Sequence[float]) -> float | None:
    """The mean; None if there are no values."""
    return fmean(values) if values else None


# --- topics -------------------------------------------------------------------------------------

_OF_SUMS = (Average.MICRO, Average.MICRO_AND_MACRO)


class Column(NamedTuple):
    """A measure's values for topics, in their order: what `MeasureValue` has, field by field.

    Attributes:
        uppers: the same list as `lowers` where no value is open.
    """

    measure: str
    topic_ids: Sequence[str]
    values: list[float | None]
    lowers: list[float]
    uppers: list[float]
    units: list[int]
    unjudged: list[int]
    undefined: list[bool]
    is_count: bool = False
    parts: Sequence[tuple[float, ...]] = ()

    @classmethod
    def of(cls, rows: Sequence[MeasureValue]) -> Column:
        """The column of at least one row."""
        names, *fields, are_counts, parts = [list(field) for field in zip(*rows, strict=True)]
        return cls._make((names[0], *fields, are_counts[0], parts))

    def at(self, places: Sequence[int]) -> Column:
        """The column of some topics."""
        found = [[each[place] for place in places] for each in self[1:8]]
        parts = [self.parts[place] for place in places] if self.parts else ()
        return Column._make((self.measure, *found, self.is_count, parts))

    def rows(self) -> Iterator[MeasureValue]:
        """Yields a row for each topic."""
        cells = zip(
            repeat(self.measure), *self[1:8], repeat(self.is_count), self.parts or repeat(())
        )
        # Made this way, a tuple takes a third of the time of a call of its class.
        return map(tuple.__new__, repeat(MeasureValue), cells)


def measure_topics(
    measures: Sequence[Measure], topic_ids: Sequence[str], bounds: Sequence[Bounds]
) -> list[Column]:
    """The values of a family's measures for every topic, with their bounds.

    An undefined value counts as 0 in the bounds, as it does in a mean. Where no unit is judged,
    there is no value, unless all ways to judge them lead to the same one. A value over judged units
    that no way to judge the others leads to is moved to the nearest bound.
    """
    stats = [each.judged for each in bounds]
    are_open = [place for place, each in enumerate(bounds) if each.worst is not each.best]
    units = {
        unit: [each.num_units.get(unit, 0) for each in bounds]
        for unit in {measure.unit for measure in measures}
    }
    columns = []
    for measure in measures:
        value, unit = measure.value, measure.unit
        values = [value(each) for each in stats]
        undefined = [each is None for each in values] if None in values else [False] * len(values)
        lowers = [0.0 if each is None else each for each in values]
        uppers = lowers.copy() if are_open else lowers
        unjudged = [0] * len(bounds)
        parts: list[tuple[float, ...]] = []
        if measure.average in _OF_SUMS and measure.parts:
            parts_of = attrgetter(*measure.parts)
            parts = list(map(parts_of, stats))
        for place in are_open:
            _, worst, best, _, num_unjudged = bounds[place]
            unjudged[place] = num_unjudged.get(unit, 0)
            points = (values[place], value(worst), value(best))
            values[place], lowers[place], uppers[place], undefined[place] = _bounded(
                points, units[unit][place], unjudged[place]
            )
            if parts and not parts[place] == parts_of(worst) == parts_of(best):
                parts[place] = ()
        cells = (values, lowers, uppers, units[unit], unjudged, undefined)
        columns.append(Column(measure.name, topic_ids, *cells, measure.is_count, parts))
    return columns


def measure_topic(measure: Measure, topic_id: str, bounds: Bounds) -> MeasureValue:
    """A measure's value for one topic; see `measure_topics`."""
    (column,) = measure_topics([measure], [topic_id], [bounds])
    return next(column.rows())


def _bounded(
    points: tuple[float | None, float | None, float | None], num_units: int, num_unjudged: int
) -> tuple[float | None, float, float, bool]:
    """A value, its bounds, and whether it is undefined."""
    judged, worst, best = points
    lower, upper = sorted((worst or 0.0, best or 0.0))
    is_undefined = judged is None and worst is None and best is None
    if lower != upper and num_units and num_units == num_unjudged:
        judged = None
    elif lower == upper and not is_undefined:
        judged = lower
    point = None if judged is None else _within(judged, lower, upper)
    return point, lower, upper, is_undefined


def _within(value: float, lower: float, upper: float) -> float:
    return min(max(value, lower), upper)


# --- averages -----------------------------------------------------------------------------------


def average_topics(
    measures: Sequence[Measure], columns: Sequence[Column], bounds: Sequence[Bounds]
) -> list[MeasureValue]:
    """The rows of topic ``all`` for measures of one family: one or two for each.

    Args:
        columns: for each measure its value for every topic that is averaged over.
        bounds: the statistics behind them, in the same order of topics.
    """
    if not bounds:
        return []
    rows = []
    total: Bounds | None = None
    for measure, column in zip(measures, columns, strict=True):
        for end, average in _PRINTED[measure.average].items():
            row = _row(column.measure + end, column, _FUNCTIONS.get(average, fmean))
            if average is Average.MICRO:
                total = total or _total(bounds)
                micro = measure_topic(measure, ALL, total)
                row = micro._replace(
                    measure=row.measure, num_units=row.num_units, num_unjudged=row.num_unjudged
                )
            rows.append(row._replace(is_count=measure.is_count))
    return rows


def printed(measure: Measure) -> dict[str, Average]:
    """The averages of a measure by the names under which they are printed."""
    return {measure.name + end: average for end, average in _PRINTED[measure.average].items()}


def asked_for(names: Sequence[str], protocol: str) -> list[str]:
    """The printed names of measures in the order in which they were asked for.

    Counts are among them only where they are named themselves, and not with their family.
    """
    found: dict[str, None] = {}
    for name in [name for each in names for name in split_names(each) if name not in COUNTS]:
        for family in select([name], protocol):
            for measure in family.measures:
                if not measure.is_count or name not in (family.name, "all"):
                    found |= dict.fromkeys(printed(measure))
    return list(found)


def mean_of_topics(name: str, topics: Sequence[MeasureValue]) -> float | None:
    """The mean over topics; None if there is none, or nothing is judged."""
    return _row(name, Column.of(topics), fmean).value if topics else None


def mean_of_units(topics: Sequence[MeasureValue]) -> float | None:
    """The mean over units: a topic counts as often as it has units that are judged.

    >>> row = MeasureValue("coverage", "t1", 0.5, 0.5, 0.5, num_units=1)
    >>> mean_of_units([row, row._replace(value=1.0, num_units=3)])
    0.875
    """
    judged = [(row.value, row.num_units - row.num_unjudged) for row in topics]
    weighed = [(value, weight) for value, weight in judged if value is not None]
    return ratio(
        fsum(value * weight for value, weight in weighed), sum(weight for _, weight in weighed)
    )


_FUNCTIONS: dict[Average, Callable[[Sequence[float]], float]] = {
    Average.SUM: fsum,
    Average.MEDIAN: median,
    Average.MAX: max,
}
_PRINTED: dict[Average, dict[str, Average]] = {
    Average.MEAN: {"": Average.MEAN},
    Average.SUM: {"": Average.SUM},
    **AVERAGES_BY_SUFFIX,
    **{one: {end: one} for parts in AVERAGES_BY_SUFFIX.values() for end, one in parts.items()},
}
"""The averages of a row each, by what they add to the measure's name."""


def _row(name: str, column: Column, average: Callable[[Sequence[float]], float]) -> MeasureValue:
    """Averages points and bounds alike.

    An undefined topic counts as 0. A topic of which nothing was judged is left out of the point,
    and where that leaves only topics without any unit, there is no point.
    """
    values, lowers, uppers, units = column.values, column.lowers, column.uppers, column.units
    point: float | None
    point = lower = upper = float(average(lowers))
    if not values == lowers == uppers:  # mostly they are, and one average is enough
        upper = float(average(uppers))
        points = [0.0 if no else each for each, no in zip(values, column.undefined, strict=True)]
        known = [each for each in points if each is not None]
        if None in points and all(
            each is None or not number for each, number in zip(values, units, strict=True)
        ):
            known = []
        point = _within(float(average(known)), lower, upper) if known else None
    return MeasureValue(
        measure=name,
        topic_id=ALL,
        value=point,
        lower=lower,
        upper=upper,
        num_units=sum(units),
        num_unjudged=sum(column.unjudged),
    )


def _total(bounds: Sequence[Bounds]) -> Bounds:
    """The sums of statistics over topics."""
    judged = _sum([each.judged for each in bounds])
    if all(each.worst is each.best for each in bounds):
        return Bounds(judged=judged, worst=judged, best=judged)
    worst = _sum([each.worst for each in bounds])
    return Bounds(judged=judged, worst=worst, best=_sum([each.best for each in bounds]))


def _sum(stats: Sequence[Any]) -> Any:
    """The field-by-field sum of a family's statistics (named tuples of numbers)."""
    return type(stats[0])(*(fsum(column) for column in zip(*stats, strict=True)))
