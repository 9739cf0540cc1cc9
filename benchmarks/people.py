"""The lexical judge beside people: coverage, cross-validated on SummHay's labels.

Weights and thresholds are fitted without the labels that they are then compared with.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from argue_eval.judges.lexical.judge import Model
from argue_eval.records import Kind, Verdict
from benchmarks import calibrate, labels
from benchmarks.calibrate import Bag, Floats, sigmoid
from benchmarks.labels import Labels
from benchmarks.measuring import is_at_hand, print_table, print_title, verdict

COVERAGE_TARGETS = {
    "correlation of verdicts": (0.72, 0.77),
    "correlation of expected scores": (0.0, 0.0),
    "linking accuracy": (0.87, 0.95),
}
"""The least value wanted and the one aimed at; 0 for none."""

_OF_VERDICT = {Verdict.YES: 1.0, Verdict.PARTIAL: 0.5, Verdict.NO: 0.0}


class Compared(NamedTuple):
    """What a person and a judge say about each claim.

    Attributes:
        truth: the person's score: 1, 0.5 or 0.
        said: the judge's verdict as a score.
        expected: the score that the judge expects, from its probabilities.
        prob: of full coverage or support.
        is_link: whether both name the same bullet; NaN if they do not both name one.
        groups: what is resampled together, as numbers.
    """

    truth: Floats
    said: Floats
    expected: Floats
    prob: Floats
    is_link: Floats
    groups: Floats


Measure = Callable[[Compared], float]


def pearson(one: Floats, other: Floats) -> float:
    """The correlation of two rows of scores; 0 if one does not vary."""
    return float(np.corrcoef(one, other)[0, 1]) if np.ptp(one) and np.ptp(other) else 0.0


def linking(compared: Compared) -> float:
    """How often both name the same bullet, of those claims for which both name one."""
    known = compared.is_link[~np.isnan(compared.is_link)]
    return float(known.mean()) if len(known) else 0.0


MEASURES: Mapping[str, Measure] = {
    "correlation of verdicts": lambda compared: pearson(compared.truth, compared.said),
    "correlation of expected scores": lambda compared: pearson(compared.truth, compared.expected),
    "linking accuracy": linking,
}


def cross_validated(kind: Kind, labelled: Labels, folds: Sequence[int]) -> Compared:
    """What models that were fitted to all other folds say about each fold."""
    names, found = calibrate.bags(kind, {"": labelled})
    at = np.array(folds)
    said: dict[int, tuple[float, ...]] = {}
    for fold in sorted(set(folds)):
        fitted = calibrate.FIT[kind]([found[each] for each in np.flatnonzero(at != fold)])
        row = calibrate.model(kind, names, fitted)
        model = Model(row["bias"], row["weights"], row["thresholds"])
        for each in map(int, np.flatnonzero(at == fold)):
            said[each] = _say(found[each], fitted, model)
    groups = numbered([row.group for row in labelled.rows])
    rows = [(found[each].score, *said[each], groups[each]) for each in sorted(said)]
    return Compared(*(np.array(column, dtype=float) for column in zip(*rows, strict=True)))


def numbered(names: Sequence[str]) -> list[int]:
    """A number for each name, equal for equal names, in order of appearance."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return [numbers[name] for name in names]


def _say(bag: Bag, fitted: calibrate.Fitted, model: Model) -> tuple[float, float, float, float]:
    scores = fitted.scores(bag)
    best = int(np.argmax(scores))
    score = float(scores[best])
    prob = float(sigmoid(score - fitted.even))
    said = _OF_VERDICT[model.verdict(prob)]
    is_both = bag.score > 0 and said > 0 and bag.link is not None
    expected = (prob + float(sigmoid(score - fitted.partial))) / 2
    return said, expected, prob, float(best == bag.link) if is_both else np.nan


def resampled(compared: Compared, measure: Measure) -> tuple[float, float]:
    """The 95 percent interval over groups drawn with replacement."""
    return calibrate.interval(
        compared.groups,
        lambda at: measure(Compared(*(column[at] for column in compared))),
        seed=20261121,
    )


def main() -> None:
    """Measures and prints."""
    if not is_at_hand("people"):
        return
    coverage = labels.coverage()
    print_title("people: lexical with people, coverage of insights by bullets (SummHay)")
    by_request = numbered([row.group for row in coverage.rows])
    compared = cross_validated(Kind.COVERS, coverage, by_request)
    _print(compared, COVERAGE_TARGETS, "20 folds, by report request")
    by_topic = numbered([row.topic for row in coverage.rows])
    compared = cross_validated(Kind.COVERS, coverage, by_topic)
    _print(compared, COVERAGE_TARGETS, "2 folds: fitted to one topic, compared on the other")
    print_title("people: language models with people, coverage of insights")
    _print_evaluators()


def _print(compared: Compared, targets: Mapping[str, tuple[float, float]], how: str) -> None:
    rows = []
    for name, (least, aim) in targets.items():
        value = MEASURES[name](compared)
        low, high = resampled(compared, MEASURES[name])
        met = verdict(value >= least) if least else ""
        aimed = verdict(value >= aim) if aim else ""
        row = [name, f"{value:.3f}", f"{low:.3f} to {high:.3f}"]
        rows.append([*row, f"{least or ''}", met, f"{aim or ''}", aimed])
    print_table([how, "value", "95 %", "target", "", "aim", ""], rows)
    print()


def _print_evaluators() -> None:
    """Prints the paper's evaluators against the same people, on all labels and on these."""
    summaries = json.loads(labels.EVALUATORS.read_bytes())
    prefix = "predictions_"
    names = [name.removeprefix(prefix) for name in summaries[0] if name.startswith(prefix)]
    rows = []
    for name in names:
        row = [name]
        for domain in ("conversation", "news"):
            compared = _evaluator(
                [each for each in summaries if each["domain"] == domain], prefix + name
            )
            for measure in ("correlation of verdicts", "linking accuracy"):
                low, high = resampled(compared, MEASURES[measure])
                row.append(f"{MEASURES[measure](compared):.3f} ({low:.3f} to {high:.3f})")
        rows.append(row)
    rows.sort(key=lambda row: row[1], reverse=True)
    head = [
        f"{domain}: {figure}"
        for domain in ("conversation", "news")
        for figure in ("correlation", "linking")
    ]
    print_table(["evaluator", *head], rows)


def _evaluator(summaries: Sequence[Mapping[str, Any]], key: str) -> Compared:
    """What people and a language model say; it gives no probability."""
    rows = []
    groups = numbered([summary["subtopic_id"] for summary in summaries])
    for summary, group in zip(summaries, groups, strict=True):
        predicted = {each["insight_id"]: each for each in summary[key]}
        for label in summary["annotation"]:
            said = predicted.get(label["insight_id"])
            if said is None or said["coverage"] not in labels.SCORES:
                continue
            truth, score = [labels.SCORES[each["coverage"]] for each in (label, said)]
            link, bullet = label["candidate_id"], str(said["bullet_id"])
            is_both = truth > 0 and score > 0 and link.isdecimal() and bullet.isdecimal()
            same = float(int(link) + 1 == int(bullet)) if is_both else np.nan
            rows.append((truth, score, score, score, same, group))
    return Compared(*(np.array(column, dtype=float) for column in zip(*rows, strict=True)))
