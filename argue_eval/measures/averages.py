"""From a family's statistics to values: of every topic, and averaged over topics.

Only here an average is taken. Sums are exact (`math.fsum`), so the order of topics changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum
from operator import attrgetter
from typing import Any

from argue_eval.measures import Measure
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
    return _mean(values) if values else None


# --- topics -------------------------------------------------------------------------------------

_OF_SUMS = (Average.MICRO, Average.MICRO_AND_MACRO)


def measure_topics(
    measure: Measure, topic_ids: Sequence[str], bounds: Sequence[Bounds]
) -> list[MeasureValue]:
    """A measure's value for every topic, with its bounds.

    An undefined value counts as 0 in the bounds, as it does in a mean. Where no unit is judged,
    there is no value, unless all ways to judge them lead to the same one. A value over judged units
    that no way to judge the others leads to is moved to the nearest bound.
    """
    name, value, unit, is_count = measure.name, measure.value, measure.unit, measure.is_count
    parts_of = attrgetter(*measure.parts) if measure.average in _OF_SUMS and measure.parts else None
    rows = []
    # A tuple made this way takes a third of the time of a call of its class: there are millions.
    new = tuple.__new__
    for topic_id, (judged, worst, best, num_units, num_unjudged) in zip(
        topic_ids, bounds, strict=True
    ):
        units = num_units.get(unit, 0)
        if worst is best:
            point = value(judged)
            low = 0.0 if point is None else point
            parts = parts_of(judged) if parts_of else ()
            row = (name, topic_id, point, low, low, units, 0, point is None, is_count, parts)
        else:
            points = value(judged), value(worst), value(best)
            bounded = _bounded(points, units, num_unjudged.get(unit, 0))
            parts = parts_of(judged) if parts_of else ()
            if parts_of and not parts == parts_of(worst) == parts_of(best):
                parts = ()
            row = (name, topic_id, *bounded, is_count, parts)
        rows.append(new(MeasureValue, row))
    return rows


def measure_topic(measure: Measure, topic_id: str, bounds: Bounds) -> MeasureValue:
    """A measure's value for one topic; see `measure_topics`."""
    return measure_topics(measure, [topic_id], [bounds])[0]


def _bounded(
    points: tuple[float | None, float | None, float | None], num_units: int, num_unjudged: int
) -> tuple[float | None, float, float, int, int, bool]:
    """The fields of a row from `value` to `is_undefined`."""
    judged, worst, best = points
    lower, upper = sorted((worst or 0.0, best or 0.0))
    is_undefined = judged is None and worst is None and best is None
    if lower != upper and num_units and num_units == num_unjudged:
        judged = None
    elif lower == upper and not is_undefined:
        judged = lower
    point = None if judged is None else _within(judged, lower, upper)
    return point, lower, upper, num_units, num_unjudged, is_undefined


def _within(value: float, lower: float, upper: float) -> float:
    return min(max(value, lower), upper)


# --- averages -----------------------------------------------------------------------------------


def average_topics(
    measures: Sequence[Measure],
    columns: Sequence[Sequence[MeasureValue]],
    bounds: Sequence[Bounds],
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
    for measure, topics in zip(measures, columns, strict=True):
        for name, average in printed(measure).items():
            row = _row(name, topics, _FUNCTIONS.get(average, _mean))
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


def mean_of_topics(name: str, topics: Sequence[MeasureValue]) -> float | None:
    """The mean over topics; None if there is none, or nothing is judged."""
    return _row(name, topics, _mean).value if topics else None


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


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


_FUNCTIONS: dict[Average, Callable[[Sequence[float]], float]] = {
    Average.SUM: fsum,
    Average.MEDIAN: _median,
    Average.MAX: max,
}
_PRINTED: dict[Average, dict[str, Average]] = {
    Average.MEAN: {"": Average.MEAN},
    Average.SUM: {"": Average.SUM},
    **AVERAGES_BY_SUFFIX,
    **{one: {end: one} for parts in AVERAGES_BY_SUFFIX.values() for end, one in parts.items()},
}
"""The averages of a row each, by what they add to the measure's name."""


def _row(
    name: str, topics: Sequence[MeasureValue], average: Callable[[Sequence[float]], float]
) -> MeasureValue:
    """Averages points and bounds alike.

    An undefined topic counts as 0. A topic of which nothing was judged is left out of the point,
    and where that leaves only topics without any unit, there is no point.
    """
    _, _, values, lowers, uppers, units, unjudged, undefined, *_ = zip(*topics, strict=True)
    point: float | None
    point = lower = upper = float(average(lowers))
    if not values == lowers == uppers:  # mostly they are, and one average is enough
        upper = float(average(uppers))
        points = [0.0 if none else value for value, none in zip(values, undefined, strict=True)]
        known = [value for value in points if value is not None]
        if None in points and all(topic.value is None or not topic.num_units for topic in topics):
            known = []
        point = _within(float(average(known)), lower, upper) if known else None
    return MeasureValue(
        measure=name,
        topic_id=ALL,
        value=point,
        lower=lower,
        upper=upper,
        num_units=sum(units),
        num_unjudged=sum(unjudged),
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
