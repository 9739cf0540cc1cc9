"""Confidence intervals over topics, of means and of ratios of sums.

A topic is resampled with everything that belongs to it: units of one topic depend on each other,
and an interval that takes them for independent is too narrow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import special

from argue_eval.analysis.bootstrap import MAX_CELLS, Draws, Floats, ratio
from argue_eval.analysis.significance import LEVEL, mean_and_error

NUM_RESAMPLES = 10_000

_NEARLY = 1e-12
"""Sums in another order differ in the last bits; such figures are equal."""

Bounds = tuple[Floats, Floats]
"""Lower and upper end for each system; NaN where fewer than two topics have a value."""


class Estimate(NamedTuple):
    """A figure of each system over topics, with all that its intervals need.

    Attributes:
        value: (systems,).
        shares: how far each topic moves it; their mean is 0: (topics, systems), NaN where a system
            has no value. For a mean, they are the deviations from it.
        moved: what every weighting of the topics adds to it: (weightings, systems).
        errors: its standard error under each of them.
    """

    value: Floats
    shares: Floats
    moved: Callable[[Draws], Floats]
    errors: Callable[[Draws], Floats]


def means(scores: Floats) -> Estimate:
    """The mean over topics.

    Args:
        scores: (topics, systems); NaN where a system has no value.
    """
    mean, _, num = mean_and_error(scores)
    apart = scores - mean

    def errors(drawn: Draws) -> Floats:
        spread = _weighted(apart**2, drawn) - _weighted(apart, drawn) ** 2
        return np.sqrt(np.maximum(spread, 0.0) / np.maximum(num - 1, 1))

    return Estimate(mean, apart, partial(_weighted, apart), errors)


def ratios(parts: Floats) -> Estimate:
    """The ratio of sums over topics, or the harmonic mean of two such ratios; 0 if undefined.

    Errors and shares are linearised: the effect of a topic that counts a little more or less.

    Args:
        parts: (topics, systems, 2 or 4): numerator and denominator of each ratio; NaN where a
            system has none.

    Source: Cochran: Sampling techniques (1977), section 6; Efron, Tibshirani: An introduction to
        the bootstrap (1993), chapter 22.
    """
    num_topics, num_systems = parts.shape[:2]
    is_there = ~np.isnan(parts[:, :, 0])
    known = np.where(is_there[:, :, None], parts, 0.0)
    num = is_there.sum(0)
    value, slopes = _harmonic(known.sum(0))
    shares = np.where(is_there, num * (known * slopes).sum(-1), np.nan)

    def sums(values: Floats, drawn: Draws) -> Floats:
        flat = drawn.sums(values.reshape(num_topics, -1))
        return flat.reshape(drawn.num, num_systems, *values.shape[2:])

    def errors(drawn: Draws) -> Floats:
        _, slopes = _harmonic(sums(known, drawn))
        products = sums(known[:, :, :, None] * known[:, :, None, :], drawn)
        squares = np.einsum("wsi,wsij,wsj->ws", slopes, products, slopes)
        return np.sqrt(np.maximum(squares, 0.0) * num / np.maximum(num - 1, 1))

    return Estimate(value, shares, lambda drawn: _harmonic(sums(known, drawn))[0] - value, errors)


def _harmonic(sums: Floats) -> tuple[Floats, Floats]:
    """The harmonic mean of one or two ratios, and its slope in each of the sums."""
    above, below = sums[..., ::2], sums[..., 1::2]
    each = np.nan_to_num(ratio(above, below))
    if each.shape[-1] == 1:
        value, weights = each[..., 0], np.ones_like(each)
    else:
        total = each.sum(-1)
        value = np.nan_to_num(ratio(2 * each.prod(-1), total))
        weights = 2 * np.nan_to_num(ratio(each[..., ::-1], total[..., None])) ** 2
    slopes = np.empty_like(sums)
    slopes[..., ::2] = np.nan_to_num(ratio(weights, below))
    slopes[..., 1::2] = -each * slopes[..., ::2]
    return value, slopes


def bca(estimate: Estimate, drawn: Draws, level: float = LEVEL) -> Bounds:
    """Bias-corrected and accelerated bootstrap.

    The tails are widened as Student's t is wider than the normal distribution, since the bootstrap
    alone is too narrow for few topics.

    Source: Efron: Better bootstrap confidence intervals (JASA 1987); Hesterberg: What
        teachers should know about the bootstrap (The American Statistician 2015).
    """
    num = _num(estimate)
    moved = _moved(estimate, drawn)
    below = (moved < 0).sum(0) + (moved == 0).sum(0) / 2
    ordered, num_defined = _ordered(moved)
    share = below / np.maximum(num_defined, 1)
    edge = 1 / (num_defined + 2)
    shift = special.ndtri(np.clip(share, edge, 1 - edge))
    apart = np.nan_to_num(estimate.shares)
    skew = ratio((apart**3).sum(0), 6 * (apart**2).sum(0) ** 1.5)
    bend = np.nan_to_num(skew)
    tail = np.sqrt(num / np.maximum(num - 1, 1)) * special.stdtrit(
        np.maximum(num - 1, 1), 1 - level / 2
    )
    ends = []
    for reach in (-tail, tail):
        point = shift + reach
        at = special.ndtr(shift + point / np.maximum(1 - bend * point, 1e-9))
        ends.append(estimate.value + _quantile(ordered, at, num_defined))
    return _where_defined(num, ends[0], ends[1])


def studentized(estimate: Estimate, drawn: Draws, level: float = LEVEL) -> Bounds:
    """Bootstrap-t: each resample's deviation is measured in its own standard error.

    Source: Efron, Tibshirani: An introduction to the bootstrap (1993), chapter 12.
    """
    moved, errors = _moved(estimate, drawn), estimate.errors(drawn)[1:]
    # A resample without any spread says nothing of how far it is off.
    deviations = np.where(moved == 0, 0.0, ratio(moved, errors))
    ordered, num_defined = _ordered(deviations)
    high, low = (_quantile(ordered, at, num_defined) for at in (1 - level / 2, level / 2))
    error = mean_and_error(estimate.shares)[1]
    return _where_defined(
        _num(estimate), estimate.value - high * error, estimate.value - low * error
    )


def normal(estimate: Estimate, level: float = LEVEL) -> Bounds:
    """Student's interval, which takes the figure as normally distributed."""
    _, error, num = mean_and_error(estimate.shares)
    reach = special.stdtrit(np.maximum(num - 1, 1), 1 - level / 2) * error
    return _where_defined(num, estimate.value - reach, estimate.value + reach)


METHODS: Mapping[str, Callable[..., Bounds]] = {
    "bca": bca,
    "studentized": studentized,
    "normal": lambda estimate, _, level: normal(estimate, level),
}


def bounds(
    values: Floats,
    method: str,
    drawn: Draws,
    *,
    level: float = LEVEL,
    population: int | None = None,
) -> Bounds:
    """Intervals of each system's mean or ratio of sums, as many systems at once as fit in memory.

    Args:
        values: as `means` or as `ratios` takes them.
        population: how many topics there are in all. The interval gets narrower as the sample
            covers more of them, and has no width where it covers all.
    """
    estimate_of, width = (means, 1) if values.ndim == 2 else (ratios, values.shape[2] ** 2)
    step = max(1, MAX_CELLS // drawn.num // width)
    ends = []
    for start in range(0, values.shape[1], step):
        estimate = estimate_of(values[:, start : start + step])
        lower, upper = METHODS[method](estimate, drawn, level)
        if population is not None:
            factor = np.sqrt(np.maximum(1 - _num(estimate) / population, 0.0))
            lower = estimate.value - factor * (estimate.value - lower)
            upper = estimate.value + factor * (upper - estimate.value)
        ends.append((lower, upper))
    lower, upper = (np.concatenate(each) for each in zip(*ends, strict=True))
    return _without_noise(lower), _without_noise(upper)


def _without_noise(ends: Floats) -> Floats:
    """The ends, of which what is nearly 0 is 0: a sum of opposites that was rounded."""
    return np.where(np.abs(ends) <= _NEARLY, 0.0, ends)


def _num(estimate: Estimate) -> Floats:
    return (~np.isnan(estimate.shares)).sum(0)


def _weighted(values: Floats, drawn: Draws) -> Floats:
    """The mean of each column for every weighting of the topics; NaN where it has no value."""
    is_there = ~np.isnan(values)
    sums = drawn.sums(np.nan_to_num(values))
    if is_there.all():
        return sums / len(values)
    return ratio(sums, drawn.sums(is_there.astype(float)))


def _moved(estimate: Estimate, drawn: Draws) -> Floats:
    """How far each resample moves the figure: 0, not nearly 0."""
    moved = estimate.moved(drawn)[1:]
    least = _NEARLY * np.abs(np.nan_to_num(estimate.shares)).max(0)
    return np.where(np.abs(moved) <= least, 0.0, moved)


def _ordered(resamples: Floats) -> tuple[Floats, Floats]:
    """Each system's resamples, sorted in a row, NaN last; and how many are none."""
    ordered = np.array(resamples.T, order="C")
    ordered.sort(axis=1)
    return ordered, (~np.isnan(ordered)).sum(1)


def _quantile(ordered: Floats, at: Floats, num: Floats) -> Floats:
    """Each row's quantile at a place of its own, of its first `num` values, interpolated."""
    place = at * np.maximum(num - 1, 0)
    low = np.floor(place).astype(int)
    high = np.minimum(low + 1, np.maximum(num - 1, 0))
    rows = np.arange(len(ordered))
    left, right = ordered[rows, low], ordered[rows, high]
    with np.errstate(invalid="ignore"):
        return np.where(left == right, left, left + (place - low) * (right - left))


def _where_defined(num: Floats, lower: Floats, upper: Floats) -> Bounds:
    return np.where(num < 2, np.nan, lower), np.where(num < 2, np.nan, upper)
