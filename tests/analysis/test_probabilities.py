"""ROC AUC and calibration equal those of scikit-learn, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import calibration, metrics

from argue_eval.analysis.agreement import figures
from argue_eval.analysis.bootstrap import Draws

PROBS = st.one_of(
    st.sampled_from([place / 10 for place in range(11)]), st.floats(0, 1, allow_nan=False)
)
JUDGED = st.lists(st.tuples(PROBS, st.booleans()), min_size=1, max_size=60).map(
    lambda judged: (np.array([prob for prob, _ in judged]), np.array([yes for _, yes in judged]))
)
Judged = tuple[np.ndarray, np.ndarray]
"""The probabilities of a yes, and whether the truth says yes."""


@given(JUDGED)
def test_auc_equals_scikit_learn(judged: Judged) -> None:
    probs, is_yes = judged
    topics = np.zeros(len(probs), dtype=int)
    (found,) = figures.roc_auc(probs, is_yes, topics, Draws(1, 0))
    if is_yes.all() or not is_yes.any():
        assert np.isnan(found)
    else:
        assert found == pytest.approx(metrics.roc_auc_score(is_yes, probs), abs=1e-9)


@given(JUDGED, st.data())
def test_auc_of_a_resample_is_that_of_the_questions_drawn(
    judged: Judged, data: st.DataObject
) -> None:
    probs, is_yes = judged
    assume(len(probs) > 2)
    topics = np.array([data.draw(st.integers(0, 3)) for _ in probs])
    drawn = Draws(4, 3)
    found = figures.roc_auc(probs, is_yes, topics, drawn)
    rows = np.concatenate(list(drawn.blocks()))
    for row, value in zip(rows, found, strict=True):
        times = row[topics].astype(int)
        copies = np.repeat(is_yes, times)
        if copies.all() or not copies.any():
            assert np.isnan(value)
        else:
            expected = metrics.roc_auc_score(copies, np.repeat(probs, times))
            assert value == pytest.approx(expected, abs=1e-9)


@given(JUDGED)
def test_reliability_equals_scikit_learn(judged: Judged) -> None:
    probs, is_yes = judged
    table = figures.reliability(probs, is_yes, np.zeros(len(probs), dtype=int), 1)
    number, total, yes = table[0]
    shares, means = calibration.calibration_curve(is_yes, probs, n_bins=10)
    filled = number > 0
    assert total[filled] / number[filled] == pytest.approx(means, abs=1e-9)
    assert yes[filled] / number[filled] == pytest.approx(shares, abs=1e-9)
    expected = np.sum(number[filled] / len(probs) * np.abs(means - shares))
    (found,) = figures.calibration_error(table)
    assert found == pytest.approx(expected, abs=1e-9)


@given(JUDGED)
def test_brier_equals_scikit_learn(judged: Judged) -> None:
    probs, is_yes = judged
    topics = np.zeros(len(probs), dtype=int)
    (found,) = figures.brier(probs, is_yes, topics, Draws(1, 0))
    expected = metrics.brier_score_loss(is_yes, probs, labels=[False, True])
    assert found == pytest.approx(expected, abs=1e-9)


def test_a_probability_on_an_edge_is_in_the_lower_bin() -> None:
    assert list(figures.bins_of(np.array([0.0, 0.1, 0.11, 0.5, 1.0]))) == [0, 0, 1, 4, 9]
