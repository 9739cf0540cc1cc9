"""Intervals and tests of ratios of sums over topics, from the sums that ``score -o`` keeps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import argue_eval as package
from argue_eval import measures
from argue_eval.analysis.bootstrap import Draws, Floats
from argue_eval.analysis.intervals import METHODS, bca, bounds, normal, ratios
from argue_eval.analysis.significance import mean_and_error
from argue_eval.measures.averages import harmonic_mean, ratio
from argue_eval.records import Average
from tests.cli.conftest import Command
from tests.making import evidence, nugget
from tests.tiny_track import Files


def _draw(rng: np.random.RandomState, shape: tuple[int, ...], *, is_f1: bool) -> Floats:
    """Right sentences and found nuggets, both more frequent on easy topics."""
    ease = rng.beta(1.5, 2, shape)
    sentences, nuggets = 1 + rng.poisson(8, shape), 1 + rng.poisson(12, shape)
    parts = [rng.binomial(sentences, ease), sentences]
    if is_f1:
        parts += [rng.binomial(nuggets, 0.7 * ease), nuggets]
    return np.stack(parts, axis=-1).astype(float)


def _value(sums: Floats) -> float:
    shares = [float(above / below) for above, below in sums.reshape(-1, 2)]
    return stats.hmean(shares) if all(shares) else 0.0


PARTS = {is_f1: _draw(np.random.RandomState(4), (40, 2), is_f1=is_f1) for is_f1 in (False, True)}
RATIO_OR_F1 = pytest.mark.parametrize("is_f1", [False, True])


@RATIO_OR_F1
def test_bca_equals_scipy_but_for_resampling(is_f1: bool) -> None:
    parts, drawn = PARTS[is_f1], Draws(40, 20_000)
    for place, (lower, upper) in enumerate(zip(*bca(ratios(parts), drawn), strict=True)):

        def of_rows(rows: Any, axis: int = -1, place: int = place) -> Any:
            assert axis == -1
            sums = parts[rows.astype(int), place].sum(-2)
            return np.apply_along_axis(_value, -1, sums)

        tail = np.sqrt(40 / 39) * stats.t.ppf(0.975, 39)
        expected = stats.bootstrap(
            (np.arange(40),), of_rows, n_resamples=5000, method="BCa", batch=1000,
            confidence_level=float(1 - 2 * stats.norm.cdf(-tail)), rng=np.random.default_rng(1),
        ).confidence_interval  # fmt: skip
        width = expected.high - expected.low
        assert lower == pytest.approx(expected.low, abs=0.06 * width)
        assert upper == pytest.approx(expected.high, abs=0.06 * width)


@RATIO_OR_F1
def test_shares_are_how_far_a_topic_moves_the_value(is_f1: bool) -> None:
    parts = PARTS[is_f1]
    found = ratios(parts)
    for system in range(2):
        assert found.value[system] == pytest.approx(_value(parts[:, system].sum(0)))
        for topic in (0, 17, 39):
            weights = np.ones(40)
            weights[topic] += 1e-6
            moved = _value((parts[:, system] * weights[:, None]).sum(0)) - found.value[system]
            assert found.shares[topic, system] == pytest.approx(40 * moved / 1e-6, abs=1e-4)
    assert found.shares.mean(0) == pytest.approx(0, abs=1e-12)


def test_equal_denominators_make_a_ratio_a_mean() -> None:
    scores = np.random.RandomState(3).random_sample((25, 2))
    parts = np.stack([scores, np.ones_like(scores)], axis=-1)
    drawn = Draws(25, 500)
    for method in METHODS:
        expected = bounds(scores, method, drawn, population=60)
        assert bounds(parts, method, drawn, population=60) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("method", METHODS)
def test_interval_of_what_is_degenerate(method: str) -> None:
    nan = np.nan
    constant, empty, alone = [3.0, 5.0], [0.0, 0.0], [nan, nan]
    parts = np.array([[constant, empty, [1.0, 2.0]], *[[constant, empty, alone]] * 5])
    lower, upper = bounds(parts, method, Draws(6, 200))
    assert (lower[:2], upper[:2]) == (pytest.approx([0.6, 0.0]), pytest.approx([0.6, 0.0]))
    assert np.isnan([lower[2], upper[2]]).all()
    nothing = bounds(np.array([[[0.0, 4.0, 1.0, 2.0]]] * 6), method, Draws(6, 200))
    assert np.ravel(nothing) == pytest.approx([0.0, 0.0])


@RATIO_OR_F1
@pytest.mark.parametrize("num_topics", [20, 50])
def test_intervals_cover_the_true_value(is_f1: bool, num_topics: int) -> None:
    everything = _draw(np.random.RandomState(8), (400_000, 1), is_f1=is_f1)
    true = _value(everything.sum((0, 1)))
    samples = _draw(np.random.RandomState(9), (num_topics, 1000), is_f1=is_f1)
    lower, upper = bounds(samples, "bca", Draws(num_topics, 500))
    assert 0.93 <= np.mean((lower <= true) & (upper >= true)) <= 0.975


def test_normal_is_the_delta_method() -> None:
    above, below = PARTS[False][:, 0].T
    share = above.sum() / below.sum()
    error = stats.sem(above - share * below) / below.mean()
    (lower, _), (upper, _) = normal(ratios(PARTS[False]))
    expected = stats.t.interval(0.95, 39, share, error)
    assert (lower, upper) == pytest.approx(expected, abs=1e-12)
    assert mean_and_error(ratios(PARTS[False]).shares)[1][0] == pytest.approx(error)


# --- what is kept ---------------------------------------------------------------------------------


OF_SUMS = [
    (family, measure)
    for family in measures.load_families()
    for measure in family.measures
    if measure.average in (Average.MICRO, Average.MICRO_AND_MACRO)
]


@pytest.mark.parametrize(("family", "measure"), OF_SUMS, ids=[each.name for _, each in OF_SUMS])
def test_the_parts_of_a_measure_are_those_of_its_value(
    family: measures.Family, measure: measures.Measure
) -> None:
    stats_of = type(family.module.tally(evidence([nugget("n1", ("a", ["D1"]))], None)).judged)
    for seed in range(20):
        numbers = np.random.RandomState(seed).randint(0, 4, len(stats_of._fields))
        counts = stats_of(*map(float, numbers))
        parts = [getattr(counts, name) for name in measure.parts]
        values = [ratio(*parts[place : place + 2]) for place in range(0, len(parts), 2)]
        expected = values[0] if len(values) == 1 else harmonic_mean(*values)
        assert measure.value(counts) == expected


@pytest.fixture
def scored(files: Files, argue_eval: Command) -> Callable[[str], Any]:
    """The measures of each run on a leaderboard."""
    base = f"score {files.alpha} {files.beta} {files.qrels} --judgments {files.judgments}"
    assert argue_eval(f"{base} --allow-unjudged -m nugget_coverage -m f1 -o out").code == 0

    def read(command: str) -> Any:
        runs = argue_eval(f"leaderboard {command} --json").json["runs"]
        return {each["run_id"]: each["measures"] for each in runs}

    return read


def test_kept_sums_give_the_average_again(scored: Callable[[str], Any]) -> None:
    rows = [json.loads(line) for line in Path("out/alpha.scores.jsonl").read_text().splitlines()]
    by_topic = [row for row in rows if row["measure"] == "nugget_coverage"]
    above, below = np.array([row["parts"] for row in by_topic]).sum(0)
    (micro,) = [row for row in rows if row["measure"] == "nugget_coverage_micro"]
    assert micro["value"] == pytest.approx(above / below)
    assert micro["parts"] == [above, below]
    found = scored("out -m nugget_coverage_micro")["alpha"]["nugget_coverage_micro"]
    parts = np.array([[row["parts"]] for row in by_topic])
    (low,), (high,) = bounds(parts, "bca", Draws(len(parts), 10_000))
    assert (found["low"], found["high"]) == pytest.approx((low, high))


def test_ratios_of_sums_are_compared(files: Files, scored: Callable[[str], Any]) -> None:
    found = package.compare("out", "nugget_coverage_micro")
    board = scored("out -m nugget_coverage_micro")
    for place in found.systems():
        entry = board[place.run_id]["nugget_coverage_micro"]
        assert entry["value"] == pytest.approx(place.mean.value)
        assert (entry["rank_best"], entry["rank_worst"]) == place.ranks
    (pair,) = found.pairs()
    first, second = (each.mean.value for each in found.systems())
    assert first is not None
    assert second is not None
    assert pair.difference.value == pytest.approx(first - second)
    (of_means,) = package.compare("out", "nugget_coverage_macro").pairs()
    assert (pair.won, pair.tied, pair.lost) == (of_means.won, of_means.tied, of_means.lost)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("out/alpha.auto_argue.tsv out/beta.scores.txt", "", "[missing_parts] alpha has no numera"),
        ("bad.jsonl", '"parts":[1,2,3]', "at $.parts: expected two or four numbers, found a list"),
        ("bad.jsonl", '"parts":{"a":1}', "at $.parts: expected two or four numbers, found an obje"),
        ("bad.jsonl", '"parts":["1","2"]', "at $.parts: expected two or four numbers, found a lis"),
    ],
)
def test_sums_that_are_missing_or_broken_are_named(
    scored: Callable[[str], Any], argue_eval: Command, name: str, text: str, said: str
) -> None:
    row = f'{{"run_id":"r","topic_id":"t1","measure":"f1","value":0.5,{text}}}\n'
    Path("bad.jsonl").write_text(row)
    ran = argue_eval(f"compare {name} -m nugget_coverage_micro --force")
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err
