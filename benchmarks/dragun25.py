"""Decisions on a real track: DRAGUN 2025, 26 runs over 30 topics, each of 551 answers assessed.

It reads ``$ARGUE_EVAL_DATA/dragun25/auto_report_assessments.csv.gz``, by default in ../shared/data.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

import argue_eval as ae
from argue_eval.analysis.bootstrap import Floats
from argue_eval.analysis.ranking import kendall_tau
from argue_eval.records import ScoreTable
from benchmarks.labels import DATA
from benchmarks.measuring import print_table, print_title

SEED = 20261122
NUM_DRAWS = 2000
NUM_TOPICS = (5, 10, 15, 20, 25, 28)
STABLE = 0.9
MEASURES = {
    "supportive": {"supports": 1.0, "partial": 0.5},
    "contradictory": {"contradicts": 1.0},
}
"""What an assessment counts in each measure; otherwise 0."""


@dataclass(frozen=True)
class Scored:
    """A run with its scores, as `argue_eval.compare` takes it."""

    table: ScoreTable


@dataclass(frozen=True)
class Track:
    """What was assessed.

    Attributes:
        topics: the topic of each answer, as an index.
        credits: by measure, what each answer brings each run: (answers, runs).
    """

    run_ids: list[str]
    topic_ids: list[str]
    topics: Floats
    credits: Mapping[str, Floats]

    def by_topic(self, measure: str, answers: Floats) -> Floats:
        """Each run's mean over some answers of each topic, 0 without any: (topics, runs)."""
        size = len(self.topic_ids)
        number = np.bincount(self.topics[answers], minlength=size)
        found = np.zeros((size, len(self.run_ids)))
        np.add.at(found, self.topics[answers], self.credits[measure][answers])
        return found / np.maximum(number, 1)[:, None]


def main() -> None:
    """Reads and prints; says so if the data is not there."""
    folder = Path(os.environ.get("ARGUE_EVAL_DATA") or DATA)
    path = folder / "dragun25" / "auto_report_assessments.csv.gz"
    if not path.is_file():
        print(f"\n{path} is not there: set ARGUE_EVAL_DATA")
        return
    track = read(path)
    every = np.ones(len(track.topics), dtype=bool)
    tables = {measure: track.by_topic(measure, every) for measure in track.credits}
    found = ae.compare(_scored(track, tables), "supportive")
    _print_systems(found, track, tables["contradictory"])
    _print_leave_one_out(track)
    _print_topics(tables["supportive"])


def read(path: Path) -> Track:
    """Reads the assessments; every answer is a question of its own, with the weight 1."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    run_ids = list(dict.fromkeys(row["run_tag"] for row in rows))
    answers = list(dict.fromkeys((row["topic_id"], row["answer_id"]) for row in rows))
    topic_ids = list(dict.fromkeys(topic_id for topic_id, _ in answers))
    place = {name: at for names in (run_ids, answers, topic_ids) for at, name in enumerate(names)}
    credits = {}
    for measure, counts in MEASURES.items():
        credits[measure] = np.zeros((len(answers), len(run_ids)))
        for row in rows:
            cell = place[row["topic_id"], row["answer_id"]], place[row["run_tag"]]
            credits[measure][cell] = counts.get(row["auto_assessment"], 0.0)
    topics = np.array([place[topic_id] for topic_id, _ in answers])
    return Track(run_ids, topic_ids, topics, credits)


def _scored(track: Track, tables: Mapping[str, Floats]) -> dict[str, Scored]:
    found = {}
    for column, run_id in enumerate(track.run_ids):
        rows = []
        for measure, table in tables.items():
            values = [float(value) for value in table[:, column]]
            for topic_id, value in zip(
                [*track.topic_ids, "all"], [*values, fmean(values)], strict=True
            ):
                rows.append(ae.MeasureValue(measure, topic_id, value, value, value))
        found[run_id] = Scored(ScoreTable(run_id, "", "", tuple(rows)))
    return found


def _print_systems(found: ae.SystemComparison, track: Track, contradictory: Floats) -> None:
    print_title(
        f"dragun25: {len(track.run_ids)} runs, {len(track.topic_ids)} topics, "
        f"{len(track.topics)} answers; supportive score with 95 % intervals over topics"
    )
    against = dict(zip(track.run_ids, contradictory.mean(0), strict=True))
    rows = []
    for place in found.systems():
        spans = [f"{span[0]}-{span[1]}" for span in (place.ranks, place.groups) if span]
        ends = f"[{place.mean.lower:.4f}, {place.mean.upper:.4f}]"
        shown = [f"{place.mean.value:.4f}", ends, str(place.rank), *spans]
        rows.append([place.run_id, *shown, f"{against[place.run_id]:.4f}"])
    print_table(["run", "mean", "interval", "rank", "ranks", "groups", "contradictory"], rows)
    pairs = list(found.pairs())
    differing = sum(found.differs(pair.first, pair.second) for pair in pairs)
    print(
        f"\n{differing} of {len(pairs)} pairs differ (paired t-test, Holm's correction, 0.05); "
        f"{max(int(row[5].split('-')[1]) for row in rows)} groups of runs that cannot be told apart"
    )


def _print_leave_one_out(track: Track) -> None:
    """As if answers had come from a pool of what runs say: without those that one run alone has."""
    print_title("dragun25: the answers that only one run supports, left out run by run")
    has = track.credits["supportive"] > 0
    pooled = track.by_topic("supportive", has.any(1)).mean(0)
    rows, taus, moves = [], [], []
    for column, run_id in enumerate(track.run_ids):
        others = np.delete(has, column, axis=1).any(1)
        means = track.by_topic("supportive", others).mean(0)
        before, after = (int((each > each[column]).sum()) + 1 for each in (pooled, means))
        (tau,) = kendall_tau(means[None], pooled[None])
        own = int((has.any(1) & ~others).sum())
        taus.append(float(tau))
        moves.append(after - before)
        rows.append([run_id, str(own), str(before), str(after), f"{tau:.4f}"])
    rows.sort(key=lambda row: -int(row[1]))
    print_table(["run", "answers of its own", "rank", "rank without them", "tau of all"], rows[:8])
    print(
        f"\n{int(has.any(1).sum())} answers are supported by some run; leaving a run's own out "
        f"keeps tau >= {min(taus):.4f} and moves a run by {max(map(abs, moves))} ranks at most"
    )


def _print_topics(table: Floats) -> None:
    """The ranking by some of the topics beside that by all."""
    print_title(
        f"dragun25: Kendall's tau of the ranking by some topics with that by all {len(table)}"
    )
    whole = table.mean(0)[None]
    rng = np.random.RandomState(SEED)
    rows = []
    needed: dict[str, int] = {}
    for number in range(2, len(table)):
        drawn = np.array([rng.permutation(len(table))[:number] for _ in range(NUM_DRAWS)])
        taus = kendall_tau(table[drawn].mean(1), np.repeat(whole, NUM_DRAWS, axis=0))
        shown = {"mean": float(taus.mean()), "worst of 20": float(np.quantile(taus, 0.05))}
        for name, tau in shown.items():
            if tau >= STABLE:
                needed.setdefault(name, number)
        if number in NUM_TOPICS:
            rows.append([f"{number} topics", *(f"{tau:.3f}" for tau in shown.values())])
    print_table(["drawn", "mean tau", "one in 20 is below"], rows)
    print(
        f"\ntau >= {STABLE} takes {needed['mean']} of the {len(table)} topics on average, "
        f"{needed['worst of 20']} in 19 of 20 draws"
    )


if __name__ == "__main__":
    main()
