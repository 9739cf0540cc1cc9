"""``argue-eval summhay``: the results tables of "Summary of a Haystack"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import INPUT, SCORING, command, only, param, without
from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED, UsageError, check_names, count

if TYPE_CHECKING:
    from argue_eval.analysis.summhay import Results
    from argue_eval.evaluation.inputs import Job
    from argue_eval.records import ScoreTable

app = typer.Typer(
    help="Tabulate SummHay scores, summarizers by retrievers.\n\n"
    "Example: argue-eval summhay table topic_news1.json topic_news2.json"
)


@app.callback()
def _group() -> None:
    """Keep `table` a command of its own, though it is the only one."""


@command(app, "table")
def table(
    paths: Annotated[list[str], param(
        "FILE...", "Haystacks with their summaries, or scores that score --protocol summhay "
        "printed.", INPUT)],
    inputs: Annotated[shared.Inputs, only("judgments")],
    judging: Annotated[shared.Judging, only("judge", "store", *shared.CALIBRATING)],
    scoring: Annotated[shared.Scoring, only("only_answered", "judged_only")],
    page: Annotated[shared.Page, without("as_json")],
    average: Annotated[str | None, param(
        "--average NAME", "What a mean is over: insights (as published, the default for haystacks; "
        "for folders of score -o too), or topics (as score prints).", SCORING)] = None,
    allow_unjudged: shared.AllowUnjudged = False,
) -> int:  # fmt: skip
    """Tabulate coverage, citation and joint scores, as in the paper.

    Rows are summarizers, columns are retrievers. If a summarizer was given the documents in
    several orders, a table of its sensitivity to their order follows.

    Example: argue-eval summhay table topic_news1.json topic_news2.json --format markdown
    """
    from argue_eval import formats
    from argue_eval.analysis import summhay
    from argue_eval.report.summhay import FORMATS

    render = page.choose(FORMATS)
    check_names("--average", [] if average is None else [average], summhay.AVERAGES)
    console.check_files([*paths, *inputs.files()], o=page.output)
    haystacks = formats.holding("nuggets", formats.holding("runs", paths))
    if haystacks and len(haystacks) < len(set(paths)):
        other = next(path for path in paths if path not in haystacks)
        raise UsageError(f"name haystacks or scores, not both: {other} is no haystack")
    scoring = replace(scoring, protocol="summhay")
    models = shared.Models()
    jobs = [shared.make_job([path, path], inputs, judging, scoring, models) for path in haystacks]
    if jobs:
        results, num_unjudged = _of_haystacks(jobs, average)
    elif average == "insights":
        results, num_unjudged = _of_folders(paths, scoring.only_answered)
    else:
        results, num_unjudged = _of_scores(paths), 0
    console.write(render(results), page.output)
    if num_unjudged:
        units = count(num_unjudged, "insight is", "insights are")
        console.note(f"{units} unjudged (exit code 4, unless --allow-unjudged)")
    return EXIT_UNJUDGED if num_unjudged and not allow_unjudged else EXIT_OK


def _of_scores(paths: Sequence[str]) -> Results:
    from argue_eval import formats
    from argue_eval.analysis import summhay
    from argue_eval.formats.jsonl import Source
    from argue_eval.formats.scores import read_scores

    files = [Source(file) for path in paths for file in summhay.score_files(path)]
    for file in files:
        if not Path(file.name).is_file() and formats.holds("nuggets", file):
            message = "a haystack is read several times, and a pipe only once"
            raise UsageError(f"{file.name}: {message}: write it to a file and name the file")
    return summhay.from_scores([read_scores(file) for file in files])


def _of_folders(paths: Sequence[str], is_partial: bool) -> tuple[Results, int]:
    """Reopen scores, each folder as those of another haystack, and count unjudged insights."""
    from argue_eval.analysis import summhay
    from argue_eval.evaluation.reopening import read_scores

    file = next((path for path in paths if not Path(path).is_dir()), None)
    if file is not None:
        message = f"--average insights: {file} has none"
        raise UsageError(f"{message}; name the haystacks, or folders of score -o")
    files = [[each.table for each in read_scores(path).values()] for path in paths]
    measures = {row.measure for tables in files for table in tables for row in table.rows}
    if measures.isdisjoint(summhay.SCORES):
        raise UsageError(f"{paths[0]} has no scores of SummHay: use score --protocol summhay")
    return summhay.from_tables(files, "insights", only_answered=is_partial), _num_open(files)


def _of_haystacks(jobs: Sequence[Job], average: str | None) -> tuple[Results, int]:
    """Score the runs, print their signatures, and count the unjudged insights."""
    from argue_eval.analysis import summhay
    from argue_eval.evaluation.pipeline import evaluate

    files = []
    for job in jobs:
        with console.following() as (warnings, progress):
            tables = [scores.table for scores in evaluate(job, warnings, progress)]
        first, *others = dict.fromkeys(each.signature for each in tables)
        more = f" (and {count(len(others), 'other')}, of other topics)" if others else ""
        console.note(f"signature of {job.nuggets[0]}: {first}{more}")
        files.append(tables)
    is_partial = jobs[0].options.only_answered
    results = summhay.from_tables(files, average or "insights", only_answered=is_partial)
    return results, _num_open(files)


def _num_open(files: Sequence[Sequence[ScoreTable]]) -> int:
    return sum(table.counts["num_unjudged"] for tables in files for table in tables)
