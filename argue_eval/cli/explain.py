"""``argue-eval explain``: a measure's definition, or one sentence's way through the chart."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from argue_eval.cli import options as shared

if TYPE_CHECKING:
    from argue_eval.evaluation.inputs import Job
    from argue_eval.evaluation.results import RunScores
    from argue_eval.measures import Family, Measure


def explain(
    what: Annotated[
        str,
        typer.Argument(
            metavar="MEASURE|outcome|track", help="A measure, a family of them, outcome or track."
        ),
    ],
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN QRELS|NAME]", help="With outcome: the files. With track: its name."
        ),
    ] = None,
    topic: Annotated[
        str | None, typer.Option("--topic", metavar="ID", help="With outcome: the topic.")
    ] = None,
    sentence: Annotated[
        int | None,
        typer.Option("--sentence", metavar="N", help="With outcome: the sentence, 0-based."),
    ] = None,
    requests: shared.Requests = None,
    collection: shared.Collection = None,
    judgments: shared.Judgments = None,
    judge: shared.Judge = "lexical",
    reading: shared.Reading = "argue",
    citations: shared.Citations = "all",
    attestation: shared.Attestation = "cited-document",
) -> None:
    """Explain a measure, the rules of a track, or why a sentence got its outcome.

    Example: argue-eval explain nugget_recall

    Example: argue-eval explain track ragtime26

    Example: argue-eval explain outcome runs/careful.jsonl qrels/example.json --topic ex1
    --sentence 2 --collection collection/example.jsonl
    """
    from argue_eval.cli import console
    from argue_eval.errors import UsageError
    from argue_eval.evaluation.inputs import Job

    if what == "track":
        console.write(_track_lines(paths or []))
        return
    if what != "outcome":
        from argue_eval import measures

        if paths:
            raise UsageError(f"explain {what} takes no files; explain outcome RUN QRELS does")
        blocks = [
            "".join(_measure_lines(family, measure))
            for family in measures.select([what])
            for measure in family.measures
        ]
        console.write(["\n".join(blocks)])
        return
    if topic is None or sentence is None:
        raise UsageError("explain outcome needs --topic ID and --sentence N")
    runs, qrels = shared.split_paths(paths or [])
    if len(runs) > 1:
        raise UsageError(f"explain outcome takes one run and the qrels, found {len(runs)} runs")
    shared.check_stdin([*runs, qrels, requests, *(collection or []), *(judgments or [])])
    job = Job(
        runs,
        qrels,
        requests,
        collection or [],
        judgments or [],
        shared.judge_names(judge, None, None, None),
        ["argue"],
        shared.scoring_options(reading, citations, attestation),
    )
    console.write([_only_run(job).explain(topic, sentence)])


def _track_lines(names: list[str]) -> Iterator[str]:
    from argue_eval.cli import _track
    from argue_eval.errors import UsageError
    from argue_eval.validation import tracks

    if len(names) != 1:
        raise UsageError(f"explain track takes one name: {', '.join(tracks.names())}; or a file")
    name = names[0]
    return _track.lines(tracks.load_file(name) if name.endswith(".toml") else tracks.load(name))


def _measure_lines(family: Family, measure: Measure) -> Iterator[str]:
    yield f"{measure.name} ({family.name})\n"
    for head, text in (
        ("rewards", measure.rewards),
        ("numerator", measure.numerator),
        ("denominator", measure.denominator),
        ("nothing to measure", measure.empty),
        ("average", measure.average.value),
        ("example", measure.example),
        ("source", measure.source),
    ):
        yield (
            textwrap.fill(text, 96, initial_indent=f"  {head:<19} ", subsequent_indent=" " * 22)
            + "\n"
        )


def _only_run(job: Job) -> RunScores:
    from argue_eval.cli import console
    from argue_eval.errors import Finding
    from argue_eval.evaluation.pipeline import evaluate

    warnings: list[Finding] = []
    return next(evaluate(job, warnings, console.Progress()))
