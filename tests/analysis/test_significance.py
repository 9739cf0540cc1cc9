"""Paired tests equal scipy's; decisions are counted pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

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


def test_differences_without_spread() -> None:
    table = np.array([[0.0, 0.1, np.nan], [0.0, 0.1, 0.3], [0.0, 0.1, np.nan]])
    p_values = significance.paired_t_test(table)
    assert list(p_values[:2]) == [1.0, 0.0]
    assert np.isnan(p_values[2])  # one topic alone


def test_holm_worked_by_hand() -> None:
    found = significance.holm(np.array([0.04, 0.01, 0.03, 0.9]))
    assert found == pytest.approx([0.09, 0.04, 0.09, 0.9])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_is_at_least_the_p_value_and_keeps_the_order(p_values: list[float]) -> None:
    values = np.array(p_values)
    found = significance.holm(values)
    assert (found >= values).all()
    assert (found <= 1).all()
    assert (np.diff(found[np.argsort(values, kind="stable")]) >= 0).all()


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
