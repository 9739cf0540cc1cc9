"""How often intervals of corrected scores are right, and how wide beside those of people alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from argue_eval.analysis import rogan_gladen
from argue_eval.analysis.bootstrap import Floats
from argue_eval.analysis.prediction_powered import Assessed, Corrected, Judged, correct
from argue_eval.analysis.results import Figure
from argue_eval.analysis.rogan_gladen import Rate
from benchmarks import labels
from benchmarks.measuring import is_at_hand, print_table, print_title, verdict

SEED = 20261122
NUM_TRIALS = 5000
NUM_REAL = 2000
LEAST, MOST, WIDEST = 0.93, 0.97, 1.02

_Rng = np.random.RandomState
Draw = Callable[[_Rng, int], tuple[Floats, Floats]]
"""Draws topics: people's scores and the machine's."""


def _biased(rng: _Rng, num: int) -> tuple[Floats, Floats]:
    people = np.clip(rng.beta(2, 2, num) + rng.normal(0, 0.1, num), 0, 1)
    return people, np.clip(0.3 + 0.6 * people + rng.normal(0, 0.1, num), 0, 1)


def _worthless(rng: _Rng, num: int) -> tuple[Floats, Floats]:
    return rng.beta(2, 2, num), rng.beta(2, 2, num)


def _good(rng: _Rng, num: int) -> tuple[Floats, Floats]:
    people = np.round(rng.beta(2, 2, num) * 20) / 20
    return people, np.clip(people + rng.normal(0, 0.05, num), 0, 1)


def _nuggets(rng: _Rng, num: int) -> tuple[Floats, Floats]:
    share = rng.beta(1, 2, num)
    return rng.binomial(8, share) / 8, rng.binomial(8, 0.2 + 0.7 * share) / 8


def _skewed(rng: _Rng, num: int) -> tuple[Floats, Floats]:
    people = rng.beta(0.5, 2, num)
    return people, np.clip(people + rng.normal(0, 0.08, num), 0, 1)


def _skewed_worthless(rng: _Rng, num: int) -> tuple[Floats, Floats]:
    return rng.beta(0.5, 2, num), rng.beta(0.5, 2, num)


TOPICS: dict[str, Draw] = {
    "biased machine": _biased,
    "worthless machine": _worthless,
    "good machine": _good,
    "shares of 8 nuggets, biased": _nuggets,
    "skewed: beta(0.5, 2), good": _skewed,
    "skewed: beta(0.5, 2), worthless": _skewed_worthless,
}
SIZES = ((5, 20), (8, 20), (10, 20), (10, 50), (25, 50), (20, 100), (50, 100))
"""Assessed topics, and all."""


class Tally(NamedTuple):
    """What came of many trials: how often intervals hold the truth, and how wide they are."""

    people: list[bool]
    corrected: list[bool]
    widths: list[tuple[float, float]]

    def add(self, found: Corrected, truth: float) -> None:
        """Adds a trial; one without an interval is wrong."""
        self.people.append(_holds(found.people, truth))
        self.corrected.append(_holds(found.value, truth))
        self.widths.append((_width(found.people), _width(found.value)))

    def row(self, name: str) -> list[str]:
        """A line of a table."""
        people, corrected = np.mean(self.widths, axis=0)
        wider = np.mean([mine > WIDEST * theirs for theirs, mine in self.widths])
        covered = float(np.mean(self.corrected))
        return [
            name,
            f"{np.mean(self.people):.3f}",
            f"{covered:.3f}",
            verdict(LEAST <= covered <= MOST),
            f"{corrected / people:.2f}",
            verdict(float(corrected / people) <= WIDEST),
            f"{wider:.3f}",
        ]


HEAD = [
    "", "people alone", "ppi", f"{LEAST} to {MOST}", "width", f"<= {WIDEST}", "share wider",
]  # fmt: skip


def _holds(figure: Figure, truth: float) -> bool:
    return figure.lower is not None and figure.lower <= truth <= (figure.upper or 0.0)


def _width(figure: Figure) -> float:
    return 0.0 if figure.lower is None else (figure.upper or 0.0) - figure.lower


def main() -> None:
    """Measures and prints."""
    _topics()
    _questions()
    _rogan_gladen()
    _real()


def by_topics(people: Floats, machine: Floats, num: int) -> Corrected:
    """Corrects a mean over topics of which the first are assessed."""
    return correct(
        Assessed(people[:num, None], machine[:num, None], np.arange(num), np.ones(num)),
        Judged(machine[num:, None], np.arange(num, len(machine)), is_rest=True),
    )


def _topics() -> None:
    print_title(
        f"assessed: share of {NUM_TRIALS:,} samples of topics whose 95 % interval holds the true "
        "mean, and its mean width beside people's alone"
    )
    rows = []
    for name, draw in TOPICS.items():
        truth = float(draw(_Rng(1), 4_000_000)[0].mean())
        for num, num_all in SIZES:
            rng = _Rng(SEED)
            tally = Tally([], [], [])
            for _ in range(NUM_TRIALS):
                people, machine = draw(rng, num_all)
                tally.add(by_topics(people, machine, num), truth)
            rows.append(tally.row(f"{name}, {num} of {num_all} topics"))
    print_table(HEAD, rows)


RIGHT = {
    "biased": (0.97, 0.5), "worthless": (0.5, 0.5), "good": (0.93, 0.93),
}  # fmt: skip
"""Sensitivity and specificity."""
DRAWN = ((10, 60), (20, 60), (20, 150), (100, 100))
"""Topics of about 15 questions, and questions that are drawn from them."""


def _questions() -> None:
    print_title(
        f"assessed: the same for {NUM_TRIALS:,} samples of questions, about 15 a topic, 60 % yes"
    )
    rows = []
    for name, right in RIGHT.items():
        for num_topics, num in DRAWN:
            for how in ("uniform", "by verdict"):
                rng = _Rng(SEED)
                tally = Tally([], [], [])
                for _ in range(NUM_TRIALS):
                    tally.add(_drawn(rng, right, num_topics, num, how), 0.6)
                rows.append(tally.row(f"{name} machine, {num} of {num_topics} topics, {how}"))
    print_table(HEAD, rows)


def _drawn(rng: _Rng, right: tuple[float, float], num_topics: int, num: int, how: str) -> Corrected:
    """Draws questions of topics that are hard or easy, and corrects the share of yes."""
    sizes = 1 + rng.poisson(14, num_topics)
    topics = np.repeat(np.arange(num_topics), sizes)
    share = np.repeat(rng.beta(3, 2, num_topics), sizes)
    people = rng.random_sample(len(topics)) < share
    is_right = rng.random_sample(len(topics)) < np.where(people, *right)
    machine = people == is_right
    strata = [np.arange(len(topics))]
    if how == "by verdict":
        strata = [np.flatnonzero(machine == each) for each in (False, True)]
    chosen, weights = [], []
    for stratum in strata:
        taken = rng.permutation(stratum)[: num // len(strata)]
        chosen.append(taken)
        weights.append(np.full(len(taken), len(stratum) / max(len(taken), 1)))
    at = np.concatenate(chosen)
    table = np.stack([people, machine]).astype(float)[:, :, None]
    return correct(
        Assessed(table[0][at], table[1][at], topics[at], np.concatenate(weights)),
        Judged(table[1], topics, is_rest=False),
    )


def _rogan_gladen() -> None:
    print_title(
        f"assessed: share of {NUM_TRIALS:,} samples whose Rogan-Gladen interval holds the truth"
    )
    rows = []
    for name, right in {**RIGHT, "lenient": (0.95, 0.7)}.items():
        for truth in (0.1, 0.3, 0.7):
            for num, num_each in ((200, 50), (1000, 200)):
                rng = _Rng(SEED)
                share = truth * right[0] + (1 - truth) * (1 - right[1])
                held, none = 0, 0
                for _ in range(NUM_TRIALS):
                    machine, sensitivity, specificity = (
                        Rate(rng.binomial(of, each) / of, of)
                        for of, each in ((num, share), *((num_each, each) for each in right))
                    )
                    found = rogan_gladen.correct(machine, sensitivity, specificity)
                    none += found.value is None
                    held += _holds(found, truth)
                covered = held / NUM_TRIALS
                what = f"{name} machine, share {truth}, {num} judged, {num_each} each assessed"
                is_met = verdict(LEAST <= covered <= MOST)
                rows.append([what, f"{covered:.3f}", is_met, f"{none / NUM_TRIALS:.2f}"])
    print_table(["", "covered", f"{LEAST} to {MOST}", "no value"], rows)


# --- labels of people -----------------------------------------------------------------------------

_MACHINES = ("prompted_gemini-1.5-pro", "prompted_gpt-4o", "prompted_gpt3.5")


def _real() -> None:
    """SummHay's labels: what people said of all summaries is known."""
    if not is_at_hand("assessed"):
        return
    print_title(
        f"assessed: coverage by people and language models (SummHay), {NUM_REAL:,} draws of topics "
        "with replacement, 10 of 29 assessed"
    )
    summaries = json.loads(labels.EVALUATORS.read_bytes())
    rows = []
    for machine in _MACHINES:
        scores: dict[str, list[list[float]]] = {}
        for summary in summaries:
            predicted = {each["insight_id"]: each for each in summary[f"predictions_{machine}"]}
            pairs = [
                [labels.SCORES[said["coverage"]] for said in (each, predicted[each["insight_id"]])]
                for each in summary["annotation"]
                if predicted.get(each["insight_id"], {}).get("coverage") in labels.SCORES
            ]
            scores.setdefault(summary["subtopic_id"], []).extend(pairs)
        table = np.array([np.mean(pairs, axis=0) for pairs in scores.values() if pairs])
        truth, rng, tally = float(table[:, 0].mean()), _Rng(SEED), Tally([], [], [])
        for _ in range(NUM_REAL):
            people, said = table[rng.randint(len(table), size=len(table))].T
            tally.add(by_topics(people, said, 10), truth)
        rows.append(tally.row(f"{machine}: {table[:, 1].mean():.3f}, people {truth:.3f}"))
    print_table(HEAD, rows)
