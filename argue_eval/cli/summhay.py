"""``argue-eval summhay``: the results tables of "Summary of a Haystack"."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from argue_eval.cli import options as shared

if TYPE_CHECKING:
    from argue_eval.analysis.summhay import Results
    from argue_eval.evaluation.inputs import Job

app = typer.Typer(
    help="Results of SummHay: summarizers by retrievers.\n\n"
    "Example: argue-eval summhay table topic_news1.json topic_news2.json"
)

Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...", help="Haystacks with their summaries, or what score --protocol summhay "
        "printed.",
    ),
]  # fmt: skip
Means = Annotated[
    str | None,
    typer.Option(
        "--average", metavar="NAME", help="What a mean is over: insights (as published; of "
        "haystacks alone), or topics (as score prints).",
    ),
]  # fmt: skip


@app.callback()
def _group() -> None:
    """Keeps `table` a command of its own, though it is the only one."""


@app.command("table", no_args_is_help=True)
def table(
    paths: Paths,
    judgments: shared.Judgments = None,
    judge: shared.Judge = "lexical",
    store: shared.Store = None,
    average: Means = None,
    only_answered: Annotated[
        bool, typer.Option("--only-answered", help="Leave out what a run did not summarize.")
    ] = False,
    allow_unjudged: Annotated[
        bool, typer.Option("--allow-unjudged", help="Exit with 0 even if units are unjudged.")
    ] = False,
    format_: Annotated[
        str, typer.Option("--format", metavar="NAME", help="text, markdown or json.")
    ] = "text",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="The file to write.")
    ] = "-",
) -> None:
    """Tabulate coverage, citation and joint scores, summarizers by retrievers, as the paper does.

    Where a summarizer was given the documents in several orders, its sensitivity to their order
    comes after.

    Example: argue-eval summhay table topic_news1.json topic_news2.json --format markdown
    """
    from argue_eval import _registry, formats
    from argue_eval.cli import console
    from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED, UsageError
    from argue_eval.evaluation.inputs import Job
    from argue_eval.formats.jsonl import atomic_writer

    view = _registry.load("outputs.summhay", format_)
    shared.check_stdin(paths)
    haystacks = formats.holding("nuggets", formats.holding("runs", paths))
    if haystacks and len(haystacks) < len(set(paths)):
        other = next(path for path in paths if path not in haystacks)
        raise UsageError(f"name haystacks or scores, not both: {other} is no haystack")
    names = shared.judge_names(judge, None, None, None)
    options = shared.scoring_options("argue", "all", "cited-document", None, only_answered)
    jobs = [
        Job([path], path, judgments=judgments or [], judges=names, options=options,
            protocol="summhay", store=shared.store_of(names, store))
        for path in haystacks
    ]  # fmt: skip
    results, num_unjudged = _of_haystacks(jobs, average) if jobs else _of_scores(paths, average)
    if output == "-":
        console.write(view.render(results))
    else:
        with atomic_writer(output) as stream:
            stream.writelines(view.render(results))
    if num_unjudged:
        units = "1 insight is" if num_unjudged == 1 else f"{num_unjudged} insights are"
        console.note(f"{units} unjudged (exit code 4, unless --allow-unjudged)")
    raise typer.Exit(EXIT_UNJUDGED if num_unjudged and not allow_unjudged else EXIT_OK)


def _of_scores(paths: Sequence[str], average: str | None) -> tuple[Results, int]:
    from argue_eval import formats
    from argue_eval.analysis import summhay
    from argue_eval.errors import UsageError
    from argue_eval.formats.jsonl import Source
    from argue_eval.formats.scores import read_scores

    if summhay.average_of(average, "topics") == "insights":
        raise UsageError("--average insights: scores don't tell; name the haystacks")
    files = [Source(file) for path in paths for file in summhay.score_files(path)]
    for file in files:
        if not Path(file.name).is_file() and formats.holds("nuggets", file):
            message = "a haystack is read several times, and a pipe only once"
            raise UsageError(f"{file.name}: {message}: write it to a file and name the file")
    return summhay.from_scores([read_scores(file) for file in files]), 0


def _of_haystacks(jobs: Sequence[Job], average: str | None) -> tuple[Results, int]:
    """Returns the results of runs, and how many insights are unjudged. Prints the signatures."""
    from argue_eval.analysis import summhay
    from argue_eval.cli import console
    from argue_eval.errors import Finding
    from argue_eval.evaluation.pipeline import evaluate

    over = summhay.average_of(average, "insights")
    files = []
    for job in jobs:
        warnings: list[Finding] = []
        progress = console.Progress()
        tables = [scores.table for scores in evaluate(job, warnings, progress)]
        progress.clear()
        console.warn(warnings)
        first, *others = dict.fromkeys(each.signature for each in tables)
        more = f" (and {len(others)} others, which differ in the topics)" if others else ""
        console.note(f"signature of {job.nuggets_name}: {first}{more}")
        files.append(tables)
    num_unjudged = sum(table.counts["num_unjudged"] for tables in files for table in tables)
    is_partial = jobs[0].options.only_answered
    return summhay.from_tables(files, over, only_answered=is_partial), num_unjudged
