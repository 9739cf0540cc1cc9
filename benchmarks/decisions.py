"""How often intervals and tests over topics are right, and what a thousand runs take."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

from argue_eval.analysis import intervals, significance
from argue_eval.analysis.bootstrap import Draws, Floats
from benchmarks.measuring import (
    argue_eval,
    print_table,
    print_title,
    run_process,
    seconds_of,
    verdict,
)

SEED = 20261121
NUM_TRIALS = 5000
NUM_TOPICS = (20, 50, 100)
NUM_PAIRED = (10, 20, 50, 100)
LEAST, MOST = 0.93, 0.97
NUM_RUNS, NUM_TOPICS_OF_RUNS = 1000, 100
TARGET_SECONDS, TARGET_MB = 60, 1000
NUM_PEER_RUNS = 50

Draw = Callable[[np.random.RandomState, tuple[int, ...]], Floats]
"""Draws scores of an array's shape."""

SCORES: dict[str, tuple[Draw, float]] = {
    "skewed: beta(0.5, 2)": (lambda rng, size: rng.beta(0.5, 2, size), 0.2),
    "skewed: beta(2, 0.5)": (lambda rng, size: rng.beta(2, 0.5, size), 0.8),
    "two in five are 0": (
        lambda rng, size: rng.beta(1, 2, size) * (rng.random_sample(size) < 0.6), 0.2
    ),
    "shares of 5 nuggets": (lambda rng, size: rng.binomial(5, rng.beta(0.6, 1.4, size)) / 5, 0.3),
    "uniform": (lambda rng, size: rng.random_sample(size), 0.5),
}  # fmt: skip
"""Kinds of scores with their true mean."""


def main() -> None:
    """Measures and prints."""
    _coverage()
    _coverage_of_ratios()
    _false_positives()
    _false_positives_of_ratios()
    _family()
    _thousand_runs()


def _coverage() -> None:
    print_title(
        f"decisions: share of {NUM_TRIALS:,} samples whose 95 % interval has the true mean in it"
    )
    rows = []
    for name, (draw, mean) in SCORES.items():
        for num_topics in NUM_TOPICS:
            samples = draw(np.random.RandomState(SEED), (num_topics, NUM_TRIALS))
            rows.append([f"{name}, {num_topics} topics", *_covered(samples, mean)])
    print_table(["scores", *intervals.METHODS, f"bca {LEAST} to {MOST}"], rows)


def _covered(samples: Floats, true: float) -> list[str]:
    """The share of samples in whose interval the true `means` or `ratios` is, by each method."""
    drawn, covered = Draws(len(samples), 2000), {}
    for method in intervals.METHODS:
        lower, upper = intervals.bounds(samples, method, drawn)
        covered[method] = float(np.mean((lower <= true) & (true <= upper)))
    is_met = LEAST <= covered["bca"] <= MOST
    return [*(f"{share:.3f}" for share in covered.values()), verdict(is_met)]


def _draw_parts(
    rng: np.random.RandomState, shape: tuple[int, ...], ease: Floats, *, is_f1: bool
) -> Floats:
    """Sentences and nuggets of reports with those that are right, of easy and of hard topics."""
    sentences, nuggets = 1 + rng.poisson(8, shape), 1 + rng.poisson(12, shape)
    parts = [rng.binomial(sentences, ease), sentences]
    if is_f1:
        parts += [rng.binomial(nuggets, 0.7 * ease), nuggets]
    return np.stack(parts, axis=-1).astype(float)


def _draw_ease(rng: np.random.RandomState, shape: tuple[int, ...], name: str) -> Floats:
    draw, _ = SCORES[name]
    return np.broadcast_to(draw(rng, shape), shape)


EASE = ("skewed: beta(0.5, 2)", "two in five are 0", "uniform")
"""How easy topics are: the chance of a unit of a report to be right."""


def _coverage_of_ratios() -> None:
    print_title(f"decisions: the same for ratios of sums over topics, of {NUM_TRIALS:,} tracks")
    rows = []
    for is_f1 in (False, True):
        for name in EASE:
            rng = np.random.RandomState(SEED)
            shape = (2_000_000, 1)
            everything = _draw_parts(rng, shape, _draw_ease(rng, shape, name), is_f1=is_f1)
            true = intervals.ratios(everything.sum(0, keepdims=True)).value[0]
            for num_topics in NUM_TOPICS:
                shape = (num_topics, NUM_TRIALS)
                ease = _draw_ease(rng, shape, name)
                parts = _draw_parts(rng, shape, ease, is_f1=is_f1)
                what = f"{'f1_micro' if is_f1 else 'a ratio'}, {name}, {num_topics} topics"
                rows.append([what, *_covered(parts, true)])
    print_table(["figure", *intervals.METHODS, f"bca {LEAST} to {MOST}"], rows)


def _false_positives_of_ratios() -> None:
    print_title(f"decisions: the same for f1_micro, of {NUM_TRIALS:,} equal pairs")
    rows = []
    for name in EASE:
        for num_topics in NUM_TOPICS:
            rng = np.random.RandomState(SEED)
            shape = (num_topics, NUM_TRIALS)
            ease = _draw_ease(rng, shape, name)  # both systems find the same topics hard
            one, other = (
                intervals.ratios(_draw_parts(rng, shape, ease, is_f1=True)) for _ in range(2)
            )
            differences = one.value + one.shares - other.value - other.shares
            rows.append([f"{name}, {num_topics} topics", *_called_different(differences)])
    print_table(["scores", *significance.TESTS, "t 0.04 to 0.06"], rows)


def _pairs_without_difference(draw: Draw, shape: tuple[int, ...]) -> Floats:
    """Differences of two systems that are equally good, on topics that both find hard or easy."""
    rng = np.random.RandomState(SEED)
    topic = rng.random_sample((shape[0], 1))
    return (draw(rng, shape) + topic) / 2 - (draw(rng, shape) + topic) / 2


def _false_positives() -> None:
    print_title(
        f"decisions: share of {NUM_TRIALS:,} equal pairs that a test calls different at 5 %"
    )
    rows = []
    for name, (draw, _) in SCORES.items():
        for num_topics in NUM_PAIRED:
            differences = _pairs_without_difference(draw, (num_topics, NUM_TRIALS))
            rows.append([f"{name}, {num_topics} topics", *_called_different(differences)])
    print_table(["scores", *significance.TESTS, "t 0.04 to 0.06"], rows)


def _called_different(differences: Floats) -> list[str]:
    """The share of pairs that each test calls different, and whether that of the first is right."""
    tests = significance.TESTS.values()
    shares = [float(np.mean(test(differences) <= significance.LEVEL)) for test in tests]
    return [*(f"{share:.3f}" for share in shares), verdict(0.04 <= shares[0] <= 0.06)]


def _family() -> None:
    """Ten equal systems: how often any of their 45 pairs is called different."""
    num_trials, num_systems = NUM_TRIALS, 10
    print_title(
        f"decisions: share of {num_trials:,} tracks of ten equal systems with a false positive"
    )
    rng = np.random.RandomState(SEED)
    first, second = np.triu_indices(num_systems, 1)
    rows = []
    for name, (draw, _) in SCORES.items():
        found = dict.fromkeys(significance.CORRECTIONS, 0)
        for _ in range(num_trials):
            scores = draw(rng, (50, num_systems))
            p_values = significance.by_pair(scores, first, second, significance.paired_t_test)
            for correction, correct in significance.CORRECTIONS.items():
                found[correction] += bool((correct(p_values) <= significance.LEVEL).any())
        shares = {each: number / num_trials for each, number in found.items()}
        cells = [f"{share:.3f}" for share in shares.values()]
        rows.append([f"{name}, 50 topics", *cells, verdict(shares["holm"] <= 0.06)])
    print_table(["scores", *significance.CORRECTIONS, "holm <= 0.05 (+ noise)"], rows)


def _thousand_runs() -> None:
    print_title(f"decisions: {NUM_RUNS:,} runs x {NUM_TOPICS_OF_RUNS} topics, all pairs")
    rng = np.random.RandomState(SEED)
    quality = rng.beta(4, 4, (1, NUM_RUNS))
    ease = np.clip(quality + rng.normal(0, 0.2, (NUM_TOPICS_OF_RUNS, NUM_RUNS)), 0, 1)
    parts = _draw_parts(rng, ease.shape, ease, is_f1=True)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.jsonl"
        scores = _write_scores(path, parts)
        commands = {
            f"leaderboard, {measure}, {test}": [
                "leaderboard", str(path), "--format", "tsv", "-m", measure, "--test", test
            ]
            for measure in ("f1_macro", "f1_micro")
            for test in significance.TESTS
        }  # fmt: skip
        commands["leaderboard, f1_macro, studentized"] = [
            *commands["leaderboard, f1_macro, t"], "--interval", "studentized"
        ]  # fmt: skip
        commands["compare, f1_micro"] = ["compare", str(path), "-m", "f1_micro"]
        for name, command in commands.items():
            process = run_process(argue_eval(*command))
            is_met = process.seconds <= TARGET_SECONDS and process.peak_mb <= TARGET_MB
            cells = [f"{process.seconds:.1f}", f"{process.busy:.1f}", f"{process.peak_mb:.0f}"]
            rows.append([name, *cells, verdict(is_met)])
    target = f"<= {TARGET_SECONDS} s, {TARGET_MB:,} MB"
    print_table(["argue-eval", "s", "CPU s", "peak MB", target], rows)
    _peer(scores)


def _write_scores(path: Path, parts: Floats) -> Floats:
    """Writes scores as ``score -o`` does, and returns those by topic."""
    scores = intervals.ratios(parts.reshape(1, -1, 4)).value.reshape(parts.shape[:2])
    micro = intervals.ratios(parts).value
    with path.open("w", encoding="utf-8") as stream:
        for run in range(parts.shape[1]):
            rows = [
                {"topic_id": f"t{topic}", "measure": "f1", "value": scores[topic, run],
                 "parts": parts[topic, run].tolist()}
                for topic in range(len(parts))
            ]  # fmt: skip
            averages = {"f1_micro": micro[run], "f1_macro": scores[:, run].mean()}
            rows += [
                {"topic_id": "all", "measure": name, "value": value}
                for name, value in averages.items()
            ]
            stream.writelines(json.dumps({"run_id": f"r{run}", **row}) + "\n" for row in rows)
    return scores


def _peer(scores: Floats) -> None:
    """The bootstrap alone, beside scipy's, on the same scores and as many resamples."""
    few = scores[:, :NUM_PEER_RUNS]
    ours = seconds_of(
        lambda: intervals.bounds(few, "bca", Draws(NUM_TOPICS_OF_RUNS, intervals.NUM_RESAMPLES))
    )
    peer = seconds_of(
        lambda: stats.bootstrap(
            (few,), np.mean, axis=0, n_resamples=intervals.NUM_RESAMPLES, method="BCa", batch=500
        )
    )
    rows = [
        ["argue-eval", f"{ours:.2f}", "1.0"],
        ["scipy.stats.bootstrap", f"{peer:.2f}", f"{peer / ours:.1f}"],
    ]
    print()
    print_table([f"BCa intervals of {NUM_PEER_RUNS} runs", "s", "x"], rows)
