"""``argue-eval score``: runs against nuggets, to scores."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from argue_eval import __version__
from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.parameters import INPUT, OUTPUT, check_files, option
from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED, Finding, UsageError, count, unknown_name

if TYPE_CHECKING:
    from argue_eval.analysis.assessment import People, RunPart
    from argue_eval.analysis.leaderboard import Leaderboard
    from argue_eval.analysis.results import Correction
    from argue_eval.analysis.systems import System
    from argue_eval.evaluation.inputs import Job
    from argue_eval.evaluation.results import RunScores
    from argue_eval.records import ScoreTable
    from argue_eval.report.folder import Folder


class _Finished(NamedTuple):
    """What is kept of a run: little, since memory must not grow with the number of runs."""

    table: ScoreTable  # without its rows
    system: System | None
    lines: list[str]
    open_reasons: Counter[tuple[str, str, str]]
    topic_ids: list[str]
    cited: set[str]
    assessed: list[RunPart]  # what it adds to the correction by assessments, if there is one
    answered_by: Counter[tuple[str, str]]  # of cascades: whose judgments it rests on
    without_units: list[str]  # measures that have nothing to measure in it


def score(
    paths: shared.Paths,
    inputs: shared.Inputs,
    judging: shared.Judging,
    models: shared.Models,
    scoring: shared.Scoring,
    assessed: Annotated[list[str], option(
        "--assessed FILE", "Judgments by people of some topics, sentences or questions, drawn at "
        "random: print scores that are corrected by them, with intervals, as --format text, "
        "markdown, json, csv or tsv. Repeatable.", INPUT)] = [],  # noqa: B006  # Typer makes a list of its own
    level: Annotated[float | None, option(
        "--level P", "With --assessed: intervals cover 1 - P. Default: 0.05.", INPUT)] = None,
    per_topic: Annotated[bool, option(
        "-q, --per-topic", "Print the values of each topic too.", OUTPUT)] = False,
    format_: Annotated[str | None, option(
        "--format NAME", "Format of the scores. Several runs without -q: one table, as text (the "
        "default), markdown, latex, html, tsv, csv or json. Else trec_eval (the default), "
        "ir_measures, auto_argue, json, csv, markdown, lengths; see argue-eval list formats.",
        OUTPUT)] = None,
    output: Annotated[str | None, option(
        "-o, --output DIR", "Write all results to a folder. For each run: scores, outcomes, "
        "judgments and metadata; and a leaderboard.", OUTPUT)] = None,
    report: Annotated[bool, option(
        "--report", "With -o: write DIR/report.html too, a page that shows all of it.",
        OUTPUT)] = False,
    clean: Annotated[bool, option(
        "--clean", "With -o: remove the files of runs that earlier commands wrote there, if they "
        "are not written again.", OUTPUT)] = False,
    allow_unjudged: shared.AllowUnjudged = False,
) -> None:  # fmt: skip
    """Score runs against nugget qrels.

    Example: argue-eval score runs/*.jsonl qrels/example.json --requests topics/example.jsonl
    --collection collection/example.jsonl -q -o scores
    """
    from argue_eval.report.folder import Folder

    runs, qrels = shared.split_paths(paths)
    read = [*paths, *inputs.files(), *assessed, models.prices]
    check_files(read)
    if level is not None and not assessed:
        raise UsageError(
            "--level is about --assessed; for others: argue-eval leaderboard DIR --level P"
        )
    assessing = _Assessing.of(assessed, format_, per_topic, level) if assessed else None
    if clean and output is None:
        raise UsageError("--clean is about the folder of -o DIR, and none is named")
    if report and output is None:
        raise UsageError("--report is about the folder of -o DIR, and none is named")
    job = shared.make_job(runs, qrels, inputs, judging, scoring, models, folder=output)
    folder = Folder(output, read, is_cleaned=clean) if output is not None else None
    with console.only_results_on_stdout() if job.judges.by_kind() else nullcontext():
        has_unjudged = _score(job, format_, per_topic, folder, assessing)
    if report and output is not None:
        _report(output)
    raise typer.Exit(EXIT_UNJUDGED if has_unjudged and not allow_unjudged else EXIT_OK)


class _Assessing(NamedTuple):
    """What people assessed, and how the corrected scores are printed."""

    people: People
    render: Callable[[Correction], Iterator[str]]

    @classmethod
    def of(
        cls, files: list[str], format_: str | None, per_topic: bool, level: float | None
    ) -> _Assessing:
        """Read the assessments."""
        from argue_eval.analysis.assessment import read_people
        from argue_eval.report.assessed import FORMATS

        name = format_ or "text"
        if name not in FORMATS:
            raise unknown_name("--format with --assessed", name, FORMATS)
        if per_topic:
            raise UsageError("-q prints the topics' values, and --assessed corrects their means")
        warnings: list[Finding] = []
        people = read_people(files, warnings, 0.05 if level is None else level)
        console.warn(warnings)
        return cls(people, FORMATS[name])


def _score(
    job: Job,
    format_: str | None,
    per_topic: bool,
    folder: Folder | None,
    assessing: _Assessing | None,
) -> bool:
    """Print the scores of all runs, write their files, and say whether units are unjudged."""
    from argue_eval.analysis.systems import named_apart
    from argue_eval.evaluation import pipeline
    from argue_eval.evaluation.asking import NumAsks
    from argue_eval.evaluation.scoring import nothing_measured, without_units
    from argue_eval.judges import cascade
    from argue_eval.report.folder import cited_in, lines_of, meta_of
    from argue_eval.report.printing import Printer

    if assessing:
        from argue_eval.analysis.assessment import merge, of_run  # imports numpy

    printer = Printer(None if assessing else format_, per_topic=per_topic, width=console.width())
    warnings: list[Finding] = []
    parts: list[RunPart] = []
    progress = console.Progress() if sys.stderr.isatty() else None
    results = console.Results(keep_on=folder is not None)
    open_reasons: Counter[tuple[str, str, str]] = Counter()
    num_asks = NumAsks()
    done: list[_Finished] = []
    cited: set[str] = set()
    resume = f"All replies are in {job.store}: run the same command again." if job.store else ""

    def finish(number: int, scores: RunScores) -> _Finished:
        if folder:
            meta = meta_of(scores, __version__, _given(job))
            folder.write_run(number, scores.table, scores.evidence, lines_of(scores), meta)
        return _Finished(
            scores.table._replace(rows=()),
            _system(scores.table, has_topics=folder is not None or printer.has_intervals)
            if folder or printer.is_table
            else None,
            [] if assessing else printer.lines(number, scores.table),
            scores.open_reasons,
            [each.topic_id for each in scores.evidence],
            cited_in(scores.evidence) if folder else set(),
            [of_run(scores, assessing.people)] if assessing else [],
            scores.answered_by() if is_cascade else Counter(),
            without_units(scores.table),
        )

    with folder or nullcontext(), console.interruptible(job.settings.limits, resume):
        prepared = pipeline.prepare(job, warnings, progress)
        is_cascade = cascade.is_in(prepared.found.judges)
        printer.settle(len(prepared.found.runs))
        if folder:
            named = [(each.run_id or each.name, each.name) for each in prepared.found.runs]
            folder.name_files(*zip(*named, strict=True))
        for each in pipeline.each_run(prepared, finish, progress, num_asks):
            if progress:
                progress.clear()
            if folder:
                folder.add_run(len(done))
            if not done:
                console.warn(warnings)
            results.write(each.lines)
            open_reasons.update(each.open_reasons)
            cited |= each.cited
            parts += each.assessed
            done.append(each._replace(lines=[], cited=set(), assessed=[]))
    systems = named_apart(each.system for each in done if each.system)
    board = _leaderboard(systems, progress) if folder or printer.has_intervals else None
    correction = merge(parts, assessing.people) if assessing else None
    if progress:
        progress.clear()
    if folder and board:
        topic_ids = dict.fromkeys(topic_id for each in done for topic_id in each.topic_ids)
        topics = [prepared.found.topics[topic_id].topic for topic_id in topic_ids]
        console.warn(list(folder.finish(board, topics, cited, correction)))
    if assessing and correction:
        results.write(assessing.render(correction))
    else:
        results.write(printer.last_lines(systems, board))
    if results.is_closed:
        raise console.OutputClosedError
    console.flush()
    tables = [each.table for each in done]
    if assessing or not printer.has_signatures:
        _note_signatures(tables)
    console.warn(nothing_measured(each.without_units for each in done))
    num_unjudged = sum(table.counts["num_unjudged"] for table in tables)
    if num_unjudged and assessing:
        console.note(
            f"the machine left {count(num_unjudged, 'unit')} unjudged: the middle of the bounds "
            "counts in its place (exit code 4, unless --allow-unjudged)"
        )
    elif num_unjudged:
        _note_unjudged(
            num_unjudged, open_reasons, printer.bounds, judged_only=job.options.judged_only
        )
    if is_cascade:
        _note_answered_by(sum((each.answered_by for each in done), Counter()))
    if job.store is not None:
        found, judged, failed, skipped = map(
            num_asks.total_of, ("found", "judged", "failed", "skipped")
        )
        console.note(
            f"store {job.store}: {found} found, {judged} judged and kept, {failed} failed, "
            f"{skipped} skipped"
        )
    if job.settings.leaves_unsure and (num_asks.total_of("unsure") or not is_cascade):
        console.note_sure(num_asks)
    console.note_spent(job.settings.limits, has_prices=bool(job.settings.prices))
    return bool(num_unjudged)


def _system(table: ScoreTable, *, has_topics: bool) -> System:
    from argue_eval.analysis.systems import of_table

    return of_table(table if has_topics else table._replace(rows=tuple(table.averages())))


def _leaderboard(systems: list[System], progress: console.Progress | None) -> Leaderboard:
    from argue_eval.analysis.comparing import ComparisonOptions
    from argue_eval.analysis.leaderboard import of_systems

    return of_systems(systems, options=ComparisonOptions(force=True), progress=progress)


def _report(folder: str) -> None:
    """Write the pages of what was scored: one file, or a folder if that would be too large."""
    from argue_eval.report.interface import report

    with console.following() as (warnings, progress):
        page = f"{folder}/report.html"
        try:
            report(folder, page, progress=progress)
        except UsageError:
            page = f"{folder}/report"
            warnings += report(folder, page, site=True, progress=progress)
            page += "/index.html"
    console.note(f"open {page} in a browser")


def _given(job: Job) -> dict[str, Any]:
    """Tell what was given, for a run's .meta.json."""
    options = job.options
    return {
        "qrels": job.nuggets[0] if len(job.nuggets) == 1 else list(job.nuggets),
        "requests": job.topics,
        "collections": list(job.collections),
        "judgments": list(job.judgments),
        "protocol": job.protocol,
        "measures": list(job.measures),
        "by": list(job.by),
        "response_points": list(job.response_points),
        "options": {
            "reading": options.reading,
            "citations": options.citations,
            "attestation": options.attestation,
            "weights": dict(options.weights),
            "only_answered": options.only_answered,
            "judged_only": options.judged_only,
            "citation_order": options.citation_order,
            "covers": options.covers or None,
        },
    }


def _note_signatures(tables: list[ScoreTable]) -> None:
    signatures = {table.signature: table.run_id for table in tables}
    for signature, run_id in signatures.items():
        of_run = f" of {run_id}" if len(signatures) > 1 else ""
        console.note(f"signature{of_run}: {signature}")


def _note_answered_by(answered_by: Counter[tuple[str, str]]) -> None:
    """Write whose judgments the scores rest on."""
    console.note("judgments that the scores rest on:")
    for kind in sorted({kind for kind, _ in answered_by}):
        by_judge = {judge: number for (each, judge), number in answered_by.items() if each == kind}
        total = sum(by_judge.values())
        for judge, number in sorted(by_judge.items()):
            console.note(f"  {kind}: {number:,} of {total:,} ({number / total:.1%}) by {judge}")


def _note_unjudged(
    number: int, open_reasons: Counter[tuple[str, str, str]], bounds: str, *, judged_only: bool
) -> None:
    from argue_eval.judges import FIXES

    units = count(number, "unit is", "units are")
    what = "values cover judged units only" if judged_only else "what this leaves open has no value"
    console.note(f"{units} unjudged: {what}; {bounds} (exit code 4, unless --allow-unjudged)")
    console.note_reasons(open_reasons)
    if not judged_only:
        can_help = any(reason not in FIXES for _, _, reason in open_reasons)
        retry = "to close the gap, judge again; " if can_help else ""
        console.note(f"{retry}to score what is judged: --judged-only")
