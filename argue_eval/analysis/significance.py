"""Paired tests between systems: Student's t-test over topics, two-sided, with Holm's correction.

The t-test needs no random numbers, and its p-values can be as small as the correction for a
thousand pairs requires; those of a permutation test never fall below one by the number of
permutations.
"""

from __future__ import annotations

from math import lgamma

import numpy as np

from argue_eval.analysis.bootstrap import MAX_CELLS, Floats

LEVEL = 0.05
_MAX_STEPS = 500
_TINY = 1e-300


def directions(scores: Floats) -> Floats:
    """The sign of each pair's significant difference; 0 if there is none, NaN if untested.

    Args:
        scores: (topics, systems); NaN where a system has no value for a topic. Pairs are in the
            order of `np.triu_indices`.
    """
    first, second = np.triu_indices(scores.shape[1], 1)
    step = max(1, MAX_CELLS // len(scores))
    p_values, signs = np.empty(len(first)), np.empty(len(first))
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        differences = scores[:, first[part]] - scores[:, second[part]]
        p_values[part] = paired_t_test(differences)
        signs[part] = np.sign(np.nansum(differences, axis=0))
    is_tested = ~np.isnan(p_values)
    found = np.full(len(p_values), np.nan)
    found[is_tested] = np.where(holm(p_values[is_tested]) <= LEVEL, signs[is_tested], 0.0)
    return found


def paired_t_test(differences: Floats) -> Floats:
    """The two-sided p-value of each column; NaN for a column with fewer than two values.

    Differences that are all 0 give 1; equal ones that are not 0 give 0.

    Args:
        differences: (topics, pairs); NaN where a topic has no value.
    """
    is_there = ~np.isnan(differences)
    num = is_there.sum(0)
    values = np.where(is_there, differences, 0.0)
    mean = values.sum(0) / np.maximum(num, 1)
    apart = np.where(is_there, differences - mean, 0.0)
    spread = (apart**2).sum(0)
    is_constant = spread <= 1e-24 * num * np.abs(values).max(0, initial=0.0) ** 2
    free = np.maximum(num - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / np.sqrt(spread / free / np.maximum(num, 1))
        found = two_sided(np.where(is_constant, 0.0, t), free)
    found = np.where(is_constant, np.where(mean == 0, 1.0, 0.0), found)
    return np.where(num < 2, np.nan, found)


def holm(p_values: Floats) -> Floats:
    """Adjusts p-values for multiple tests by Holm's method."""
    order = np.argsort(p_values, kind="stable")
    factors = len(p_values) - np.arange(len(p_values))
    adjusted = np.maximum.accumulate(np.minimum(p_values[order] * factors, 1.0))
    found = np.empty(len(p_values))
    found[order] = adjusted
    return found


def two_sided(t: Floats, free: Floats) -> Floats:
    """P(|T| >= |t|) for Student's t with `free` degrees of freedom.

    It is the regularised incomplete beta function of free / (free + t²) at free / 2 and 1/2.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        square = t**2 / free
        x = 1 / (1 + square)
        rest = np.where(square > 1, 1 - x, square / (1 + square))
    return _incomplete_beta(free / 2, 0.5, x, rest)


def _incomplete_beta(a: Floats, b: float, x: Floats, rest: Floats) -> Floats:
    """The regularised incomplete beta function at x, by its continued fraction.

    Args:
        rest: 1 - x, without the rounding error of that difference.
    """
    is_small = x < (a + 1) / (a + b + 2)
    one = np.where(is_small, a, b)
    two = np.where(is_small, b, a)
    at: Floats = np.where(is_small, x, rest)
    far = np.where(is_small, rest, x)
    lead = np.array([lgamma(each + b) - lgamma(each) - lgamma(b) for each in a.ravel()])
    with np.errstate(divide="ignore", invalid="ignore"):
        front = np.exp(lead.reshape(a.shape) + one * np.log(at) + two * np.log(far)) / one
    part = np.where(at == 0, 0.0, front) * _fraction(one, two, at)
    return np.where(is_small, part, 1 - part)


def _fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c = np.ones_like(x)
    d = _inverse(1 - (a + b) * x / (a + 1))
    found = d
    for step in range(1, _MAX_STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        d, c = _inverse(1 + even * d), 1 + even / c
        found = found * d * c
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        d, c = _inverse(1 + odd * d), 1 + odd / c
        change = d * c
        found = found * change
        if np.all(np.abs(change - 1) < 1e-15):
            break
    return found


def _inverse(value: Floats) -> Floats:
    return 1 / np.where(np.abs(value) < _TINY, _TINY, value)
