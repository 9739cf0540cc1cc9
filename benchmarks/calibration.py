"""How well a judge is calibrated by 100 assessed pairs, and how often it is right where it is sure.

It reads human labels of support, ``support/*.jsonl.gz`` and ``wice/dev.jsonl`` in the folder of
``$ARGUE_EVAL_DATA``, by default ../shared/data. From each source 100 pairs are drawn twenty times;
the judge is calibrated to them and compared with people on all other pairs of the source.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

import argue_eval as ae
from argue_eval.analysis.agreement.calibrating import balanced_accuracy, logistic
from argue_eval.analysis.bootstrap import Floats
from argue_eval.formats.calibrations import JudgeCalibration, logit
from argue_eval.formats.jsonl import Source
from argue_eval.records import Judgment, Verdict
from benchmarks.labels import DATA
from benchmarks.measuring import print_table, print_title, verdict

SEED = 20261122
NUM_DRAWS = 20
NUM_ASSESSED = 100
MOST_LOST = 0.03
SURE_LEAST = 0.75
SHARE_LEAST = 0.1
UNUSED_LABEL = "Generic"
"""Of BEGIN: what says nothing that a document could support."""

SOURCES = (
    ("QAGS, sentences of news summaries", "support/qags_cnndm.jsonl.gz"),
    ("BEGIN, Wizard of Wikipedia", "support/begin_wow_dev.jsonl.gz"),
    ("BEGIN, Topical-Chat", "support/begin_tc_dev.jsonl.gz"),
    ("BEGIN, CMU-DoG", "support/begin_cmu_dev.jsonl.gz"),
    ("HealthVer, claims about health", "support/healthver_dev.jsonl.gz"),
    ("WiCE dev, sentences of Wikipedia", "wice/dev.jsonl"),
)


class Labelled(NamedTuple):
    """What the judge and people say of the pairs of a source, in one order."""

    judgments: list[Judgment]
    truth: list[Judgment]
    probs: Floats
    says_yes: Floats
    is_yes: Floats


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
    data = Path(os.environ.get("ARGUE_EVAL_DATA") or DATA)
    found = {name: data / path for name, path in SOURCES if (data / path).is_file()}
    print_title("calibration: lexical, 20 draws of 100 assessed pairs, compared on the others")
    if not found:
        print("skipped: no labels are at hand")
        return
    drawn = {name: draws(labelled(path)) for name, path in found.items()}
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


def labelled(path: Path) -> Labelled:
    """Has the judge answer the pairs of a file."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "pairs.jsonl"
        values = [json.loads(line) for _, line in Source(path).lines()]
        used = [each for each in values if each.get("label") != UNUSED_LABEL]
        file.write_text("".join(json.dumps(each) + "\n" for each in used), "utf-8")
        found = ae.judge_pairs(str(file), "lexical")
    known = {each.doc_id: each for each in found.judgments if each.prob is not None}
    truth = [each for each in found.truth if each.doc_id in known]
    judgments = [known[each.doc_id] for each in truth]
    return Labelled(
        judgments,
        truth,
        np.array([each.prob for each in judgments]),
        np.array([each.verdict is Verdict.YES for each in judgments]),
        np.array([each.verdict is Verdict.YES for each in truth]),
    )


class Draws(NamedTuple):
    """The columns of `Drawn`, one row per draw."""

    own: Floats
    best: Floats
    fitted: Floats
    empirical: Floats
    logistic: Floats
    sure: Floats
    share: Floats


def draws(source: Labelled) -> Draws:
    """What came of each draw."""
    return Draws(*np.array(list(_drawn(source))).T)


def _drawn(source: Labelled) -> Iterator[Drawn]:
    stream = np.random.RandomState(SEED)
    logits = np.array([logit(prob) for prob in source.probs])
    for _ in range(NUM_DRAWS):
        order = stream.permutation(len(source.probs))
        some, rest = order[:NUM_ASSESSED], order[NUM_ASSESSED:]
        (fitted,) = ae.meta_eval(
            [source.judgments[at] for at in some],
            [source.truth[at] for at in some],
            num_resamples=0,
            calibrate=os.devnull,
        ).calibrations
        theirs, values = source.is_yes[rest], logits[rest]
        slope, intercept = logistic(
            logits[some], source.is_yes[some], np.ones(NUM_ASSESSED), has_slope=True
        )
        even = logit(float(source.is_yes[some].mean()))
        probs = np.array([fitted.prob(each) for each in source.probs[rest]])
        sure, share = _sure(fitted, probs, theirs)
        yield Drawn(
            own=balanced_accuracy(theirs, source.says_yes[rest]),
            best=max(_at(theirs, values, each) for each in np.unique(values)),
            fitted=balanced_accuracy(theirs, probs >= fitted.thresholds.yes),
            empirical=_at(theirs, values, _empirical(source.is_yes[some], logits[some])),
            logistic=balanced_accuracy(theirs, slope * values + intercept >= even),
            sure=sure,
            share=share,
        )


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
