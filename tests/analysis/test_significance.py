"""Paired tests equal scipy's; decisions are counted pair by pair."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats import multitest
from statsmodels.stats.power import TTestPower

from argue_eval.analysis import ranking, significance
from argue_eval.analysis.results import Pairs

VALUE = st.floats(-3, 3, width=32)


@given(st.lists(st.tuples(VALUE, VALUE), min_size=3, max_size=30), st.floats(0, 2))
def test_p_values_equal_scipy(rows: list[tuple[float, float]], shift: float) -> None:
    table = np.round(np.array(rows), 3) + shift
    found = significance.paired_t_test(table)
    for column, p_value in zip(table.T, found, strict=True):
        if np.ptp(column) > 1e-9:
            assert p_value == pytest.approx(stats.ttest_1samp(column, 0).pvalue, abs=1e-9)


def test_equal_differences_are_no_chance() -> None:
    assert significance.paired_t_test(np.full((3, 1), 0.1)) == 0.0


@pytest.mark.parametrize("num_topics", [3, 9, 13])
def test_randomization_test_is_exact_for_few_topics(num_topics: int) -> None:
    table = np.random.RandomState(num_topics).normal(0.3, 1.0, (num_topics, 4)).round(1)
    for column, p_value in zip(table.T, significance.randomization_test(table), strict=True):
        expected = stats.permutation_test(
            (column,), np.mean, permutation_type="samples", n_resamples=np.inf
        )
        assert p_value == pytest.approx(expected.pvalue, abs=1e-12)


def test_randomization_test_of_many_topics_is_close_to_the_t_test() -> None:
    table = np.random.RandomState(1).normal(0.2, 1.0, (60, 8))
    found = significance.randomization_test(table)
    assert found == pytest.approx(significance.paired_t_test(table), abs=0.02)
    assert (found >= 1 / 10_001).all()


@pytest.mark.parametrize(("digits", "method"), [(9, "exact"), (1, "asymptotic")])
def test_wilcoxon_equals_scipy(digits: int, method: str) -> None:
    table = np.random.RandomState(2).normal(0.2, 1.0, (30, 6)).round(digits)
    table[3, 2] = np.nan
    for column, p_value in zip(table.T, significance.wilcoxon_test(table), strict=True):
        values = column[~np.isnan(column) & (column != 0)]
        expected = stats.wilcoxon(values, method=method, correction=True).pvalue
        assert p_value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("digits", [9, 1])
@pytest.mark.parametrize("num_topics", [1, 2, 12, 40, 60])
@pytest.mark.parametrize("test", significance.TESTS)
def test_all_pairs_at_once_are_as_each_alone(test: str, num_topics: int, digits: int) -> None:
    scores = np.random.RandomState(num_topics).random_sample((num_topics, 6)).round(digits)
    scores[:, 4] = scores[:, 1]
    first, second = np.triu_indices(6, 1)
    found = significance.p_values(scores, first, second, test)
    expected = significance.TESTS[test](scores[:, first] - scores[:, second])
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    scores[0, 2] = np.nan
    found = significance.p_values(scores, first, second, test)
    expected = significance.TESTS[test](scores[:, first] - scores[:, second])
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_differences_that_rounding_makes_are_none() -> None:
    scores = np.array([[0.1 + 0.2, 0.3], [0.5, 0.5], [0.4, 0.1], [0.6, 0.3], [0.7, 0.4]])
    (p_value,) = significance.wilcoxon_test(scores[:, [0]] - scores[:, [1]])
    expected = stats.wilcoxon([0.3, 0.3, 0.3], method="asymptotic", correction=True).pvalue
    assert p_value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("name", "method"), [("holm", "holm"), ("bh", "fdr_bh")])
@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_corrections_equal_statsmodels(name: str, method: str, p_values: list[float]) -> None:
    with mock.patch("gc.collect"):  # which statsmodels calls each time
        expected = multitest.multipletests(p_values, method=method)[1]
    found = significance.CORRECTIONS[name](np.array(p_values))
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("effect", [0.2, 0.35, 0.5, 1.2])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_topics_needed_equal_statsmodels(effect: float, power: float) -> None:
    expected = TTestPower().solve_power(effect_size=effect, power=power, alpha=0.05)
    found = significance.topics_needed(np.array([effect, -effect]), power)
    assert list(found) == [max(2, np.ceil(expected - 1e-9))] * 2


@pytest.mark.parametrize("test", significance.TESTS)
def test_what_cannot_differ_does_not(test: str) -> None:
    table = np.array([[0.0, np.nan], [0.0, 0.3], [0.0, np.nan]])
    same, alone = significance.TESTS[test](table)
    assert same == 1.0
    assert np.isnan(alone)


@pytest.mark.parametrize(
    ("correct", "expected"),
    [
        (significance.holm, [0.09, 0.04, 0.09, np.nan, 0.9]),
        (significance.benjamini_hochberg, [4 * 0.04 / 3, 0.04, 4 * 0.04 / 3, np.nan, 0.9]),
    ],
)
def test_corrections_worked_by_hand(correct: significance.Test, expected: list[float]) -> None:
    found = correct(np.array([0.04, 0.01, 0.03, np.nan, 0.9]))
    assert found == pytest.approx(expected, nan_ok=True)


def test_effects_are_where_the_noncentral_t_distribution_puts_them() -> None:
    table = np.random.RandomState(3).normal(0.4, 1.0, (25, 5))
    for column, *found in zip(table.T, *significance.effects(table), strict=True):
        effect, lower, upper = found
        assert effect == pytest.approx(column.mean() / column.std(ddof=1))
        t = effect * 5
        assert stats.nct.cdf(t, 24, lower * 5) == pytest.approx(0.975, abs=1e-6)
        assert stats.nct.cdf(t, 24, upper * 5) == pytest.approx(0.025, abs=1e-6)


def test_effects_of_differences_that_hardly_vary_are_found_in_no_time() -> None:
    """Their error is that of the deviation alone, and nearly so up to where SciPy ends."""
    table = np.array([[0.0, 0.0, 1.0, 1.0]]).T + [0.5 / 3**0.5 * t - 0.5 for t in (990, 1e3, 1e7)]
    for columns in (table, -table):
        effect, lower, upper = significance.effects(columns)
        ends = np.sort([lower / effect, upper / effect], axis=0)
        expected = np.sqrt(stats.chi2.ppf([0.025, 0.975], 3) / 3)
        assert effect == pytest.approx(columns.mean(0) / columns.std(0, ddof=1))
        assert ends == pytest.approx(np.stack([expected] * 3, axis=1), rel=3e-4)
        assert ends[:, 2] == pytest.approx(expected)


def test_no_number_of_topics_shows_what_is_not_there() -> None:
    assert np.isnan(significance.topics_needed(np.array([0.0, np.nan, 1e-4]), 0.8)).all()


def test_decisions_on_pairs_are_counted() -> None:
    rng = np.random.RandomState(0)
    noise = rng.random_sample((12, 4)) / 100
    truth = noise + np.array([0.9, 0.5, 0.1, 0.1])
    judge = noise[:, ::-1] + np.array([0.9, 0.9, 0.1, 0.5])
    # Truth: a > b > c = d. Judge: a = b > d > c.
    found = ranking.compare_pairs(truth, judge)
    assert found == Pairs(both=4, only_truth=1, only_judge=1, opposite=0, neither=0, untested=0)
    turned = ranking.compare_pairs(truth[:, :3], truth[:, 2::-1])
    assert turned == Pairs(both=0, only_truth=0, only_judge=0, opposite=3, neither=0, untested=0)


def test_pairs_without_common_topics_are_not_tested() -> None:
    table = np.array([[0.1, np.nan], [np.nan, 0.2], [0.3, 0.4]])
    assert ranking.compare_pairs(table, table) == Pairs(0, 0, 0, 0, 0, untested=1)
