"""Intervals of means: as independent implementations compute them, and right as often as said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from argue_eval.analysis.bootstrap import Draws
from argue_eval.analysis.intervals import METHODS, bca, bounds, means, normal, studentized

SKEWED = np.random.RandomState(5).beta(0.5, 2.0, (30, 3))
DRAWN = Draws(30, 20_000)


def _level(num: int) -> float:
    """The level at which the plain bootstrap has tails as wide as ours."""
    tail = np.sqrt(num / (num - 1)) * special.stdtrit(num - 1, 0.975)
    return float(1 - 2 * special.ndtr(-tail))


def test_bca_equals_scipy_but_for_resampling() -> None:
    for column, lower, upper in zip(SKEWED.T, *bca(means(SKEWED), DRAWN), strict=True):
        expected = stats.bootstrap(
            (column,), np.mean, n_resamples=20_000, method="BCa", confidence_level=_level(30),
            rng=np.random.default_rng(1),
        ).confidence_interval  # fmt: skip
        width = expected.high - expected.low
        assert lower == pytest.approx(expected.low, abs=0.05 * width)
        assert upper == pytest.approx(expected.high, abs=0.05 * width)


def test_normal_equals_scipy() -> None:
    for column, lower, upper in zip(SKEWED.T, *normal(means(SKEWED)), strict=True):
        expected = stats.t.interval(0.95, 29, column.mean(), stats.sem(column))
        assert (lower, upper) == pytest.approx(expected, abs=1e-12)


def test_studentized_follows_its_definition() -> None:
    column = SKEWED[:, :1]
    mean, error = column.mean(), stats.sem(column)[0]
    deviations = []
    for weights in np.concatenate(list(DRAWN.blocks()))[1:]:
        sample = np.repeat(column[:, 0], weights.astype(int))
        spread = np.sqrt(((sample - sample.mean()) ** 2).sum() / 30 / 29)
        deviations.append((sample.mean() - mean) / spread)
    high, low = np.quantile(deviations, [0.975, 0.025])
    (lower,), (upper,) = studentized(means(column), DRAWN)
    assert (lower, upper) == pytest.approx((mean - high * error, mean - low * error), abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_interval_of_what_is_degenerate(method: str) -> None:
    nan = np.nan
    scores = np.array([[0.5, 0.2, nan], [0.5, nan, nan], [0.5, nan, nan]])
    lower, upper = bounds(scores, method, Draws(3, 200))
    assert (lower[0], upper[0]) == (0.5, 0.5)
    assert np.isnan([*lower[1:], *upper[1:]]).all()  # one topic, none


@pytest.mark.parametrize("method", METHODS)
def test_a_missing_topic_is_left_out(method: str) -> None:
    whole = SKEWED[:20, :1]
    padded = np.concatenate([whole, np.full((10, 1), np.nan)])
    without = np.ravel(bounds(whole, method, Draws(20, 20_000)))
    found = np.ravel(bounds(padded, method, DRAWN))
    assert found == pytest.approx(without, abs=0.02)


def test_interval_narrows_as_the_topics_are_all_there_are() -> None:
    lower, upper = bounds(SKEWED, "bca", DRAWN)
    half = bounds(SKEWED, "bca", DRAWN, population=60)
    mean = SKEWED.mean(0)
    assert half[0] == pytest.approx(mean - np.sqrt(0.5) * (mean - lower))
    assert half[1] == pytest.approx(mean + np.sqrt(0.5) * (upper - mean))
    whole = bounds(SKEWED, "bca", DRAWN, population=30)
    assert whole[0] == pytest.approx(mean)


def test_many_systems_at_once_are_as_each_alone() -> None:
    drawn = Draws(30, 10_000)
    scores = np.random.RandomState(6).random_sample((30, 900))  # more than one block
    lower, upper = bounds(scores, "bca", drawn)
    for place in (0, 399, 400, 899):
        alone = bounds(scores[:, [place]], "bca", drawn)
        assert (lower[place], upper[place]) == pytest.approx((alone[0][0], alone[1][0]))


@pytest.mark.parametrize("num_topics", [20, 50, 100])
@pytest.mark.parametrize("method", ["bca", "studentized"])
def test_intervals_cover_the_true_mean_of_skewed_scores(method: str, num_topics: int) -> None:
    samples = np.random.RandomState(7).beta(0.5, 2.0, (num_topics, 2000))
    lower, upper = bounds(samples, method, Draws(num_topics, 1000))
    covered = np.mean((lower <= 0.2) & (upper >= 0.2))
    assert 0.93 <= covered <= 0.975
