"""Compares judges with assessors: agreement, calibration, bias, and the ranking of systems.

Only questions that both answered are in a figure. What one side alone answered is counted, and a
question that nobody answered counts for nothing: unjudged is never a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from argue_eval.analysis.agreement import matching
from argue_eval.analysis.agreement import scores as _scores
from argue_eval.analysis.agreement import truth as _truth
from argue_eval.analysis.agreement.overlap import check_overlap, common_kinds
from argue_eval.analysis.agreement.reading import Files, Progress
from argue_eval.analysis.agreement.results import Agreement, Comparison, Ranking
from argue_eval.analysis.agreement.truth import Material, Wanted
from argue_eval.errors import Finding, UsageError, shorten, unknown_name
from argue_eval.records import GRADED_KINDS, Kind

__all__ = ["Files", "Job", "Wanted", "compare"]

NUM_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be compared, and how.

    Attributes:
        files: judgments and assessments; none if only score files are compared.
        kinds: the kinds to compare; empty for all that both sides have.
        scores: score files by the judge; `truth_scores` those by the assessors.
        measures: names, or ``NAME=TRUTH_NAME``.
        num_resamples: how often topics are drawn anew for the intervals.
    """

    files: Files = field(default_factory=Files)
    wanted: Wanted = field(default_factory=Wanted)
    kinds: Sequence[str] = ()
    scores: Sequence[str] = ()
    truth_scores: Sequence[str] = ()
    measures: Sequence[str] = ()
    num_resamples: int = NUM_RESAMPLES


def compare(
    job: Job, warnings: list[Finding] | None = None, progress: Progress | None = None
) -> Comparison:
    """Returns how well judges agree with the truth.

    Raises:
        InputError: a file has errors, or there is nothing in common to compare.
        UsageError: an option names something unknown.
        MissingResourceError: there is no such file.
    """
    kinds = _kinds(job.kinds)
    if bool(job.scores) != bool(job.truth_scores):
        raise UsageError("--scores and --truth-scores go together: give both, or neither")
    if not job.files.judgments and not job.scores:
        raise UsageError(
            "expected JUDGMENTS... --truth ASSESSMENTS, or --scores and --truth-scores"
        )
    _check_used(job)
    warnings = [] if warnings is None else warnings
    truth: tuple[str, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    notes: list[str] = []
    if job.files.judgments:
        material = _truth.read(job.files, job.wanted, warnings, progress)
        truth = material.truth_names
        notes += material.notes
        agreements = tuple(_agreements(material, kinds, job, notes, progress))
    rankings = tuple(_rankings(job)) if job.scores else ()
    notes += _few(agreements, rankings)
    return Comparison(truth, agreements, rankings, job.num_resamples, tuple(notes))


def _check_used(job: Job) -> None:
    """Checks that no option is given for what is not compared.

    Raises:
        UsageError: one is.
    """
    if job.measures and not job.scores:
        raise UsageError(
            "-m is about score files: give --scores and --truth-scores, or leave it out"
        )
    of_judgments = {
        "--truth": job.files.truth,
        "--kind": job.kinds,
        "--judge": job.wanted.judges,
        "--truth-judge": job.wanted.truth,
        "--qrels": job.files.qrels,
        "--run": job.files.runs,
    }
    for option, value in of_judgments.items():
        if value and not job.files.judgments:
            raise UsageError(f"{option} is about judgments: name JUDGMENTS, or leave it out")


def _kinds(names: Sequence[str]) -> list[Kind]:
    known = {kind.value: kind for kind in Kind}
    for name in names:
        if name not in known:
            raise unknown_name("--kind", name, known)
    return [known[name] for name in dict.fromkeys(names)]


def _agreements(
    material: Material,
    kinds: Sequence[Kind],
    job: Job,
    notes: list[str],
    progress: Progress | None,
) -> Iterator[Agreement]:
    """Yields the agreements by kind, the judge that agrees best first."""
    from argue_eval.analysis.agreement.figures import agreement  # it imports numpy

    truth, reports = material.truth, material.reports
    chosen = common_kinds(material, kinds, job.files, notes)
    matches = [
        matching.match(kind, truth, judge, reports)
        for kind in chosen
        for judge in material.judges
        if kind in judge.answers
    ]
    check_overlap(material, matches, job.files, notes)
    found: dict[Kind, list[Agreement]] = {kind: [] for kind in chosen}
    for each in matches:
        what = f"{shorten(each.judge)} on {each.kind.value}: resamples"

        def tick(done: int, total: int, what: str = what) -> None:
            if progress:
                progress(what, done, total)

        found[each.kind].append(agreement(each, reports, job.num_resamples, tick))
    for kind in chosen:
        yield from sorted(found[kind], key=_rank)


def _rank(each: Agreement) -> float:
    """Returns what judges are sorted by: Pearson of graded kinds, kappa of the others."""
    if not each.figures:
        return 2.0
    value = each.figure("pearson" if each.kind in GRADED_KINDS else "kappa").value
    return 1.5 if value is None else -value


def _rankings(job: Job) -> Iterator[Ranking]:
    from argue_eval.analysis.agreement.systems import rank_scores  # it imports numpy

    judge, truth = _scores.read_tables(job.scores), _scores.read_tables(job.truth_scores)
    for theirs, mine in _scores.measure_pairs(truth, judge, job.measures):
        name = mine if mine == theirs else f"{mine} and {theirs}"
        found = rank_scores(name, truth[theirs], judge[mine], job.num_resamples)
        if found is None:
            raise _scores.no_common_systems(truth[theirs], judge[mine], job.scores[0])
        yield found


def _few(agreements: Sequence[Agreement], rankings: Sequence[Ranking]) -> Iterator[str]:
    """Yields notes if intervals rest on few topics, or on none."""
    from argue_eval.analysis.agreement.bootstrap import FEW_TOPICS

    numbers = [each.num_topics for each in agreements if each.figures]
    numbers += [each.num_topics for each in rankings]
    few = [number for number in numbers if 1 < number < FEW_TOPICS]
    if few:
        least, most = min(few), max(few)
        number = str(least) if least == most else f"{least} to {most}"
        yield f"{number} topics: intervals from fewer than {FEW_TOPICS} topics are rough"
    if 1 in numbers:
        yield "no intervals where there is one topic alone, or no value by topic"
