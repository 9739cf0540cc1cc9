"""``argue-eval judge``: questions about runs to judges, and what they say into a store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from argue_eval.cli import options as shared

if TYPE_CHECKING:
    from argue_eval.cli.console import Progress
    from argue_eval.evaluation.asking import NumAsks
    from argue_eval.evaluation.forecast import Forecast
    from argue_eval.evaluation.inputs import Job
    from argue_eval.evaluation.pipeline import Judged, Prepared
    from argue_eval.judges import Settings

Measures = Annotated[
    list[str] | None,
    typer.Option(
        "-m", "--measure", metavar="MEASURE", help="Judge what these measures need: a measure, a "
        "family or all. Repeatable.",
    ),
]  # fmt: skip
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Ask nothing; print asks, calls, tokens and price.")
]
Probe = Annotated[
    int,
    typer.Option(
        "--probe", metavar="N", min=0, help="With --dry-run: ask every judge N times, to tell how "
        "long all would take.",
    ),
]  # fmt: skip
BatchOut = Annotated[
    str | None,
    typer.Option(
        "--batch-out", metavar="FILE", help="Ask no model; write what judges llm:MODEL are to be "
        "asked as lines for OpenAI's batch interface or vLLM's run-batch.",
    ),
]  # fmt: skip
BatchIn = Annotated[
    list[str] | None,
    typer.Option("--batch-in", metavar="FILE", help="Ask no model; keep the replies that such a "
                 "batch has brought. Repeatable."),
]  # fmt: skip
Shard = Annotated[
    str | None,
    typer.Option("--shard", metavar="I/N", help="Only part I of N, by topic; put the parts' stores "
                 "together with argue-eval store merge."),
]  # fmt: skip


def judge(
    paths: shared.Paths,
    requests: shared.Requests = None,
    collection: shared.Collection = None,
    judgments: shared.Judgments = None,
    judge_: shared.Judge = "lexical",
    support_judge: shared.SupportJudge = None,
    nugget_judge: shared.NuggetJudge = None,
    sentence_judge: shared.SentenceJudge = None,
    store: shared.Store = None,
    dry_run: DryRun = False,
    probe: Probe = 0,
    batch_out: BatchOut = None,
    batch_in: BatchIn = None,
    shard: Shard = None,
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
    attestation: shared.Attestation = "cited-document",
    covers: shared.Covers = None,
    response_points: shared.ResponsePoints = None,
    measure: Measures = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Have judged what scoring needs, and keep it in a store.

    Scoring with the same judges and the same store then asks nothing. Interrupt once to finish
    what is in flight; the same command goes on where it stopped.

    Example: argue-eval judge runs/*.jsonl qrels/example.json --collection collection/example.jsonl
    --support-judge nli:models/nli --store judgments.store --dry-run
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
    _check_modes(
        settings,
        {
            "--dry-run": dry_run,
            "--batch-out": batch_out is not None,
            "--batch-in": bool(batch_in),
            "--probe": bool(probe),
            "--json": as_json,
        },
    )
    runs, qrels = shared.split_paths(paths)
    shared.check_stdin(
        [*paths, requests, *(collection or []), *(judgments or []), *(batch_in or [])]
    )
    judges = shared.judge_names(judge_, support_judge, nugget_judge, sentence_judge)
    shared.check_settings(judges, settings)
    job = Job(
        runs,
        qrels,
        requests,
        collection or [],
        judgments or [],
        judges,
        measure or [],
        shared.scoring_options(reading, "all", attestation, covers=covers),
        protocol,
        store or shared.DEFAULT_STORE,
        shared.checked(settings, prices),
        response_points=response_points or [],
    )
    if batch_out is not None:
        inputs = [*paths, requests, prices, *(collection or []), *(judgments or []), job.store]
        shared.check_output("--batch-out", batch_out, inputs)
    part = None if shard is None else _part(shard)
    prepared = _prepared(job, part)
    if dry_run:
        _dry_run(prepared, job, probe, as_json)
    elif batch_out is not None:
        _write_batch(prepared, job, batch_out)
    else:
        with console.only_results_on_stdout():
            code = _judge(prepared, job, batch_in or [], as_json)
        raise typer.Exit(code)


def _check_modes(settings: Settings, has: Mapping[str, bool]) -> None:
    """Checks that no option would do nothing beside the others.

    Raises:
        UsageError: one would.
    """
    from argue_eval.errors import UsageError

    modes = [option for option in ("--dry-run", "--batch-out", "--batch-in") if has[option]]
    if len(modes) > 1:
        raise UsageError(f"{' and '.join(modes)}: one at a time")
    if has["--probe"] and not has["--dry-run"]:
        raise UsageError("--probe needs --dry-run")
    if has["--json"] and has["--batch-out"]:
        raise UsageError("--json: nothing is printed with --batch-out; leave one out")
    if not modes or has["--dry-run"]:
        return
    if settings.limits.is_set:
        raise UsageError(
            f"--max-calls and --max-cost stop calls, and {modes[0]} makes none; --dry-run tells "
            "what a batch would cost, --shard I/N makes it smaller"
        )
    if settings.executor != "local":
        raise UsageError(f"--executor {settings.executor}: no model is asked with {modes[0]}")


def _part(text: str) -> tuple[int, int]:
    from argue_eval.errors import UsageError

    number, _, total = text.partition("/")
    if not (number.isdecimal() and total.isdecimal() and 1 <= int(number) <= int(total)):
        raise UsageError(f"--shard: expected I/N, part I of N such as 3/8, found {text!r}")
    return int(number), int(total)


def _prepared(job: Job, part: tuple[int, int] | None) -> Prepared:
    from argue_eval.cli import console
    from argue_eval.errors import Finding
    from argue_eval.evaluation import pipeline

    warnings: list[Finding] = []
    progress = console.Progress()
    prepared = pipeline.prepare(job, warnings, progress)
    progress.clear()
    console.warn(warnings)
    if part is None:
        return prepared
    shard = pipeline.shard(prepared, *part)
    number, total = len(shard.found.topics), len(prepared.found.topics)
    console.note(f"part {part[0]} of {part[1]}: {number} of {total} topics")
    return shard


def _write_batch(prepared: Prepared, job: Job, path: str) -> None:
    from argue_eval.cli import console
    from argue_eval.evaluation.batching import write_batch

    num_calls, num_asks = write_batch(prepared, path)
    console.note(f"{num_calls:,} calls for {num_asks:,} asks written to {path}")
    if num_calls:
        console.note("when they are done: the same command with --batch-in RESULTS")


def _runs(
    prepared: Prepared, job: Job, batches: Sequence[str], progress: Progress
) -> Iterator[Judged]:
    """Yields what became of the asks of every run, of a batch's results or of the judges."""
    from argue_eval.evaluation import pipeline

    if not batches:
        yield from pipeline.judge(prepared, progress)
        return
    from argue_eval.cli import console
    from argue_eval.errors import Finding
    from argue_eval.evaluation.batching import read_batches

    warnings: list[Finding] = []
    for number, run in enumerate(read_batches(prepared, batches, warnings)):
        if number == 0:
            console.warn(warnings)
        yield run


def _judge(prepared: Prepared, job: Job, batches: Sequence[str], as_json: bool) -> int:
    from argue_eval.cli import console
    from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED
    from argue_eval.evaluation.asking import NumAsks

    limits = job.settings.limits
    progress = console.Progress()
    num_asks = NumAsks()
    reasons: Counter[tuple[str, str, str]] = Counter()
    resume = f"What is judged is in {job.store}: run the same command again to go on."
    with console.interruptible(limits, resume):
        for run in _runs(prepared, job, batches, progress):
            num_asks.update(run.num_asks)
            reasons.update(run.open_reasons)
    progress.clear()
    if as_json:
        console.write_json(_as_object(job, num_asks, reasons))
    else:
        console.write(console.table(_HEAD, _rows(num_asks)))
        for (kind, name, reason), number in reasons.most_common():
            console.note(f"  {number} x {kind}, judge {name}: {reason}")
        console.note_spent(limits, has_prices=bool(job.settings.prices))
    if limits.is_interrupted:
        raise KeyboardInterrupt
    num_open = num_asks.total_of("failed") + num_asks.total_of("skipped")
    if num_open:
        console.note(f"{'1 ask is' if num_open == 1 else f'{num_open} asks are'} open. {resume}")
    return EXIT_UNJUDGED if num_open or reasons else EXIT_OK


_HEAD = ("kind", "questions", "asked", "found", "judged", "failed", "skipped")
"""Questions of equal content are one ask, and asked = found + judged + failed + skipped."""


def _rows(num_asks: NumAsks) -> list[list[str]]:
    kinds = sorted({kind for kind, _ in num_asks})
    rows = [[kind, *(f"{num_asks[kind, end]}" for end in _HEAD[1:])] for kind in kinds]
    return [*rows, ["all", *(f"{num_asks.total_of(end)}" for end in _HEAD[1:])]]


def _as_object(
    job: Job, num_asks: NumAsks, reasons: Counter[tuple[str, str, str]]
) -> dict[str, Any]:
    limits = job.settings.limits
    return {
        "store": job.store,
        "asks": {
            kind: {end: num_asks[kind, end] for end in _HEAD[1:]}
            for kind in sorted({kind for kind, _ in num_asks})
        },
        "open": [
            {"kind": kind, "judge": name, "reason": reason, "questions": number}
            for (kind, name, reason), number in reasons.most_common()
        ],
        "calls": limits.num_calls,
        "prompt_tokens": limits.prompt_tokens,
        "reply_tokens": limits.reply_tokens,
        "cost": limits.cost if job.settings.prices else None,
        "halted": limits.reason or None,
    }


def _dry_run(prepared: Prepared, job: Job, num_probes: int, as_json: bool) -> None:
    from argue_eval.cli import console
    from argue_eval.evaluation.forecast import forecast

    found = forecast(prepared, num_probes)
    if as_json:
        console.write_json(
            {
                "kinds": [{**row._asdict(), "num_sure": row.num_sure} for row in found.kinds],
                "judges": [
                    {**row._asdict(), "sure": row.sure._asdict(), "most": row.most._asdict()}
                    for row in found.judges
                ],
            }
        )
        return
    console.write(console.table(_KIND_HEAD, _kind_rows(found)))
    console.write(["\n"])
    console.write(console.table(_JUDGE_HEAD, _judge_rows(found)))
    console.note(
        "to ask and sure: whatever the verdicts are; at most: if they lead on wherever they can"
    )
    if not num_probes:
        console.note("--probe 20 asks every judge 20 times and tells how long all would take")


_KIND_HEAD = ("kind", "questions", "asks", "stored", "to ask", "at most")
_JUDGE_HEAD = ("judge", "", "calls", "tokens in", "tokens out", "price", "time")


def _kind_rows(found: Forecast) -> list[list[str]]:
    return [
        [
            row.kind,
            *(
                f"{number:,}"
                for number in (
                    row.num_questions,
                    row.num_asks,
                    row.num_stored,
                    row.num_sure,
                    row.num_most,
                )
            ),
        ]
        for row in found.kinds
    ]


def _judge_rows(found: Forecast) -> list[list[str]]:
    from argue_eval.cli.console import duration

    rows = []
    for row in found.judges:
        for index, (word, load) in enumerate((("sure", row.sure), ("at most", row.most))):
            price = "-" if row.cost is None else f"{row.cost[index]:.2f}"
            time = "-" if row.seconds is None else duration(row.seconds[index])
            numbers = [f"{number:,}" for number in load]
            rows.append(["" if index else row.judge, word, *numbers, price, time])
    return rows
