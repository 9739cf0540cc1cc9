"""``argue-eval score``: runs against nuggets, to scores."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from argue_eval.cli import options as shared

if TYPE_CHECKING:
    from argue_eval.evaluation.inputs import Job
    from argue_eval.evaluation.results import RunScores
    from argue_eval.records import ScoreTable
    from argue_eval.report.folder import Folder

Measures = Annotated[
    list[str] | None,
    typer.Option(
        "-m", "--measure", metavar="MEASURE", help="A measure, a family or all. Repeatable; see "
        "argue-eval list measures.",
    ),
]  # fmt: skip
Format = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help="trec_eval, ir_measures, auto_argue, json, csv, markdown, or lengths: of reports "
        "against scores.",
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "-o", "--output", metavar="DIR", help="Write scores, outcomes, judgments and metadata of "
        "every run, and a leaderboard.",
    ),
]  # fmt: skip


def score(
    paths: shared.Paths,
    requests: shared.Requests = None,
    collection: shared.Collection = None,
    judgments: shared.Judgments = None,
    judge: shared.Judge = "lexical",
    support_judge: shared.SupportJudge = None,
    nugget_judge: shared.NuggetJudge = None,
    sentence_judge: shared.SentenceJudge = None,
    store: shared.Store = None,
    device: shared.Device = "auto",
    prompting: shared.Prompting = "batched",
    repeat: shared.Repeat = 1,
    prompts: shared.Prompts = None,
    canary: shared.Canary = False,
    concurrency: shared.Concurrency = 8,
    timeout: shared.Timeout = 120.0,
    executor: shared.Executor = "local",
    max_calls: shared.MaxCalls = None,
    max_cost: shared.MaxCost = None,
    prices: shared.Prices = None,
    protocol: shared.Protocol = "argue",
    reading: shared.Reading = "argue",
    citations: shared.Citations = "all",
    attestation: shared.Attestation = "cited-document",
    covers: shared.Covers = None,
    response_points: shared.ResponsePoints = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", metavar="W", help="By importance: vital=2,okay=1,none=1."),
    ] = None,
    only_answered: Annotated[
        bool, typer.Option("--only-answered", help="Leave out topics without a report.")
    ] = False,
    allow_unjudged: Annotated[
        bool, typer.Option("--allow-unjudged", help="Exit with 0 even if units are unjudged.")
    ] = False,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="KEY",
            help="Average over the topics of each value of a key of the requests or the nuggets "
            "too: kpr[domain=law]. Repeatable.",
        ),
    ] = None,
    per_topic: Annotated[bool, typer.Option("-q", help="Print every topic's values too.")] = False,
    measure: Measures = None,
    format_: Format = "trec_eval",
    output: Output = None,
) -> None:
    """Score runs against nugget qrels.

    Example: argue-eval score runs/*.jsonl qrels/example.json --requests topics/example.jsonl
    --collection collection/example.jsonl -q -o scores
    """
    from argue_eval.cli import console
    from argue_eval.evaluation.inputs import Job
    from argue_eval.judges import Settings
    from argue_eval.judges.limits import Limits

    settings = Settings(
        device=device,
        prompting=prompting,
        repeat=repeat,
        prompts=prompts,
        canary=canary,
        concurrency=concurrency,
        timeout=timeout,
        executor=executor,
        limits=Limits(max_calls, max_cost),
    )
    runs, qrels = shared.split_paths(paths)
    shared.check_stdin([*paths, requests, *(collection or []), *(judgments or [])])
    judges = shared.judge_names(judge, support_judge, nugget_judge, sentence_judge)
    shared.check_settings(judges, settings)
    job = Job(
        runs,
        qrels,
        requests,
        collection or [],
        judgments or [],
        judges,
        measure or [],
        shared.scoring_options(reading, citations, attestation, weights, only_answered, covers),
        protocol,
        shared.store_of(judges, store, output),
        shared.checked(settings, prices),
        by or [],
        response_points or [],
    )
    with console.only_results_on_stdout():
        code = _score(job, format_, per_topic, output, allow_unjudged)
    raise typer.Exit(code)


def _score(job: Job, view: str, per_topic: bool, output: str | None, allow_unjudged: bool) -> int:
    from argue_eval import _registry
    from argue_eval.cli import console
    from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED, Finding
    from argue_eval.evaluation.asking import NumAsks
    from argue_eval.evaluation.pipeline import evaluate
    from argue_eval.report.folder import Folder

    module = _registry.load("outputs", view)
    warnings: list[Finding] = []
    progress = console.Progress()
    results = console.Results(keep_on=output is not None)
    folder = Folder(output) if output is not None else None
    open_reasons: Counter[tuple[str, str, str]] = Counter()
    num_asks = NumAsks()
    tables: list[ScoreTable] = []
    resume = f"All replies are in {job.store}: run the same command again." if job.store else ""
    with console.interruptible(job.settings.limits, resume):
        for number, scores in enumerate(evaluate(job, warnings, progress, num_asks)):
            progress.clear()
            if number == 0:
                console.warn(warnings)
            if folder:
                _write_folder(folder, scores, job)
            results.write([module.SEPARATOR if number else module.HEADER])
            results.write(module.render(scores.table, per_topic))
            open_reasons.update(scores.open_reasons)
            tables.append(_averages_only(scores.table))
    progress.clear()
    if folder:
        folder.write_leaderboard()
        folder.write_qrels()
    results.write([module.FOOTER])
    results.finish()
    _finish(tables, open_reasons, view)
    if job.store is not None:
        console.note(
            f"store {job.store}: {num_asks.total_of('found')} found, "
            f"{num_asks.total_of('judged')} judged and kept, {num_asks.total_of('failed')} failed, "
            f"{num_asks.total_of('skipped')} skipped"
        )
    console.note_spent(job.settings.limits, has_prices=bool(job.settings.prices))
    has_unjudged = any(table.counts["num_unjudged"] for table in tables)
    return EXIT_UNJUDGED if has_unjudged and not allow_unjudged else EXIT_OK


def _averages_only(table: ScoreTable) -> ScoreTable:
    """Returns the table without its topics: memory must not grow with the number of runs."""

    return table._replace(rows=tuple(table.averages()))


def _write_folder(folder: Folder, scores: RunScores, job: Job) -> None:
    from argue_eval import __version__

    meta = {
        "argue_eval": __version__,
        "run_id": scores.table.run_id,
        "team_id": scores.table.team_id,
        "qrels": job.nuggets,
        "requests": job.topics,
        "collections": list(job.collections),
        "judgments": list(job.judgments),
        "protocol": job.protocol,
        "measures": list(job.measures),
        "by": list(job.by),
        "response_points": list(job.response_points),
        "options": {
            "reading": job.options.reading,
            "citations": job.options.citations,
            "attestation": job.options.attestation,
            "weights": dict(job.options.weights),
            "only_answered": job.options.only_answered,
            "covers": job.options.covers or None,
        },
        "judges": scores.judges,
        **scores.table.counts,
        "missing_topics": list(scores.table.missing_topics),
        "unjudged": [
            {"kind": kind, "judge": judge, "reason": reason, "questions": number}
            for (kind, judge, reason), number in scores.open_reasons.most_common()
        ],
    }
    folder.write_run(
        scores.table, scores.evidence, scores.outcome_records(), scores.used_judgments(), meta
    )


def _finish(
    tables: list[ScoreTable], open_reasons: Counter[tuple[str, str, str]], view: str
) -> None:
    """Prints the table over runs on a terminal, the signatures, and what stayed open and why."""
    from shutil import get_terminal_size

    from argue_eval import _registry
    from argue_eval.cli import console
    from argue_eval.report.folder import table_lines

    if len(tables) > 1 and sys.stdout.isatty() and view == "trec_eval":
        console.write(["\n", *table_lines(tables, get_terminal_size().columns)])
    console.flush()
    if view not in ("json", "markdown"):
        signatures = {table.signature: table.run_id for table in tables}
        for signature, run_id in signatures.items():
            of_run = f" of {run_id}" if len(signatures) > 1 else ""
            console.note(f"signature{of_run}: {signature}")
    unjudged = sum(table.counts["num_unjudged"] for table in tables)
    if unjudged:
        bounds = _registry.load("outputs", view).BOUNDS
        units = "1 unit is" if unjudged == 1 else f"{unjudged} units are"
        console.note(
            f"{units} unjudged: values are over judged units only; {bounds} "
            "(exit code 4, unless --allow-unjudged)"
        )
        for (kind, judge, reason), number in open_reasons.most_common():
            console.note(f"  {number} x {kind}, judge {judge}: {reason}")
