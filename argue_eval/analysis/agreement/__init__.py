"""Compares judges with assessors: agreement, calibration, bias, and the ranking of systems.

Figures use only the questions that both sides answered. Questions that one side alone answered are
counted; a question without any answer counts nowhere, since unjudged is not a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from argue_eval.analysis import scores as _scores
from argue_eval.analysis.agreement import matching
from argue_eval.analysis.agreement.reading import Job, Material, Reports, read, read_panel
from argue_eval.analysis.results import Agreement, MetaEvaluation, Panel, Ranking
from argue_eval.errors import (
    Finding,
    InputError,
    UsageError,
    check_names,
    check_range,
    count,
    shorten,
)
from argue_eval.formats.files import File, listed, path_of, sources
from argue_eval.formats.labels import MAX_GRADE
from argue_eval.formats.processes import Progress
from argue_eval.records import GRADED_KINDS, Judgment, Kind, Run

if TYPE_CHECKING:
    from argue_eval.analysis.systems import Scored
    from argue_eval.formats.calibrations import JudgeCalibration

__all__ = ["Job", "compare", "meta_eval"]

Judgments = File | Sequence[File | Judgment]
"""Judgments, or files of them."""


def meta_eval(
    judgments: Judgments = (),
    truth: Judgments = (),
    *,
    scores: Mapping[str, Scored] | File | Sequence[File] = (),
    truth_scores: Mapping[str, Scored] | File | Sequence[File] = (),
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
        scores: of the systems by the judge, whose ranking is compared with that by `truth_scores`:
            what `argue_eval.score` returned, score files, or folders of ``score -o``.
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
    return [*files, *([_scores.held(name, records)] if records else [])]


def _scored(name: str, given: Any) -> list[str]:
    if isinstance(given, Mapping):
        return [_scores.held(name, given)]
    return listed(name, given, may_be_empty=True)


def compare(
    job: Job, warnings: list[Finding] | None = None, progress: Progress | None = None
) -> MetaEvaluation:
    """Compares judges with the truth.

    Raises:
        InputError: a file has errors, or both sides have nothing in common.
        UsageError: an option names something unknown, or options do not fit together.
        MissingResourceError: a file does not exist.
    """
    known = {kind.value: kind for kind in Kind}
    check_names("--kind", job.kinds, known)
    kinds = [known[name] for name in dict.fromkeys(job.kinds)]
    _check_options(job)
    truth: tuple[str, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    panels: tuple[Panel, ...] = ()
    calibrations: tuple[JudgeCalibration, ...] = ()
    notes = list(job.notes)
    warnings = [] if warnings is None else warnings
    job = replace(job, judgments=_files(job.judgments, warnings), truth=_files(job.truth, warnings))
    if job.is_panel:
        panels = _panels(job, kinds, notes, warnings, progress)
    elif job.judgments:
        material = read(job, warnings, progress)
        truth = material.truth_names
        notes += material.notes
        matches = _matches(material, kinds, job, notes)
        agreements = tuple(_agreements(matches, material.reports, job, progress))
        if job.is_calibrated:
            from argue_eval.analysis.agreement.calibrating import calibrate  # imports numpy

            calibrations = tuple(calibrate(matches, warnings))
    rankings = tuple(_rankings(job, notes)) if job.scores else ()
    labels = None
    if job.labels and job.truth_labels:
        from argue_eval.analysis.agreement.labels import compare_labels  # imports numpy

        labels = compare_labels(job.labels, job.truth_labels, job, notes)
    numbers = [each.num_topics for each in agreements if each.figures]
    numbers += [each.num_topics for each in rankings]
    numbers += [each.num_topics for each in panels]
    numbers += [len(labels.topics)] if labels else []
    notes += _few_topics(numbers)
    return MetaEvaluation(
        truth, agreements, rankings, job.num_resamples, tuple(notes), panels, labels, calibrations
    )


def _files(paths: Sequence[str], warnings: list[Finding]) -> list[str]:
    found: list[str] = []
    for path in paths:
        is_held = isinstance(path, _scores.Held)
        found += [path] if is_held else [each.name for each in sources(path, "judgments", warnings)]
    return found


def _check_options(job: Job) -> None:
    """Checks that there is something to compare, and that every option applies to it."""
    for name, pair in (
        ("scores", (job.scores, job.truth_scores)),
        ("labels", (job.labels, job.truth_labels)),
    ):
        if bool(pair[0]) != bool(pair[1]):
            raise UsageError(f"--{name} and --truth-{name} go together: give both, or neither")
    for option, number, least, most in (
        ("--resamples", job.num_resamples, 0, 100_000),
        ("--top", job.top, 2, 1_000_000),
        ("--unlabelled", job.unlabelled or 0, 0, MAX_GRADE),
    ):
        check_range(option, number, least, most)
    if not job.judgments and not job.scores and not job.labels:
        raise UsageError(
            "expected JUDGMENTS... --truth ASSESSMENTS, or --pairs FILE, or --scores and "
            "--truth-scores, or --labels and --truth-labels"
        )
    if job.is_calibrated and (job.is_panel or not job.judgments):
        raise UsageError(
            "--calibrate needs judgments of a judge and of assessors: JUDGMENTS... --truth "
            "ASSESSMENTS, or --pairs FILE --judge NAME"
        )
    if job.is_panel and (job.truth or job.truth_judges):
        raise UsageError(
            "--inter-assessor compares judges among themselves: leave out --truth and --truth-judge"
        )
    of_judgments = {
        "--truth": job.truth,
        "--inter-assessor": job.is_panel,
        "--kind": job.kinds,
        "--judge": job.judges,
        "--truth-judge": job.truth_judges,
        "--qrels": job.qrels,
        "--run": job.runs,
    }
    of_labels = {
        "--unlabelled": job.unlabelled is not None,
        "--relevant-from": job.relevant_from != "1",
    }
    for needed, what, options in (
        (job.judgments, "judgments: name JUDGMENTS", of_judgments),
        (job.scores, "score files: give --scores and --truth-scores", {"-m": job.measures}),
        (job.labels, "relevance labels: give --labels and --truth-labels", of_labels),
    ):
        for option, value in options.items():
            if value and not needed:
                raise UsageError(f"{option} applies to {what}, or leave it out")


def _panels(
    job: Job,
    kinds: Sequence[Kind],
    notes: list[str],
    warnings: list[Finding],
    progress: Progress | None,
) -> tuple[Panel, ...]:
    from argue_eval.analysis.agreement.panel import panels  # imports numpy

    judges, reports, found = read_panel(job, warnings, progress)
    notes += found
    every = tuple(panels(judges, reports, job.num_resamples))
    wanted = tuple(each for each in every if not kinds or each.kind in kinds)
    if not wanted:
        names = ", ".join(shorten(each.name) for each in judges)
        kind = f" of the kind {' or '.join(each.value for each in kinds)}" if kinds else ""
        message = f"no question{kind} was answered by two or more of {names}"
        hint = "name judgments of the same runs; give the runs if sentences are named by place"
        raise InputError(Finding("no_overlap", message, hint, job.judgments[0]))
    return wanted


def _matches(
    material: Material, kinds: Sequence[Kind], job: Job, notes: list[str]
) -> list[matching.Matched]:
    """The questions of every kind and judge that the truth answers too."""
    truth, reports = material.truth, material.reports
    chosen = matching.common_kinds(material, kinds, job, notes)
    matches = [
        matching.match(kind, truth, judge, reports)
        for kind in chosen
        for judge in material.judges
        if kind in judge.answers
    ]
    matching.check_overlap(material, matches, job, notes)
    return matches


def _agreements(
    matches: Sequence[matching.Matched], reports: Reports, job: Job, progress: Progress | None
) -> Iterator[Agreement]:
    """Yields the agreements by kind, the judge that agrees best first."""
    from argue_eval.analysis.agreement.figures import agreement  # imports numpy

    found: dict[Kind, list[Agreement]] = {}
    for each in matches:
        what = f"{shorten(each.judge)} on {each.kind.value}: resamples"
        tick = partial(progress, what) if progress else None
        made = agreement(each, reports, job.num_resamples, tick, job.top)
        found.setdefault(each.kind, []).append(made)
    for agreements in found.values():
        yield from sorted(agreements, key=_rank)


def _rank(each: Agreement) -> float:
    """The sort key of judges: Pearson for graded kinds, kappa for the others."""
    if not each.figures:
        return 2.0
    value = each.figure("pearson" if each.kind in GRADED_KINDS else "kappa").value
    return 1.5 if value is None else -value


def _rankings(job: Job, notes: list[str]) -> Iterator[Ranking]:
    from argue_eval.analysis.ranking import rank_scores  # imports numpy

    judge, open_judge = _scores.read_tables(job.scores)
    truth, open_truth = _scores.read_tables(job.truth_scores)
    failed: list[InputError] = []
    pairs = _scores.measure_pairs(truth, judge, job.measures)
    for theirs, mine in pairs:
        if num_open := open_judge[mine] + open_truth[theirs]:
            notes.append(f"{count(num_open, 'value')} of {mine} left out: judgments are missing")
        name = mine if mine == theirs else f"{mine} and {theirs}"
        found = rank_scores(name, truth[theirs], judge[mine], job.num_resamples, job.top)
        if found is not None:
            yield found
            continue
        failed.append(_scores.no_common_systems(truth[theirs], judge[mine], job.scores[0]))
        notes.append(f"{name} is not compared: fewer than two runs have a value on both sides")
    if len(failed) == len(pairs):
        raise failed[0]


def _few_topics(numbers: Sequence[int]) -> Iterator[str]:
    """Yields notes if intervals rest on few topics, or are missing."""
    from argue_eval.analysis.bootstrap import FEW_TOPICS  # imports numpy

    few = [number for number in numbers if 1 < number < FEW_TOPICS]
    if few:
        least, most = min(few), max(few)
        number = str(least) if least == most else f"{least} to {most}"
        yield f"{number} topics: intervals from fewer than {FEW_TOPICS} topics are rough"
    if 1 in numbers:
        yield "no intervals where there is only one topic, or no value per topic"
