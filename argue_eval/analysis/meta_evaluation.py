"""What a researcher types: `meta_eval`, over files or over what is in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from argue_eval.analysis.agreement import Job, compare
from argue_eval.analysis.results import MetaEvaluation
from argue_eval.analysis.scores import held
from argue_eval.analysis.systems import ScoredRun
from argue_eval.formats.files import listed, path_of
from argue_eval.records import Judgment, Run

File = str | PathLike[str]
Judgments = File | Sequence[File | Judgment]
"""Judgments, or files of them."""
Scored = Mapping[str, ScoredRun] | File | Sequence[File]
"""What `argue_eval.score` returned; or score files, or folders of ``score -o``."""


def meta_eval(
    judgments: Judgments = (),
    truth: Judgments = (),
    *,
    scores: Scored = (),
    truth_scores: Scored = (),
    labels: File | None = None,
    truth_labels: File | None = None,
    runs: File | Run | Sequence[File | Run] = (),
    nuggets: File | None = None,
    kinds: Sequence[str] = (),
    judges: Sequence[str] = (),
    truth_judges: Sequence[str] = (),
    inter_assessor: bool = False,
    measures: Sequence[str] = (),
    top: int = 10,
    relevant_from: int | str = 1,
    unlabelled: int | None = None,
    num_resamples: int = 1000,
    calibrate: File | None = None,
) -> MetaEvaluation:
    """Compares judges with assessors, as ``argue-eval meta-eval`` does.

    Args:
        judgments: by the judges that are compared.
        truth: by the assessors, who are otherwise looked for in `judgments`.
        scores: of the systems by the judge, whose ranking is compared with that by `truth_scores`.
        labels: TREC qrels by the judge, compared with `truth_labels`.
        runs: the judged runs, which name the system of each sentence.
        nuggets: the nuggets that Auto-ARGUE's judgments name by their texts.
        kinds: kinds of question; by default all that both sides have.
        judges: names of judges to compare; `truth_judges`: of those that count as right.
        inter_assessor: compare the assessors, or `judges`, among themselves.
        measures: of the scores: names, or ``NAME=TRUTH_NAME``; by default all.
        top: how many of the best systems one figure of a ranking is about.
        relevant_from: the lowest grade of a relevant document, or ``GRADE=TRUTH_GRADE``.
        unlabelled: the grade of a document that one side has no label for; None leaves it out.
        num_resamples: how often topics are resampled for the intervals.
        calibrate: a file to write: how the judges' probabilities are best read, fitted to the
            truth, for `Settings.calibrations`.

    Raises:
        InputError: a file has errors, or both sides have nothing in common.
        UsageError: a name is unknown, or arguments do not fit together.
        MissingResourceError: a file does not exist.
    """
    found = compare(
        Job(
            judgments=_judgments("judgments", judgments),
            truth=_judgments("truth", truth),
            qrels=None if nuggets is None else path_of("nuggets", nuggets),
            runs=listed("runs", runs, Run, may_be_empty=True),
            judges=judges,
            truth_judges=truth_judges,
            kinds=kinds,
            scores=_scored("scores", scores),
            truth_scores=_scored("truth_scores", truth_scores),
            measures=measures,
            labels=None if labels is None else path_of("labels", labels),
            truth_labels=None if truth_labels is None else path_of("truth_labels", truth_labels),
            relevant_from=str(relevant_from),
            unlabelled=unlabelled,
            is_panel=inter_assessor,
            is_calibrated=calibrate is not None,
            num_resamples=num_resamples,
            top=top,
        )
    )
    if calibrate is not None:
        from argue_eval.formats.calibrations import write_calibrations

        write_calibrations(path_of("calibrate", calibrate), found.calibrations)
    return found


def _judgments(name: str, given: Any) -> list[str]:
    found = listed(name, given, Judgment, may_be_empty=True)
    records = [each for each in found if isinstance(each, Judgment)]
    files = [each for each in found if not isinstance(each, Judgment)]
    return [*files, *([held(name, records)] if records else [])]


def _scored(name: str, given: Any) -> list[str]:
    if isinstance(given, Mapping):
        return [held(name, given)]
    return listed(name, given, may_be_empty=True)
