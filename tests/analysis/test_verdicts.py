"""Figures of agreement equal those of scikit-learn, scipy and krippendorff."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import krippendorff
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

from argue_eval.analysis.agreement import figures
from argue_eval.analysis.bootstrap import Floats

CLOSE = {"abs": 1e-9}


def judged(num_verdicts: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Verdicts of truth and judge, as numbers; often all the same."""
    one = st.integers(0, num_verdicts - 1)
    same = one.map(lambda verdict: (verdict, verdict))
    return st.lists(st.one_of(st.tuples(one, one), same), min_size=1, max_size=40)


def counts_of(pairs: Sequence[tuple[int, int]], num_verdicts: int) -> Floats:
    counts = np.zeros((1, num_verdicts, num_verdicts))
    for truth, judge in pairs:
        counts[0, truth, judge] += 1
    return counts


@given(judged(2))
@example([(1, 1)])
@example([(0, 0)])
@example([(0, 1), (0, 1)])
def test_figures_of_plain_kinds_equal_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    truth, judge = np.array(pairs).T
    counts = counts_of(pairs, 2)
    _same(figures.accuracy(counts), metrics.accuracy_score(truth, judge))
    _same(figures.precision(counts), _or_nan(metrics.precision_score, truth, judge))
    _same(figures.recall(counts), _or_nan(metrics.recall_score, truth, judge))
    _same(figures.f1(counts), _or_nan(metrics.f1_score, truth, judge))
    if len(set(truth)) > 1:
        _same(figures.balanced_accuracy(counts), metrics.balanced_accuracy_score(truth, judge))
    else:
        assert np.isnan(figures.balanced_accuracy(counts)[0])


@given(judged(3))
@example([(2, 2), (2, 2)])
@example([(0, 2), (0, 2)])
@example([(0, 0), (1, 1), (2, 2)])
def test_figures_of_graded_kinds_equal_other_libraries(pairs: list[tuple[int, int]]) -> None:
    truth, judge = np.array(pairs).T
    counts = counts_of(pairs, 3)
    macro = metrics.f1_score(truth, judge, average="macro", zero_division=np.nan)
    _same(figures.macro_f1(counts), macro)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is undefined
        for weighting, ours in ((None, figures.kappa), ("linear", figures.kappa_linear)):
            theirs = metrics.cohen_kappa_score(truth, judge, labels=[0, 1, 2], weights=weighting)
            _same(ours(counts), theirs)
        if len(set(truth)) > 1:
            balanced = metrics.balanced_accuracy_score(truth, judge)
            _same(figures.balanced_accuracy(counts), balanced)
        if len(pairs) > 1:
            _same(figures.pearson(counts), stats.pearsonr(truth, judge)[0])


@given(judged(3))
@example([(1, 1), (1, 1)])
@example([(0, 2)])
@example([(0, 1), (1, 2), (2, 2)])
def test_alpha_equals_krippendorff(pairs: list[tuple[int, int]]) -> None:
    data = np.array(pairs).T
    counts = counts_of(pairs, 3)
    for level, ours in (("nominal", figures.alpha), ("ordinal", figures.alpha_ordinal)):
        if len(np.unique(data)) == 1:
            assert np.isnan(ours(counts)[0])
        else:
            theirs = krippendorff.alpha(
                reliability_data=data, value_domain=[0, 1, 2], level_of_measurement=level
            )
            _same(ours(counts), theirs)


def test_kappa_of_a_table_worked_by_hand() -> None:
    # 20 both yes, 5 and 10 apart, 15 both no: 0.7 found, 0.5 expected.
    counts = np.array([[[15.0, 10.0], [5.0, 20.0]]])
    assert figures.kappa(counts)[0] == pytest.approx(0.4)


def _or_nan(compute: object, truth: Floats, judge: Floats) -> float:
    return float(compute(truth, judge, zero_division=np.nan))  # type: ignore[operator]


def _same(ours: Floats, theirs: float) -> None:
    assert float(ours[0]) == pytest.approx(float(theirs), nan_ok=True, **CLOSE)
