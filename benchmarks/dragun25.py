"""Decisions on a real track: DRAGUN 2025, 26 runs over 30 topics, each of 551 answers assessed.

It reads ``$ARGUE_EVAL_DATA/dragun25/auto_report_assessments.csv.gz``, by default in ../shared/data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import argue_eval as ae
from argue_eval.analysis.bootstrap import Floats
from argue_eval.analysis.ranking import kendall_tau
from benchmarks.measuring import DATA, is_at_hand, print_table, print_title

SEED = 20261122
NUM_DRAWS = 2000
NUM_TOPICS = (5, 10, 15, 20, 25, 28)
STABLE = 0.9
NUM_SHOWN = 8
SUPPORTIVE, CONTRADICTORY = "supportive_score", "contradictory_score"

_CREDITS = {ae.Verdict.YES: 1.0, ae.Verdict.PARTIAL: 0.5}


class Credits(NamedTuple):
    """What each answer brings each run: 1, 0.5 or 0, in the shape (answers, runs).

    Attributes:
        topics: the topic of each answer, as an index.
    """

    values: Floats
    topics: Floats

    def means(self, answers: Floats) -> Floats:
        """Each run's score if there were only these answers; a topic without any is left out."""
        number = np.bincount(self.topics[answers])
        sums = np.zeros((len(number), self.values.shape[1]))
        np.add.at(sums, self.topics[answers], self.values[answers])
        found: Floats = (sums[number > 0] / number[number > 0][:, None]).mean(0)
        return found


def main() -> None:
    """Reads and prints; says so if the data is not there."""
    path = DATA / "dragun25" / "auto_report_assessments.csv.gz"
    if not is_at_hand("dragun25", path):
        return
    # Without the rubric, every answer is a question of its own, with the weight 1.
    scores = ae.score(path, path, protocol="dragun", judge="none")
    found = ae.compare(scores, SUPPORTIVE)
    _print_systems(found, scores)
    _print_leave_one_out(scores, _credits(scores))
    _print_topics(scores, found.topic_ids)


def _print_systems(found: ae.SystemComparison, scores: ae.Scores) -> None:
    print_title(
        f"dragun25: {len(scores)} runs, {len(found.topic_ids)} topics; {SUPPORTIVE} with 95 % "
        "intervals over topics"
    )
    rows = []
    for place in found.systems():
        spans = [f"{span[0]}-{span[1]}" for span in (place.ranks, place.groups) if span]
        ends = f"[{place.mean.lower:.4f}, {place.mean.upper:.4f}]"
        shown = [f"{place.mean.value:.4f}", ends, str(place.rank), *spans]
        rows.append([place.run_id, *shown, str(scores[place.run_id][CONTRADICTORY])])
    print_table(["run", "mean", "interval", "rank", "ranks", "groups", CONTRADICTORY], rows)
    pairs = list(found.pairs())
    differing = sum(found.differs(pair.first, pair.second) for pair in pairs)
    groups = max(place.groups[1] for place in found.systems() if place.groups)
    print(
        f"\n{differing} of {len(pairs)} pairs differ (paired t-test, Holm's correction, 0.05); "
        f"{groups} groups of runs that cannot be told apart"
    )


def _credits(scores: ae.Scores) -> Credits:
    said = [
        {(each.topic_id, each.nugget_id): each.verdict for each in run.used_judgments()}
        for run in scores.values()
    ]
    answers = list(dict.fromkeys(answer for each in said for answer in each))
    topic_ids = list(dict.fromkeys(topic_id for topic_id, _ in answers))
    values = [[_CREDITS.get(each[answer], 0.0) for each in said] for answer in answers]
    return Credits(np.array(values), np.array([topic_ids.index(each) for each, _ in answers]))


def _print_leave_one_out(scores: ae.Scores, credits: Credits) -> None:
    """As if answers had come from a pool of what runs say: without those that one run alone has."""
    print_title("dragun25: the answers that only one run supports, left out run by run")
    has = credits.values > 0
    pooled = credits.means(has.any(1))
    rows, taus, moves = [], [], []
    for column, run_id in enumerate(scores):
        others = np.delete(has, column, axis=1).any(1)
        means = credits.means(others)
        before, after = (int((each > each[column]).sum()) + 1 for each in (pooled, means))
        (tau,) = kendall_tau(means[None], pooled[None])
        own = int((has.any(1) & ~others).sum())
        taus.append(float(tau))
        moves.append(abs(after - before))
        rows.append([run_id, str(own), str(before), str(after), f"{tau:.4f}"])
    rows.sort(key=lambda row: -int(row[1]))
    head = ["run", "answers of its own", "rank", "rank without them", "tau of all"]
    print_table(head, rows[:NUM_SHOWN])
    print(
        f"\n{int(has.any(1).sum())} of {len(has)} answers are supported by some run; leaving a "
        f"run's own out keeps tau >= {min(taus):.4f} and moves it by {max(moves)} ranks at most"
    )


def _print_topics(scores: ae.Scores, topic_ids: Sequence[str]) -> None:
    """The ranking by some of the topics beside that by all."""
    table = np.array(
        [[float(run[SUPPORTIVE, topic_id]) for run in scores.values()] for topic_id in topic_ids]
    )
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
        shown = {"mean": float(taus.mean()), "worst": float(np.quantile(taus, 0.05))}
        for name, tau in shown.items():
            if tau >= STABLE:
                needed.setdefault(name, number)
        if number in NUM_TOPICS:
            rows.append([f"{number} topics", *(f"{tau:.3f}" for tau in shown.values())])
    print_table(["drawn", "mean tau", "one in 20 is below"], rows)
    print(
        f"\ntau >= {STABLE} takes {needed['mean']} of the {len(table)} topics on average, "
        f"{needed['worst']} in 19 of 20 draws"
    )
