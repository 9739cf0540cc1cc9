"""How well a judge is calibrated by 100 assessed pairs, and how often it is right where it is sure.

Six sources of human labels of support, each judged by a model that was fitted to the others, as on
a track that nobody has seen. From each source 100 pairs are drawn twenty times; the judge is
calibrated to them and compared with people on all other pairs of the source.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import argue_eval as ae
from argue_eval.analysis.agreement.calibrating import balanced_accuracy, logistic
from argue_eval.analysis.bootstrap import Floats
from argue_eval.formats.calibrations import JudgeCalibration, logit
from argue_eval.records import Judgment, Kind, Verdict
from benchmarks import calibrate, labels
from benchmarks.measuring import is_at_hand, print_table, print_title, verdict
from benchmarks.support import Said, said_by_others

SEED = 20261122
NUM_DRAWS = 20
NUM_ASSESSED = 100
MOST_LOST = 0.03
SURE_LEAST = 0.75
SHARE_LEAST = 0.1


class Drawn(NamedTuple):
    """Balanced accuracy on the pairs that were not drawn.

    Attributes:
        own: of the judge's own verdicts; `best`: with the threshold that is best on these pairs.
        fitted: with the threshold of the calibration; `empirical`: with the one that is best on the
            drawn pairs; `logistic`: where a logistic model of the drawn pairs says yes as often as
            they do.
        sure: of what is answered with --sure; `share`: how much that is. NaN without limits.
    """

    own: float
    best: float
    fitted: float
    empirical: float
    logistic: float
    sure: float
    share: float


def main() -> None:
    """Measures and prints."""
    if not is_at_hand("calibration"):
        return
    print_title("calibration: lexical, 20 draws of 100 assessed pairs, compared on the others")
    bags = calibrate.bags(Kind.SUPPORT, labels.support()).rows
    said = said_by_others(bags, [bag.source for bag in bags])
    drawn = {name: draws(each) for name, each in said.items()}
    rows = []
    for name, each in drawn.items():
        lost = each.best.mean() - each.fitted.mean()
        low, high = np.quantile(each.fitted, [0.025, 0.975])
        means = [f"{column.mean():.3f}" for column in (each.own, each.best)]
        others = [f"{column.mean():.3f}" for column in (each.empirical, each.logistic)]
        spread = f"{each.fitted.mean():.3f} ({low:.3f} to {high:.3f})"
        rows.append([name, *means, spread, f"{lost:.3f}", verdict(lost <= MOST_LOST), *others])
    head = ["balanced accuracy", "default", "best", "calibrated", "below best", "0.03", "empirical"]
    print_table([*head, "logistic"], rows)
    print()
    rows = []
    for name, each in drawn.items():
        is_sure = ~np.isnan(each.sure)
        cells = ["-", "-", ""]
        if is_sure.any():
            sure, share = each.sure[is_sure].mean(), each.share[is_sure].mean()
            is_met = verdict(sure >= SURE_LEAST) if share >= SHARE_LEAST else ""
            cells = [f"{share:.2f}", f"{sure:.3f}", is_met]
        rows.append([name, f"{is_sure.sum()} of {len(is_sure)}", *cells])
    head = ["calibrated, with --sure", "draws with limits", "answered"]
    print_table([*head, "balanced accuracy", f"{SURE_LEAST}"], rows)


class Draws(NamedTuple):
    """The columns of `Drawn`, one row per draw."""

    own: Floats
    best: Floats
    fitted: Floats
    empirical: Floats
    logistic: Floats
    sure: Floats
    share: Floats


def draws(source: Said) -> Draws:
    """What came of each draw."""
    return Draws(*np.array(list(_drawn(source))).T)


def _drawn(source: Said) -> Iterator[Drawn]:
    stream = np.random.RandomState(SEED)
    probs, is_yes = source.prob, source.is_yes
    says_yes = probs >= source.least
    logits = np.array([logit(prob) for prob in probs])
    truth = [_judgment(at, each, "assessor:A1") for at, each in enumerate(is_yes)]
    judged = [
        _judgment(at, each, "lexical", prob)
        for at, (each, prob) in enumerate(zip(says_yes, probs, strict=True))
    ]
    for _ in range(NUM_DRAWS):
        order = stream.permutation(len(probs))
        some, rest = order[:NUM_ASSESSED], order[NUM_ASSESSED:]
        (fitted,) = ae.meta_eval(
            [judged[at] for at in some],
            [truth[at] for at in some],
            num_resamples=0,
            calibrate=os.devnull,
        ).calibrations
        theirs, values = is_yes[rest], logits[rest]
        slope, intercept = logistic(
            logits[some], is_yes[some], np.ones(NUM_ASSESSED), has_slope=True
        )
        even = logit(float(is_yes[some].mean()))
        calibrated = np.array([fitted.prob(each) for each in probs[rest]])
        sure, share = _sure(fitted, calibrated, theirs)
        yield Drawn(
            own=balanced_accuracy(theirs, says_yes[rest]),
            best=max(_at(theirs, values, each) for each in np.unique(values)),
            fitted=balanced_accuracy(theirs, calibrated >= fitted.thresholds.yes),
            empirical=_at(theirs, values, _empirical(is_yes[some], logits[some])),
            logistic=balanced_accuracy(theirs, slope * values + intercept >= even),
            sure=sure,
            share=share,
        )


def _judgment(at: int, is_yes: bool, judge: str, prob: float | None = None) -> Judgment:
    verdict = Verdict.YES if is_yes else Verdict.NO
    return Judgment(Kind.SUPPORT, f"{at}", verdict, judge, sentence="…", doc_id="d", prob=prob)


def _at(is_yes: Floats, logits: Floats, threshold: float) -> float:
    return balanced_accuracy(is_yes, logits >= threshold)


def _empirical(is_yes: Floats, logits: Floats) -> float:
    steps = np.unique(logits)
    return float(steps[int(np.argmax([_at(is_yes, logits, each) for each in steps]))])


def _sure(fitted: JudgeCalibration, probs: Floats, is_yes: Floats) -> tuple[float, float]:
    """The balanced accuracy of what is answered, and its share; NaN without limits."""
    if fitted.sure is None:
        return float("nan"), float("nan")
    low, high = fitted.sure
    answered = (probs <= low) | (probs >= high)
    theirs = is_yes[answered]
    if theirs.all() or not theirs.any():
        return float("nan"), float(answered.mean())
    return balanced_accuracy(theirs, probs[answered] >= high), float(answered.mean())
