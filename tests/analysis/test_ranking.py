"""Rank correlations equal scipy's; tau_AP equals its definition, taken literally."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from argue_eval.analysis import ranking as _ranking
from argue_eval.analysis.agreement import bias
from argue_eval.analysis.bootstrap import Draws

SCORE = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(-5, 5, width=16))


def two_rankings(most: int) -> st.SearchStrategy[list[tuple[float, float]]]:
    """Scores of the same systems by two judges."""
    return st.lists(st.tuples(SCORE, SCORE), min_size=2, max_size=most)


@given(two_rankings(25))
@example([(1.0, 1.0), (1.0, 2.0)])
def test_tau_and_spearman_equal_scipy(scores: list[tuple[float, float]]) -> None:
    one, other = np.array(scores).T
    if len(set(one)) == 1 or len(set(other)) == 1:
        for compute in (_ranking.kendall_tau, _ranking.spearman, _ranking.tau_ap):
            assert np.isnan(compute(one[None], other[None])[0])
        return
    (tau,) = _ranking.kendall_tau(one[None], other[None])
    assert tau == pytest.approx(stats.kendalltau(one, other)[0], abs=1e-9)
    (rho,) = _ranking.spearman(one[None], other[None])
    assert rho == pytest.approx(stats.spearmanr(one, other)[0], abs=1e-9)


@given(two_rankings(20))
def test_pearson_of_systems_equals_scipy(scores: list[tuple[float, float]]) -> None:
    one, other = np.round(np.array(scores).T, 3)
    (found,) = _ranking.pearson(one[None], other[None])
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(np.corrcoef(one, other)[0, 1], abs=1e-9)


@given(two_rankings(6))
@example([(1.0, 3.0), (1.0, 2.0), (0.0, 1.0)])
@example([(3.0, 1.0), (2.0, 1.0), (1.0, 2.0), (1.0, 2.0)])
def test_tau_ap_equals_its_definition(scores: list[tuple[float, float]]) -> None:
    one, other = np.array(scores).T
    (found,) = _ranking.tau_ap(one[None], other[None])
    if len(set(one)) > 1 and len(set(other)) > 1:
        expected = (_defined(one, other) + _defined(other, one)) / 2
        assert found == pytest.approx(expected, abs=1e-9)


def _defined(ranking: np.ndarray, other: np.ndarray) -> float:
    """2 / (N - 1) * sum over i > 1 of C(i) / (i - 1), minus 1; the mean over all orders of ties."""
    values = []
    for order in permutations(range(len(ranking))):
        if all(ranking[a] >= ranking[b] for a, b in pairwise(order)):
            shares = [
                sum(_is_right(other[above], other[place]) for above in order[:i]) / i
                for i, place in enumerate(order)
                if i
            ]
            values.append(2 * sum(shares) / (len(order) - 1) - 1)
    return float(np.mean(values))


def _is_right(above: float, below: float) -> float:
    return 0.5 if above == below else float(above > below)


@given(two_rankings(12))
@example([(1.0, 3.0), (1.0, 2.0), (0.0, 1.0)])
def test_tau_gap_equals_its_definition(scores: list[tuple[float, float]]) -> None:
    truth, judge = np.array(scores).T
    (found,) = _ranking.tau_gap(judge[None], truth[None])
    ranked = [truth[place] for place in sorted(range(len(judge)), key=lambda at: -judge[at])]
    shares = []
    for place, score in enumerate(ranked):
        gaps = [above - score for above in ranked[:place]]
        if any(gaps):
            shares.append(sum(gap for gap in gaps if gap > 0) / sum(map(abs, gaps)))
    if len(set(judge)) == 1 or not shares:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(2 * sum(shares) / len(shares) - 1, abs=1e-9)


def test_tau_gap_counts_what_the_truth_finds_far_apart() -> None:
    truth = np.array([[0.9, 0.8, 0.1]])
    near, far = np.array([[2.0, 3.0, 1.0]]), np.array([[3.0, 1.0, 2.0]])
    assert _ranking.kendall_tau(near, truth)[0] == _ranking.kendall_tau(far, truth)[0]
    assert _ranking.tau_gap(near, truth)[0] == pytest.approx(0.0)  # shares 0 and 1
    assert _ranking.tau_gap(far, truth)[0] == pytest.approx(0.125)  # shares 1 and 0.1 / 0.8


def test_an_error_at_the_top_costs_more_in_tau_ap_and_the_same_in_tau() -> None:
    right = np.arange(6.0, 0.0, -1.0)[None]
    top, bottom = right.copy(), right.copy()
    top[0, [0, 1]] = top[0, [1, 0]]
    bottom[0, [4, 5]] = bottom[0, [5, 4]]
    assert _ranking.kendall_tau(top, right)[0] == _ranking.kendall_tau(bottom, right)[0]
    assert _ranking.tau_ap(top, right)[0] == pytest.approx(0.6)
    assert _ranking.tau_ap(bottom, right)[0] == pytest.approx(0.92)


@given(st.lists(st.tuples(SCORE, SCORE, st.integers(0, 2)), min_size=2, max_size=25))
def test_weighted_pearson_equals_that_of_copies(judged: list[tuple[float, float, int]]) -> None:
    one, other = np.round(np.array([each[:2] for each in judged]).T, 3)
    topics = np.array([each[2] for each in judged])
    drawn = Draws(3, 4)
    rows = np.concatenate(list(drawn.blocks()))
    for row, found in zip(rows, bias.pearson(one, other, topics, drawn), strict=True):
        times = row[topics].astype(int)
        x, y = np.repeat(one, times), np.repeat(other, times)
        if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
            assert np.isnan(found)
        else:
            assert found == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-8)
