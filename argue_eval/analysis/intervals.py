"""Confidence intervals of means over topics.

A topic is resampled with everything that belongs to it: units of one topic depend on each other,
and an interval that takes them for independent is too narrow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy import special

from argue_eval.analysis.bootstrap import MAX_CELLS, Draws, Floats, ratio
from argue_eval.analysis.significance import LEVEL, mean_and_error

NUM_RESAMPLES = 10_000

Bounds = tuple[Floats, Floats]
"""Lower and upper end for each system; NaN where fewer than two topics have a value."""


def bca(scores: Floats, drawn: Draws, level: float = LEVEL) -> Bounds:
    """Bias-corrected and accelerated bootstrap.

    The tails are widened as Student's t is wider than the normal distribution, since the bootstrap
    alone is too narrow for few topics.

    Args:
        scores: (topics, systems); NaN where a system has no value.

    Source: Efron: Better bootstrap confidence intervals (JASA 1987); Hesterberg: What
        teachers should know about the bootstrap (The American Statistician 2015).
    """
    mean, _, num = mean_and_error(scores)
    resamples = np.sort(_weighted(scores, drawn)[1:], axis=0)  # NaN last
    num_defined = (~np.isnan(resamples)).sum(0)
    below = (resamples < mean).sum(0) + (resamples == mean).sum(0) / 2
    share = below / np.maximum(num_defined, 1)
    edge = 1 / (num_defined + 2)
    shift = special.ndtri(np.clip(share, edge, 1 - edge))
    apart = np.nan_to_num(scores - mean)
    skew = ratio((apart**3).sum(0), 6 * (apart**2).sum(0) ** 1.5)
    bend = np.nan_to_num(skew)
    tail = np.sqrt(num / np.maximum(num - 1, 1)) * special.stdtrit(
        np.maximum(num - 1, 1), 1 - level / 2
    )
    ends = []
    for reach in (-tail, tail):
        point = shift + reach
        at = special.ndtr(shift + point / np.maximum(1 - bend * point, 1e-9))
        ends.append(_quantile(resamples, at, num_defined))
    return _where_defined(num, ends[0], ends[1])


def studentized(scores: Floats, drawn: Draws, level: float = LEVEL) -> Bounds:
    """Bootstrap-t: each resample's deviation is measured in its own standard error.

    Source: Efron, Tibshirani: An introduction to the bootstrap (1993), chapter 12.
    """
    mean, error, num = mean_and_error(scores)
    values = _weighted(scores - mean, drawn)[1:]
    squares = _weighted((scores - mean) ** 2, drawn)[1:]
    errors = np.sqrt(np.maximum(squares - values**2, 0.0) / np.maximum(num - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        deviations = np.where(values == 0, 0.0, values / errors)
    deviations = np.sort(deviations, axis=0)
    num_defined = (~np.isnan(deviations)).sum(0)
    high, low = (_quantile(deviations, at, num_defined) for at in (1 - level / 2, level / 2))
    return _where_defined(num, mean - high * error, mean - low * error)


def normal(scores: Floats, level: float = LEVEL) -> Bounds:
    """Student's interval, which takes means as normally distributed."""
    mean, error, num = mean_and_error(scores)
    reach = special.stdtrit(np.maximum(num - 1, 1), 1 - level / 2) * error
    return _where_defined(num, mean - reach, mean + reach)


METHODS: Mapping[str, Callable[[Floats, Draws, float], Bounds]] = {
    "bca": bca,
    "studentized": studentized,
    "normal": lambda scores, _, level: normal(scores, level),
}


def of_means(
    scores: Floats,
    method: str,
    drawn: Draws,
    *,
    level: float = LEVEL,
    population: int | None = None,
) -> Bounds:
    """Intervals of each system's mean, as many systems at once as fit in memory.

    Args:
        population: how many topics there are in all. The interval gets narrower as the sample
            covers more of them, and has no width where it covers all.
    """
    step = max(1, MAX_CELLS // drawn.num)
    parts = [
        METHODS[method](scores[:, start : start + step], drawn, level)
        for start in range(0, scores.shape[1], step)
    ]
    lower, upper = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    if population is not None:
        mean, _, num = mean_and_error(scores)
        factor = np.sqrt(np.maximum(1 - num / population, 0.0))
        lower, upper = mean - factor * (mean - lower), mean + factor * (upper - mean)
    return lower, upper


def _weighted(values: Floats, drawn: Draws) -> Floats:
    """The mean of each column for every weighting of the topics; NaN where it has no value."""
    is_there = ~np.isnan(values)
    sums = drawn.sums(np.nan_to_num(values))
    if is_there.all():
        return sums / len(values)
    return ratio(sums, drawn.sums(is_there.astype(float)))


def _quantile(ordered: Floats, at: Floats, num: Floats) -> Floats:
    """Each column's quantile at a place of its own, of its first `num` values, interpolated."""
    place = at * np.maximum(num - 1, 0)
    low = np.floor(place).astype(int)
    high = np.minimum(low + 1, np.maximum(num - 1, 0))
    columns = np.arange(ordered.shape[1])
    left, right = ordered[low, columns], ordered[high, columns]
    with np.errstate(invalid="ignore"):
        return np.where(left == right, left, left + (place - low) * (right - left))


def _where_defined(num: Floats, lower: Floats, upper: Floats) -> Bounds:
    return np.where(num < 2, np.nan, lower), np.where(num < 2, np.nan, upper)
