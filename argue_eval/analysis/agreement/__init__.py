"""Compares judges with assessors: agreement, calibration, bias, and the ranking of systems.

Figures use only the questions that both sides answered. Questions that one side alone answered are
counted; a question without any answer counts nowhere, since unjudged is not a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from argue_eval.analysis import scores as _scores
from argue_eval.analysis.agreement import matching
from argue_eval.analysis.agreement.reading import Job, Material, Progress, read
from argue_eval.analysis.results import Agreement, Comparison, Ranking
from argue_eval.errors import Finding, UsageError, count, shorten, unknown_name
from argue_eval.formats.files import sources
from argue_eval.records import GRADED_KINDS, Kind

__all__ = ["Job", "compare"]


def compare(
    job: Job, warnings: list[Finding] | None = None, progress: Progress | None = None
) -> Comparison:
    """Compares judges with the truth.

    Raises:
        InputError: a file has errors, or both sides have nothing in common.
        UsageError: an option names something unknown, or options do not fit together.
        MissingResourceError: a file does not exist.
    """
    kinds = _kinds(job.kinds)
    _check_options(job)
    truth: tuple[str, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    notes: list[str] = []
    if job.judgments:
        warnings = [] if warnings is None else warnings
        job = replace(
            job,
            judgments=_files(job.judgments, warnings),
            truth=_files(job.truth, warnings),
        )
        material = read(job, warnings, progress)
        truth = material.truth_names
        notes += material.notes
        agreements = tuple(_agreements(material, kinds, job, notes, progress))
    rankings = tuple(_rankings(job, notes)) if job.scores else ()
    notes += _few_topics(agreements, rankings)
    return Comparison(truth, agreements, rankings, job.num_resamples, tuple(notes))


def _files(paths: Sequence[str], warnings: list[Finding]) -> list[str]:
    return [source.name for source in sources(list(paths), "judgments", warnings)]


def _kinds(names: Sequence[str]) -> list[Kind]:
    known = {kind.value: kind for kind in Kind}
    for name in names:
        if name not in known:
            raise unknown_name("--kind", name, known)
    return [known[name] for name in dict.fromkeys(names)]


def _check_options(job: Job) -> None:
    """Checks that there is something to compare, and that every option applies to it."""
    if bool(job.scores) != bool(job.truth_scores):
        raise UsageError("--scores and --truth-scores go together: give both, or neither")
    if not job.judgments and not job.scores:
        raise UsageError(
            "expected JUDGMENTS... --truth ASSESSMENTS, or --scores and --truth-scores"
        )
    if job.measures and not job.scores:
        raise UsageError(
            "-m applies to score files: give --scores and --truth-scores, or leave it out"
        )
    of_judgments = {
        "--truth": job.truth,
        "--kind": job.kinds,
        "--judge": job.judges,
        "--truth-judge": job.truth_judges,
        "--qrels": job.qrels,
        "--run": job.runs,
    }
    for option, value in of_judgments.items():
        if value and not job.judgments:
            raise UsageError(f"{option} applies to judgments: name JUDGMENTS, or leave it out")


def _agreements(
    material: Material,
    kinds: Sequence[Kind],
    job: Job,
    notes: list[str],
    progress: Progress | None,
) -> Iterator[Agreement]:
    """Yields the agreements by kind, the judge that agrees best first."""
    from argue_eval.analysis.agreement.figures import agreement  # imports numpy

    truth, reports = material.truth, material.reports
    chosen = matching.common_kinds(material, kinds, job, notes)
    matches = [
        matching.match(kind, truth, judge, reports)
        for kind in chosen
        for judge in material.judges
        if kind in judge.answers
    ]
    matching.check_overlap(material, matches, job, notes)
    found: dict[Kind, list[Agreement]] = {kind: [] for kind in chosen}
    for each in matches:
        what = f"{shorten(each.judge)} on {each.kind.value}: resamples"
        tick = partial(progress, what) if progress else None
        found[each.kind].append(agreement(each, reports, job.num_resamples, tick))
    for kind in chosen:
        yield from sorted(found[kind], key=_rank)


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
    for theirs, mine in _scores.measure_pairs(truth, judge, job.measures):
        if num_open := open_judge[mine] + open_truth[theirs]:
            notes.append(f"{count(num_open, 'value')} of {mine} left out: judgments are missing")
        name = mine if mine == theirs else f"{mine} and {theirs}"
        found = rank_scores(name, truth[theirs], judge[mine], job.num_resamples)
        if found is None:
            raise _scores.no_common_systems(truth[theirs], judge[mine], job.scores[0])
        yield found


def _few_topics(agreements: Sequence[Agreement], rankings: Sequence[Ranking]) -> Iterator[str]:
    """Yields notes if intervals rest on few topics, or are missing."""
    from argue_eval.analysis.bootstrap import FEW_TOPICS  # imports numpy

    numbers = [each.num_topics for each in agreements if each.figures]
    numbers += [each.num_topics for each in rankings]
    few = [number for number in numbers if 1 < number < FEW_TOPICS]
    if few:
        least, most = min(few), max(few)
        number = str(least) if least == most else f"{least} to {most}"
        yield f"{number} topics: intervals from fewer than {FEW_TOPICS} topics are rough"
    if 1 in numbers:
        yield "no intervals where there is only one topic, or no value per topic"
