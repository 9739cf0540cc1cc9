"""The only place where an average is taken.

Topic values come in with their statistics; what goes out are the rows of topic ``all``. Sums are
exact (`math.fsum`), so the order of topics changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any, Literal

from argue_eval.records import Average, Bounds, MeasureValue

ALL = "all"

Value = Callable[[Any], "float | None"]
"""A measure's function from a family's statistics to a value; None if undefined."""


Case = Literal["judged", "worst", "best"]
"""Which way missing judgments come out: they are left out, or as badly or as well as they can."""


def bounds_of(
    stats: Callable[[Case], Any], num_units: Mapping[str, int], num_unjudged: Mapping[str, int]
) -> Bounds:
    """A family's statistics in all three cases; once, where nothing is unjudged."""
    judged = stats("judged")
    if not any(num_unjudged.values()):
        return Bounds(judged=judged, worst=judged, best=judged, num_units=num_units)
    return Bounds(
        judged=judged,
        worst=stats("worst"),
        best=stats("best"),
        num_units=num_units,
        num_unjudged=num_unjudged,
    )


def ratio(numerator: float, denominator: float) -> float | None:
    """Returns a quotient; None if the denominator is 0."""
    return numerator / denominator if denominator else None


def harmonic_mean(first: float | None, second: float | None) -> float | None:
    """Returns the harmonic mean of two values; 0 if one is 0, None if one is undefined.

    >>> harmonic_mean(1.0, 1 / 3), harmonic_mean(0.0, 0.0), harmonic_mean(None, 0.5)
    (0.5, 0.0, None)
    """
    if first is None or second is None:
        return None
    return 2 * first * second / (first + second) if first + second else 0.0


def sum_stats(stats: Sequence[Any]) -> Any:
    """Returns the field-by-field sum of a family's statistics (named tuples of numbers)."""
    return type(stats[0])(*(fsum(column) for column in zip(*stats, strict=True)))


def measure_topic(
    name: str, topic_id: str, value: Value, bounds: Bounds, unit: str, *, is_count: bool = False
) -> MeasureValue:
    """Returns a measure's value for one topic, with its bounds.

    An undefined value counts as 0 in the bounds, as it does in a mean. Where no unit is judged,
    there is no value, unless all ways to judge them lead to the same one. A value over judged units
    that no way to judge the others leads to is moved to the nearest bound.
    """
    judged = value(bounds.judged)
    units = bounds.num_units.get(unit, 0)
    if bounds.worst is bounds.best:
        low = 0.0 if judged is None else judged
        row = (name, topic_id, judged, low, low, units, 0, judged is None, is_count)
        return tuple.__new__(MeasureValue, row)  # without a call in Python: there are millions
    worst, best = value(bounds.worst), value(bounds.best)
    lower, upper = sorted((worst or 0.0, best or 0.0))
    unjudged = bounds.num_unjudged.get(unit, 0)
    is_undefined = judged is None and worst is None and best is None
    if lower != upper and units and units == unjudged:
        judged = None
    elif lower == upper and not is_undefined:
        judged = lower
    point = None if judged is None else _within(judged, lower, upper)
    row = (name, topic_id, point, lower, upper, units, unjudged, is_undefined, is_count)
    return MeasureValue._make(row)


def _within(value: float, lower: float, upper: float) -> float:
    return min(max(value, lower), upper)


def over_topics(
    name: str,
    average: Average,
    value: Value,
    topics: Sequence[MeasureValue],
    bounds: Sequence[Bounds],
) -> list[MeasureValue]:
    """Returns the rows of topic ``all`` for one measure.

    Args:
        topics: the measure's value for every topic that is averaged over.
        bounds: the statistics behind them, in the same order.
    """
    if not topics:
        return []
    if average is Average.MEAN:
        return [_row(name, topics, _mean_of)]
    if average is Average.SUM:
        return [_row(name, topics, fsum)]
    rows = []
    if average in (Average.MICRO, Average.MICRO_AND_MACRO):
        rows.append(_micro(f"{name}_micro", value, topics, bounds))
    for suffix, (simple, double), of in (
        ("_macro", (Average.MACRO, Average.MICRO_AND_MACRO), _mean_of),
        ("_median", (Average.MEDIAN, Average.MEDIAN_AND_MAX), _median),
        ("_max", (Average.MAX, Average.MEDIAN_AND_MAX), max),
    ):
        if average in (simple, double):
            rows.append(_row(f"{name}{suffix}", topics, of))
    return rows


def mean(values: Sequence[float]) -> float | None:
    """Returns the mean; None if there is nothing."""
    return _mean_of(values) if values else None


def over_units(topics: Sequence[MeasureValue]) -> float | None:
    """Returns the mean over units: a topic counts as often as it has units that are judged.

    >>> row = MeasureValue("coverage", "t1", 0.5, 0.5, 0.5, num_units=1)
    >>> over_units([row, row._replace(value=1.0, num_units=3)])
    0.875
    """
    judged = [(row.value, row.num_units - row.num_unjudged) for row in topics]
    weighed = [(value, weight) for value, weight in judged if value is not None]
    return ratio(
        fsum(value * weight for value, weight in weighed), sum(weight for _, weight in weighed)
    )


def _mean_of(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _row(
    name: str, topics: Sequence[MeasureValue], average: Callable[[Sequence[float]], float]
) -> MeasureValue:
    """Averages points and bounds alike.

    An undefined topic counts as 0. A topic of which nothing was judged is left out of the point,
    and where that leaves only topics without any unit, there is no point.
    """
    points = [0.0 if topic.is_undefined else topic.value for topic in topics]
    known = [point for point in points if point is not None]
    if None in points and all(topic.value is None or not topic.num_units for topic in topics):
        known = []
    lower = float(average([topic.lower for topic in topics]))
    upper = float(average([topic.upper for topic in topics]))
    return MeasureValue(
        name,
        ALL,
        _within(float(average(known)), lower, upper) if known else None,
        lower,
        upper,
        sum(topic.num_units for topic in topics),
        sum(topic.num_unjudged for topic in topics),
    )


def _micro(
    name: str, value: Value, topics: Sequence[MeasureValue], bounds: Sequence[Bounds]
) -> MeasureValue:
    total = Bounds(
        sum_stats([each.judged for each in bounds]),
        sum_stats([each.worst for each in bounds]),
        sum_stats([each.best for each in bounds]),
    )
    row = measure_topic(name, ALL, value, total, "")
    return row._replace(
        num_units=sum(topic.num_units for topic in topics),
        num_unjudged=sum(topic.num_unjudged for topic in topics),
    )
