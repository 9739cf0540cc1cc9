"""Paired tests between systems over topics, two-sided, and corrections for many of them.

A topic is the only independent unit: sentences and nuggets of one topic are not. Every test takes
differences as an array (topics, pairs), NaN where one of the two systems has no value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

import numpy as np
from scipy import special

from argue_eval.analysis.bootstrap import MAX_CELLS, SEED, Floats

LEVEL = 0.05
NUM_ASSIGNMENTS = 10_000
_NEARLY = 1e-9
"""Sums in another order differ in the last bits; such differences are ties."""

_EVERY = 10_000

Test = Callable[[Floats], Floats]
"""From differences to the p-value of each column."""
Tick = Callable[[int, int], None]
"""Called with how many pairs, or resamples, are done, and of how many."""


def directions(scores: Floats) -> Floats:
    """The sign of each pair's significant difference by t-test and Holm's correction.

    0 if there is none, NaN if the pair is untested. A t-test needs no random numbers, and its
    p-values can be as small as the correction for a thousand pairs requires.

    Args:
        scores: (topics, systems); NaN where a system has no value for a topic. Pairs are in the
            order of `np.triu_indices`.
    """
    first, second = np.triu_indices(scores.shape[1], 1)
    p_values = by_pair(scores, first, second, paired_t_test)
    signs = by_pair(scores, first, second, lambda each: np.sign(np.nansum(each, axis=0)))
    return np.where(np.isnan(p_values), np.nan, np.where(holm(p_values) <= LEVEL, signs, 0.0))


def by_pair(
    scores: Floats, first: Floats, second: Floats, compute: Test, tick: Tick | None = None
) -> Floats:
    """Computes something of the differences of pairs of systems, as many at once as fit.

    Args:
        scores: (topics, systems); `first` and `second`: the places of the systems of each pair.
    """
    step = max(1, MAX_CELLS // len(scores))
    found = np.empty(len(first))
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        found[part] = compute(scores[:, first[part]] - scores[:, second[part]])
        if tick:
            tick(min(start + step, len(first)), len(first))
    return found


def paired_t_test(differences: Floats) -> Floats:
    """Student's t-test; NaN for a column with fewer than two values.

    Differences that are all 0 give 1; equal ones that are not 0 give 0.
    """
    mean, error, num = mean_and_error(differences)
    is_constant = error <= 1e-12 * np.abs(mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(mean) / np.where(is_constant, 1.0, error)
        found = 2 * special.stdtr(np.maximum(num - 1, 1), -t)
    found = np.where(is_constant, np.where(mean == 0, 1.0, 0.0), found)
    return np.where(num < 2, np.nan, found)


def mean_and_error(values: Floats) -> tuple[Floats, Floats, Floats]:
    """The mean of each column, its standard error, and the number of values; NaN are left out."""
    is_there = ~np.isnan(values)
    num = is_there.sum(0)
    mean = np.where(is_there, values, 0.0).sum(0) / np.maximum(num, 1)
    squares = (np.where(is_there, values - mean, 0.0) ** 2).sum(0)
    return mean, np.sqrt(squares / np.maximum(num - 1, 1) / np.maximum(num, 1)), num


def randomization_test(differences: Floats, seed: int = SEED) -> Floats:
    """Fisher's randomisation test of the mean: how often swapped systems differ as much.

    The assignments are all there are, where these are no more than `NUM_ASSIGNMENTS`; otherwise
    they are drawn, and the observed one counts as one of them: a p-value is never below
    1 / (`NUM_ASSIGNMENTS` + 1).

    Source: Smucker, Allan, Carterette: A comparison of statistical significance tests for
        information retrieval evaluation (CIKM 2007).
    """
    values = np.nan_to_num(differences)
    signs, num_drawn = _signs(len(values), seed)
    least = np.abs(values.sum(0)) * (1 - _NEARLY) - 1e-15
    step = max(1, MAX_CELLS // len(signs))
    counts = np.zeros(values.shape[1])
    for start in range(0, len(counts), step):
        part = slice(start, start + step)
        counts[part] = (np.abs(signs @ values[:, part]) >= least[part]).sum(0)
    found = (counts + num_drawn) / (len(signs) + num_drawn)
    return np.where((~np.isnan(differences)).sum(0) < 2, np.nan, found)


def _signs(num_topics: int, seed: int) -> tuple[Floats, int]:
    """Which systems swap, as signs: (assignments, topics); and whether they are drawn: 1 or 0."""
    if num_topics < 60 and 2**num_topics <= NUM_ASSIGNMENTS:
        bits = np.arange(2**num_topics)[:, None] >> np.arange(num_topics)
        return 1.0 - 2.0 * (bits & 1), 0
    shape = (NUM_ASSIGNMENTS, num_topics)
    return 1.0 - 2.0 * np.random.RandomState(seed).randint(0, 2, shape, dtype=np.int8), 1


def _randomized_pairs(
    scores: Floats, first: Floats, second: Floats, seed: int, tick: Tick | None
) -> Floats:
    """The randomisation test for systems without a missing value.

    Swapping changes the difference of two systems as much as it changes one minus the other, so
    that each system is multiplied by the signs once, not each pair.
    """
    signs, num_drawn = _signs(len(scores), seed)
    moved = np.ascontiguousarray((signs @ scores).T)
    noise = 1e-14 * np.abs(scores).sum(0).max(initial=0.0)
    sums = scores.sum(0)
    least = np.abs(sums[first] - sums[second]) * (1 - _NEARLY) - noise
    counts = np.empty(len(first))
    apart = np.empty(len(signs))
    for pair, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        np.subtract(moved[one], moved[other], out=apart)
        np.abs(apart, out=apart)
        counts[pair] = np.count_nonzero(apart >= least[pair])
        if tick and pair % _EVERY == 0:
            tick(pair, len(first))
    return (counts + num_drawn) / (len(signs) + num_drawn)


def wilcoxon_test(differences: Floats) -> Floats:
    """Wilcoxon's signed-rank test: exact up to 50 topics without ties, otherwise by the normal
    distribution, corrected for ties and continuity.

    Topics without a difference are left out; if all are, the p-value is 1.

    Source: Wilcoxon: Individual comparisons by ranking methods (1945); Pratt, Gibbons: Concepts of
        nonparametric theory (1981), chapter 3.
    """
    values = np.nan_to_num(differences.T)
    sizes = np.abs(values)
    nearly = _NEARLY * sizes.max(1, initial=0.0, keepdims=True)
    num = (sizes > nearly).sum(1)
    sizes[sizes <= nearly] = np.inf  # comes last
    order = np.argsort(sizes, axis=1)
    is_higher = np.take_along_axis(values, order, axis=1) > 0
    starts, ends = _tied(np.take_along_axis(sizes, order, axis=1), nearly)
    is_counted = np.arange(sizes.shape[1]) < num[:, None]
    higher = np.where(is_counted & is_higher, (starts + ends) / 2 + 1, 0.0).sum(1)
    ties = np.where(is_counted, (ends - starts + 1.0) ** 2 - 1, 0.0).sum(1)
    mean = num * (num + 1) / 4
    variance = num * (num + 1) * (2 * num + 1) / 24 - ties / 48
    apart = np.maximum(np.abs(higher - mean) - 0.5, 0.0)
    found = 2 * special.ndtr(-apart / np.sqrt(np.maximum(variance, 1e-12)))
    found[higher == mean] = 1.0
    is_exact = (num <= _MOST_EXACT) & (ties == 0)
    for number in np.unique(num[is_exact]).tolist():
        chosen = is_exact & (num == number)
        found[chosen] = _exact(number)[higher[chosen].astype(int)]
    return np.where((~np.isnan(differences)).sum(0) < 2, np.nan, found)


_MOST_EXACT = 50


def _tied(ordered: Floats, nearly: Floats) -> tuple[Floats, Floats]:
    """The first and the last place of the values in a row that equal each one."""
    places = np.arange(ordered.shape[1])
    is_first = np.ones(ordered.shape, dtype=bool)
    is_first[:, 1:] = ordered[:, 1:] > ordered[:, :-1] + nearly
    is_last = np.ones(ordered.shape, dtype=bool)
    is_last[:, :-1] = is_first[:, 1:]
    starts = np.maximum.accumulate(np.where(is_first, places, 0), axis=1)
    ends = np.where(is_last, places, ordered.shape[1])[:, ::-1]
    return starts, np.minimum.accumulate(ends, axis=1)[:, ::-1]


@cache
def _exact(num_topics: int) -> Floats:
    """The two-sided p-value of each sum of ranks, if every sign is as likely as its opposite."""
    ways = np.zeros(num_topics * (num_topics + 1) // 2 + 1)
    ways[0] = 1.0
    for rank in range(1, num_topics + 1):
        ways[rank:] += ways[: len(ways) - rank].copy()
    below = np.cumsum(ways) / 2.0**num_topics
    return np.minimum(2 * np.minimum(below, below[::-1]), 1.0)


TESTS: Mapping[str, Test] = {
    "t": paired_t_test,
    "randomization": randomization_test,
    "wilcoxon": wilcoxon_test,
}


def p_values(
    scores: Floats,
    first: Floats,
    second: Floats,
    test: str,
    *,
    seed: int = SEED,
    tick: Tick | None = None,
) -> Floats:
    """The p-value of each pair of systems; NaN for one with fewer than two topics in common.

    Args:
        scores: as in `by_pair`; NaN where a system has no value.
        test: a name in `TESTS`.
    """
    if test != "randomization":
        return by_pair(scores, first, second, TESTS[test], tick)
    if len(scores) > 1 and not np.isnan(scores).any():
        return _randomized_pairs(scores, first, second, seed, tick)
    return by_pair(scores, first, second, partial(randomization_test, seed=seed), tick)


# --- corrections ----------------------------------------------------------------------------------


def holm(p_values: Floats) -> Floats:
    """Adjusts p-values so that any false positive among all tests is as rare as the level says.

    NaN are no tests.

    Source: Holm: A simple sequentially rejective multiple test procedure (1979).
    """
    found = np.full(len(p_values), np.nan)
    order = np.argsort(p_values, kind="stable")[: np.count_nonzero(~np.isnan(p_values))]
    factors = len(order) - np.arange(len(order))
    found[order] = np.maximum.accumulate(np.minimum(p_values[order] * factors, 1.0))
    return found


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Adjusts p-values so that the expected share of false positives is as the level says.

    NaN are no tests.
    """
    found = np.full(len(p_values), np.nan)
    is_test = ~np.isnan(p_values)
    if is_test.any():
        from scipy import stats  # slow to load

        found[is_test] = stats.false_discovery_control(p_values[is_test])
    return found


CORRECTIONS: Mapping[str, Callable[[Floats], Floats]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": lambda p_values: p_values,
}


# --- effects --------------------------------------------------------------------------------------


_FAR = 1_000
"""Beyond such a t, its own error is all but that of the deviation; SciPy would search for hours."""


def effects(differences: Floats, level: float = LEVEL) -> tuple[Floats, Floats, Floats]:
    """The mean of each column over its standard deviation, with an exact interval.

    NaN where all differences are equal, or there are fewer than two.

    Source: Cumming, Finch: A primer on the understanding, use, and calculation of confidence
        intervals that are based on central and noncentral distributions (2001).
    """
    mean, error, num = mean_and_error(differences)
    is_defined = (num > 1) & (error > 1e-12 * np.abs(mean))
    t = np.where(is_defined, mean, np.nan) / np.where(is_defined, error, 1.0)
    root = np.sqrt(np.maximum(num, 1))
    free = np.maximum(num - 1, 1)
    is_far = np.abs(t) > _FAR
    ends = []
    for tail in (level / 2, 1 - level / 2):
        near = special.nctdtrinc(free, 1 - tail, np.where(is_far, 0.0, t))
        spread = special.chdtri(free, np.where(t > 0, 1 - tail, tail)) / free
        ends.append(np.where(is_far, t * np.sqrt(spread), near) / root)
    return t / root, ends[0], ends[1]


def topics_needed(effects: Floats, power: float, level: float = LEVEL) -> Floats:
    """The least number of topics on which a paired t-test finds such effects with such a power.

    Args:
        effects: means of the differences over their standard deviations. 0 and NaN give NaN, as
            does what takes more than a million topics.
    """
    size = np.abs(np.asarray(effects, dtype=float))
    low, high = np.full(size.shape, 1.0), np.full(size.shape, 1_000_001.0)
    for _ in range(20):  # halves the range to one topic
        middle = np.floor((low + high) / 2)
        is_enough = _power(size, np.maximum(middle, 2), level) >= power
        low, high = np.where(is_enough, low, middle), np.where(is_enough, middle, high)
    return np.where((size > 0) & (high <= 1_000_000), np.maximum(high, 2), np.nan)


def _power(effects: Floats, num: Floats, level: float) -> Floats:
    """The power of the two-sided paired t-test."""
    shift = np.minimum(effects * np.sqrt(num), 30.0)  # beyond, the power is 1 or close to it
    most = special.stdtrit(num - 1, 1 - level / 2)
    wrong_side = np.nan_to_num(special.nctdtr(num - 1, shift, -most))  # NaN where it is nearly 0
    return 1 - special.nctdtr(num - 1, shift, most) + wrong_side
