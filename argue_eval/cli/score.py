"""``argue-eval score``: runs against nuggets, to scores."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import INPUT, OUTPUT, param
from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED, Finding, UsageError, count, unknown_name

if TYPE_CHECKING:
    from argue_eval.analysis.assessment import People, RunPart
    from argue_eval.analysis.results import Correction
    from argue_eval.analysis.systems import System
    from argue_eval.evaluation.asking import NumAsks
    from argue_eval.evaluation.inputs import Job
    from argue_eval.evaluation.pipeline import Prepared
    from argue_eval.evaluation.results import RunScores
    from argue_eval.records import ScoreTable
    from argue_eval.report.folder import Folder
    from argue_eval.report.tables import Printer


def score(
    paths: shared.Paths,
    inputs: shared.Inputs,
    judging: shared.Judging,
    models: shared.Models,
    scoring: shared.Scoring,
    assessed: Annotated[list[str], param(
        "--assessed FILE", "Judgments by people of some topics, sentences or questions, drawn at "
        "random: print scores that are corrected by them, with intervals, as --format text, "
        "markdown, json, csv or tsv. Repeatable.", INPUT)] = [],  # noqa: B006  # Typer makes a list of its own
    level: Annotated[float | None, param(
        "--level P", "With --assessed: intervals cover 1 - P. Default: 0.05.", INPUT)] = None,
    per_topic: Annotated[bool, param(
        "-q, --per-topic", "Print the values of each topic too.", OUTPUT)] = False,
    format_: Annotated[str | None, param(
        "--format NAME", "Format of the scores. Several runs without -q: one table, as text (the "
        "default), markdown, latex, html, tsv, csv or json. Else trec_eval (the default), "
        "ir_measures, auto_argue, json, csv, markdown, lengths; see argue-eval list formats.",
        OUTPUT)] = None,
    output: Annotated[str | None, param(
        "-o, --output DIR", "Write all results to a folder. For each run: scores, outcomes, "
        "judgments and metadata; and a leaderboard.", OUTPUT)] = None,
    report: Annotated[bool, param(
        "--report", "With -o: write DIR/report.html too, a page that shows all of it.",
        OUTPUT)] = False,
    clean: Annotated[bool, param(
        "--clean", "With -o: remove the files of runs that earlier commands wrote there, if they "
        "are not written again.", OUTPUT)] = False,
    allow_unjudged: shared.AllowUnjudged = False,
) -> int:  # fmt: skip
    """Score runs against nugget qrels.

    Example: argue-eval score runs/*.jsonl qrels/example.json --requests topics/example.jsonl
    --collection collection/example.jsonl -q -o scores
    """
    from argue_eval.evaluation.judging import NOBODY

    read = [*paths, *inputs.files(), *assessed, models.prices]
    console.check_files(read)
    if level is not None and not assessed:
        raise UsageError(
            "--level is about --assessed; for others: argue-eval leaderboard DIR --level P"
        )
    assessing = _Assessing.of(assessed, format_, per_topic, level) if assessed else None
    if (clean or report) and output is None:
        name = "--clean" if clean else "--report"
        raise UsageError(f"{name} is about the folder of -o DIR, and none is named")
    job = shared.make_job(paths, inputs, judging, scoring, models, folder=output)
    folder = None
    if output is not None:
        from argue_eval.report.folder import Folder

        folder = Folder(output, read, is_cleaned=clean)
    if format_ is not None and not assessing:
        from argue_eval.report.tables import check_format

        check_format(format_, per_topic=per_topic)
    progress = console.Progress() if sys.stderr.isatty() else None
    work = _Work(job, None if assessing else format_, per_topic, folder, assessing, progress)
    stopping: AbstractContextManager[None] = nullcontext()
    if job.judges != NOBODY:
        from argue_eval.cli.judging import asking

        rerun = f"All replies are in {job.store}: run the same command again."
        stopping = asking(job.settings.limits, rerun if job.store else "")
    with stopping:
        work.run()
        work.print_all()
    if report and output is not None:
        _report(output)
    return EXIT_UNJUDGED if work.num_unjudged and not allow_unjudged else EXIT_OK


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


class _Finished(NamedTuple):
    """What is kept of a run: little, since memory must not grow with the number of runs."""

    table: ScoreTable  # without its rows
    system: System | None
    lines: list[str]
    open_reasons: Counter[tuple[str, str, str]]
    topic_ids: list[str]  # for the folder, if there is one, as what it cites
    cited: set[str]
    assessed: list[RunPart]  # what it adds to the correction by assessments, if there is one
    answered_by: Counter[tuple[str, str]]  # of cascades: whose judgments it rests on


@dataclass
class _Work:
    """The runs of a job while they are scored, and what is known of them all.

    Attributes:
        num_unjudged: how many units have no judgment.
        is_closed: somebody stopped reading; files are written to their end nevertheless.
    """

    job: Job
    format_: str | None
    per_topic: bool
    folder: Folder | None
    assessing: _Assessing | None
    progress: console.Progress | None
    prepared: Prepared = field(init=False)
    printer: Printer = field(init=False)
    num_asks: NumAsks = field(init=False)
    is_cascade: bool = False
    is_closed: bool = False
    num_unjudged: int = 0
    done: list[_Finished] = field(default_factory=list)
    cited: set[str] = field(default_factory=set)

    def run(self) -> None:
        """Score the runs: print the scores of each, and write its files."""
        from argue_eval.evaluation import pipeline
        from argue_eval.evaluation.asking import NumAsks
        from argue_eval.report.tables import Printer

        folder, progress = self.folder, self.progress
        self.num_asks = NumAsks()
        warnings: list[Finding] = []
        with folder or nullcontext():
            self.prepared = prepared = pipeline.prepare(self.job, warnings, progress)
            if prepared.found.judges:
                from argue_eval.judges import cascade

                self.is_cascade = cascade.is_in(prepared.found.judges)
            num_runs, per_topic = len(prepared.found.runs), self.per_topic
            self.printer = Printer(self.format_, num_runs, per_topic=per_topic, width=console.width)
            if folder:
                named = [(each.run_id or each.name, each.name) for each in prepared.found.runs]
                folder.name_files(*zip(*named, strict=True))
            for each in pipeline.each_run(prepared, self._finished, progress, self.num_asks):
                if progress:
                    progress.clear()
                if folder:
                    folder.add_run(len(self.done))
                if warnings and not self.done:
                    console.warn(warnings)
                try:
                    console.write(each.lines)
                except console.OutputClosedError:
                    if not folder:
                        raise
                    self.is_closed = True
                self.cited |= each.cited
                self.done.append(each._replace(lines=[], cited=set()))
        self.num_unjudged = sum(each.table.counts["num_unjudged"] for each in self.done)

    def _finished(self, number: int, scores: RunScores) -> _Finished:
        """Write the files of a run, maybe in another process; what is printed of it, and kept."""
        folder, table = self.folder, scores.table
        lines: list[str] = []
        if not (self.assessing or self.printer.is_table):
            view = self.printer.view
            start = view.SEPARATOR if number else view.HEADER
            lines = [start, *view.render(table, self.per_topic)]
        cited: set[str] = set()
        topic_ids: list[str] = []
        assessed: list[RunPart] = []
        system = None
        if folder:
            topic_ids = [each.topic_id for each in scores.evidence]
            cited = folder.write_run(number, scores, _given(self.job))
        if self.assessing:
            from argue_eval.analysis.assessment import of_run

            assessed = [of_run(scores, self.assessing.people)]
        if folder or self.printer.is_table:
            from argue_eval.analysis.systems import of_table

            has_topics = folder is not None or self.printer.has_intervals
            shown = table if has_topics else table._replace(rows=tuple(table.averages()))
            system = of_table(shown)
        return _Finished(
            table=table._replace(rows=()),
            system=system,
            lines=lines,
            open_reasons=scores.open_reasons,
            topic_ids=topic_ids,
            cited=cited,
            assessed=assessed,
            answered_by=scores.answered_by() if self.is_cascade else Counter(),
        )

    def print_all(self) -> None:
        """Print what is about all runs, and write it to the folder."""
        systems = [each.system for each in self.done if each.system]
        board = correction = None
        columns: list[str] = []
        if systems:
            from argue_eval.analysis.systems import named_apart

            systems = named_apart(systems)
            columns = self._columns(systems) if self.job.measures else []
        if self.folder or self.printer.has_intervals:
            from argue_eval.analysis.comparing import ComparisonOptions
            from argue_eval.analysis.leaderboard import of_systems

            board = of_systems(systems, columns, ComparisonOptions(force=True), self.progress)
        if self.assessing:
            from argue_eval.analysis.assessment import merge

            parts = [part for each in self.done for part in each.assessed]
            correction = merge(parts, self.assessing.people)
        if self.progress:
            self.progress.clear()
        if self.folder and board:
            topic_ids = dict.fromkeys(topic_id for each in self.done for topic_id in each.topic_ids)
            topics = [self.prepared.found.topics[topic_id].topic for topic_id in topic_ids]
            console.warn(list(self.folder.finish(board, topics, self.cited, correction)))
        if self.is_closed:
            raise console.OutputClosedError
        if self.assessing and correction:
            console.write(self.assessing.render(correction))
        elif self.printer.is_table:
            console.write(self.printer.table(systems, columns, board))
        elif self.printer.view.FOOTER:
            console.write([self.printer.view.FOOTER])
        if self.assessing or not self.printer.has_signatures:
            signatures = {each.table.signature: each.table.run_id for each in self.done}
            for signature, run_id in signatures.items():
                of_run = f" of {run_id}" if len(signatures) > 1 else ""
                console.note(f"signature{of_run}: {signature}")
        tables = [each.table for each in self.done]
        if all(table.without_units for table in tables):
            from argue_eval.evaluation.scoring import nothing_measured

            console.warn(nothing_measured(tables))
        if self.num_unjudged:
            self._note_unjudged()
        if self.prepared.found.judges or self.job.store is not None:
            self._note_judges()

    def _columns(self, systems: list[System]) -> list[str]:
        """The measures that were named, in that order, over all topics and in groups."""
        from argue_eval.measures.averages import asked_for

        names = dict.fromkeys(name for each in systems for name in each.averages)
        asked = asked_for(self.job.measures, self.job.protocol)
        return [name for each in asked for name in names if name.partition("[")[0] == each]

    def _note_unjudged(self) -> None:
        units = count(self.num_unjudged, "unit")
        if self.assessing:
            console.note(
                f"the machine left {units} unjudged: the middle of the bounds "
                "counts in its place (exit code 4, unless --allow-unjudged)"
            )
            return
        from argue_eval.cli.judging import note_reasons
        from argue_eval.judges import FIXES

        units += " is" if self.num_unjudged == 1 else " are"
        judged_only, bounds = self.job.options.judged_only, self.printer.bounds
        what = "what this leaves open has no value"
        what = "values cover judged units only" if judged_only else what
        console.note(f"{units} unjudged: {what}; {bounds} (exit code 4, unless --allow-unjudged)")
        reasons = sum((each.open_reasons for each in self.done), Counter[tuple[str, str, str]]())
        note_reasons(reasons)
        if not judged_only:
            can_help = any(reason not in FIXES for _, _, reason in reasons)
            retry = "to close the gap, judge again; " if can_help else ""
            console.note(f"{retry}to score what is judged: --judged-only")

    def _note_judges(self) -> None:
        """Write what the judges did, and of a cascade, on whose judgments the scores rest."""
        from argue_eval.cli.judging import note_work
        from argue_eval.evaluation.asking import ENDS

        num_asks = self.num_asks
        if self.is_cascade:
            answered_by = sum((each.answered_by for each in self.done), Counter[tuple[str, str]]())
            console.note("judgments that the scores rest on:")
            for kind in sorted({kind for kind, _ in answered_by}):
                by_judge = {name: num for (each, name), num in answered_by.items() if each == kind}
                total = sum(by_judge.values())
                for name, num in sorted(by_judge.items()):
                    console.note(f"  {kind}: {num:,} of {total:,} ({num / total:.1%}) by {name}")
        if self.job.store is not None:
            found, judged, failed, skipped = map(num_asks.total_of, ENDS)
            ends = f"{found} found, {judged} judged and kept, {failed} failed, {skipped} skipped"
            console.note(f"store {self.job.store}: {ends}")
        note_work(self.job.settings, num_asks, is_cascade=self.is_cascade)


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
            **options._asdict(),
            "weights": dict(options.weights),
            "covers": options.covers or None,
        },
    }
