"""How often intervals and tests over topics are right, and what a thousand runs take."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

from argue_eval.analysis import intervals, significance
from argue_eval.analysis.bootstrap import Draws, Floats
from benchmarks.measuring import argue_eval, print_table, print_title, run_process, verdict

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
    _false_positives()
    _family()
    _thousand_runs()


def _coverage() -> None:
    print_title(
        f"decisions: share of {NUM_TRIALS:,} samples whose 95 % interval has the true mean in it"
    )
    rows = []
    for name, (draw, mean) in SCORES.items():
        for num_topics in NUM_TOPICS:
            drawn = Draws(num_topics, 2000)
            samples = draw(np.random.RandomState(SEED), (num_topics, NUM_TRIALS))
            covered = {}
            for method in intervals.METHODS:
                lower, upper = intervals.of_means(samples, method, drawn)
                covered[method] = float(np.mean((lower <= mean) & (mean <= upper)))
            is_met = LEAST <= covered["bca"] <= MOST
            shares = [f"{share:.3f}" for share in covered.values()]
            rows.append([f"{name}, {num_topics} topics", *shares, verdict(is_met)])
    print_table(["scores", *intervals.METHODS, f"bca {LEAST} to {MOST}"], rows)


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
            shares = [
                float(np.mean(test(differences) <= significance.LEVEL))
                for test in significance.TESTS.values()
            ]
            is_met = 0.04 <= shares[0] <= 0.06
            cells = [f"{share:.3f}" for share in shares]
            rows.append([f"{name}, {num_topics} topics", *cells, verdict(is_met)])
    print_table(["scores", *significance.TESTS, "t 0.04 to 0.06"], rows)


def _family() -> None:
    """Ten equal systems: how often any of their 45 pairs is called different."""
    num_trials, num_systems = 2000, 10
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
    scores = np.clip(quality + rng.normal(0, 0.2, (NUM_TOPICS_OF_RUNS, NUM_RUNS)), 0, 1)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.tsv"
        with path.open("w", encoding="utf-8") as stream:
            stream.write("run_id\ttopic_id\tmeasure\tvalue\n")
            for run in range(NUM_RUNS):
                for topic in range(NUM_TOPICS_OF_RUNS):
                    stream.write(f"r{run}\tt{topic}\tquality\t{scores[topic, run]:.6f}\n")
        for options in ([], ["--test", "wilcoxon"], ["--test", "randomization"]):
            process = run_process(argue_eval("compare", str(path), *options))
            if process.code:
                raise SystemExit(f"compare ended with exit code {process.code}")
            is_met = process.seconds <= TARGET_SECONDS and process.peak_mb <= TARGET_MB
            name = " ".join(["argue-eval compare", *options])
            cells = [f"{process.seconds:.1f}", f"{process.peak_mb:.0f}"]
            rows.append([name, *cells, "" if options else verdict(is_met)])
    print_table(["what", "s", "peak MB", f"<= {TARGET_SECONDS} s, {TARGET_MB:,} MB"], rows)
    _peer(scores)


def _peer(scores: Floats) -> None:
    """The bootstrap alone, beside scipy's, on the same scores and as many resamples."""
    from benchmarks.measuring import seconds_of

    few = scores[:, :NUM_PEER_RUNS]
    ours = seconds_of(
        lambda: intervals.of_means(few, "bca", Draws(NUM_TOPICS_OF_RUNS, intervals.NUM_RESAMPLES))
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


if __name__ == "__main__":
    main()
