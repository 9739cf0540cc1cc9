"""Topics are drawn with replacement, the same ones in every run."""

from __future__ import annotations

import numpy as np
import pytest

from argue_eval.analysis.agreement import figures
from argue_eval.analysis.bootstrap import Draws, figure


def test_each_resample_draws_as_many_topics_as_there_are() -> None:
    rows = np.concatenate(list(Draws(7, 200).blocks()))
    assert rows.shape == (201, 7)
    assert (rows[0] == 1).all()
    assert (rows.sum(axis=1) == 7).all()
    assert rows[1:].mean(axis=0) == pytest.approx(np.ones(7), abs=0.2)
    assert len(np.unique(rows[1:], axis=0)) > 100


def test_draws_are_the_same_on_every_machine() -> None:
    rows = np.concatenate(list(Draws(5, 3).blocks()))
    assert rows[1:].tolist() == [
        [1.0, 2.0, 0.0, 1.0, 1.0],
        [3.0, 1.0, 1.0, 0.0, 0.0],
        [3.0, 1.0, 0.0, 1.0, 0.0],
    ]


def test_many_draws_come_in_blocks_and_are_the_same() -> None:
    table = np.arange(12.0).reshape(4, 3)
    probs, is_yes = np.array([0.1, 0.4, 0.4, 0.8, 0.9]), np.array([0, 1, 0, 0, 1], dtype=bool)
    topics = np.array([0, 1, 1, 2, 3])
    whole, parts = Draws(4, 30), Draws(4, 30, max_cells=12, max_kept=100)
    assert [len(block) for block in parts.blocks()] == [1, *[3] * 10]
    assert parts.sums(table) == pytest.approx(whole.sums(table))
    one, other = (figures.roc_auc(probs, is_yes, topics, drawn) for drawn in (whole, parts))
    assert one == pytest.approx(other, nan_ok=True)


def test_another_seed_draws_other_topics() -> None:
    one, other = (np.concatenate(list(Draws(7, 20, seed=seed).blocks())) for seed in (1, 2))
    assert (one != other).any()


def test_interval_is_of_the_resamples_in_which_a_figure_is_defined() -> None:
    values = np.array([0.5, *np.linspace(0, 1, 101), np.nan, np.nan])
    found = figure("x", values, np.array([0, 1]))
    assert found[1:6] == pytest.approx((0.5, 0.025, 0.975, 2, 101))


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.RandomState(5)
    num_held = 0
    for _ in range(200):
        values = rng.random_sample(40)
        drawn = Draws(40, 200)
        found = figure("mean", drawn.sums(values[:, None])[:, 0] / 40, np.arange(40))
        assert found.lower is not None
        assert found.upper is not None
        num_held += found.lower <= 0.5 <= found.upper
    assert 0.88 <= num_held / 200 <= 0.99
