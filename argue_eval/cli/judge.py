"""``argue-eval judge``: put the questions about runs to judges, and store the answers.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import INPUT, OUTPUT, only, param
from argue_eval.cli.judging import asking, note_reasons, note_work
from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED, UsageError, count, shorten
from argue_eval.report.table_text import Cells, aligned

if TYPE_CHECKING:
    from argue_eval.evaluation.asking import NumAsks, StageAsks
    from argue_eval.evaluation.forecast import Forecast
    from argue_eval.evaluation.inputs import Job
    from argue_eval.evaluation.pipeline import Prepared
    from argue_eval.judges.cascade import Judges


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Mode:
    """What is done instead of asking the judges now."""

    HEADING: ClassVar = OUTPUT

    dry_run: Annotated[bool, param(
        "--dry-run", "Ask nothing; print calls, tokens and price.")] = False
    probe: Annotated[int, param(
        "--probe N", "With --dry-run: ask each judge N questions to estimate the time.", min=0)] = 0
    batch_out: Annotated[str | None, param(
        "--batch-out FILE", "Ask no model; write the calls of judges llm:MODEL as lines for "
        "OpenAI's batch interface or vLLM's run-batch.")] = None
    batch_in: Annotated[list[str] | None, param(
        "--batch-in FILE", "Ask no model; store the replies to a batch of --batch-out. "
        "Repeatable.", INPUT)] = None
    shard: Annotated[str | None, param(
        "--shard I/N", "Only part I of N, by topic. Merge the stores of the parts with argue-eval "
        "store merge.", INPUT)] = None
    as_json: Annotated[bool, param("--json", "Print JSON.")] = False
    # fmt: on

    def check(self, models: shared.Models) -> None:
        """Refuse an option that would have no effect beside the others."""
        given = {
            "--dry-run": self.dry_run,
            "--batch-out": self.batch_out is not None,
            "--batch-in": bool(self.batch_in),
        }
        modes = [name for name, is_given in given.items() if is_given]
        if len(modes) > 1:
            raise UsageError(f"{' and '.join(modes)}: one at a time")
        if self.probe and not self.dry_run:
            raise UsageError("--probe needs --dry-run")
        if self.as_json and self.batch_out is not None:
            raise UsageError("--json: nothing is printed with --batch-out; leave one out")
        if not modes or self.dry_run:
            return
        if models.is_limited:
            raise UsageError(
                f"--max-calls and --max-cost stop calls, and {modes[0]} makes none; --dry-run "
                "shows what a batch would cost, --shard I/N makes it smaller"
            )
        if models.executor != "local":
            raise UsageError(f"--executor {models.executor}: no model is asked with {modes[0]}")

    def part(self) -> tuple[int, int] | None:
        """Read ``I/N``; None for the whole."""
        if self.shard is None:
            return None
        number, _, total = self.shard.partition("/")
        is_short = len(self.shard) <= _MAX_SHARD
        is_number = is_short and number.isdecimal() and total.isdecimal()
        if not (is_number and 1 <= int(number) <= int(total)):
            raise UsageError(
                f"--shard: expected I/N, part I of N such as 3/8, found {shorten(self.shard)}"
            )
        return int(number), int(total)


def judge(
    paths: shared.Paths,
    inputs: shared.Inputs,
    judging: shared.Judging,
    mode: Mode,
    models: shared.Models,
    scoring: Annotated[
        shared.Scoring, only("measure", "protocol", "reading", "attestation", "covers")
    ],
) -> int:
    """Run the judges and store their answers.

    Scoring with the same judges and the same store asks nothing again. Interrupt once to finish
    the calls in flight; run the same command again to continue.

    Example: argue-eval judge runs/*.jsonl qrels/example.json --collection collection/example.jsonl
    --support-judge nli:models/nli --store judgments.store --dry-run
    """
    mode.check(models)
    job = shared.make_job(paths, inputs, judging, scoring, models, store=shared.DEFAULT_STORE)
    if not job.judges.by_kind():
        raise UsageError("judge asks judges, and --judge none asks nobody: name one, or use score")
    read = [*paths, *inputs.files(), *(mode.batch_in or []), models.prices, job.store]
    console.check_files(read, batch_out=mode.batch_out)
    prepared = _prepared(job, mode.part())
    if mode.batch_out is not None:
        from argue_eval.evaluation.batching import write_batch

        num_calls, num_asks, num_textless = write_batch(prepared, mode.batch_out)
        console.note(f"{num_calls:,} calls for {num_asks:,} questions written to {mode.batch_out}")
        _note_textless(num_textless)
        if num_calls:
            console.note("when the batch is done, run the same command with --batch-in RESULTS")
    elif mode.dry_run:
        _dry_run(prepared, mode.probe, mode.as_json)
    else:
        resume = f"Answers so far are in {job.store}: run the same command again to continue."
        with asking(job.settings.limits, resume):
            return _judge(prepared, mode.batch_in or [], mode.as_json, resume)
    return EXIT_OK


def _prepared(job: "Job", part: tuple[int, int] | None) -> "Prepared":
    from argue_eval.evaluation import pipeline

    with console.following() as (warnings, progress):
        prepared = pipeline.prepare(job, warnings, progress)
    if part is None:
        return prepared
    shard = pipeline.shard(prepared, *part)
    number, total = len(shard.found.topics), len(prepared.found.topics)
    console.note(f"part {part[0]} of {part[1]}: {number} of {total} topics")
    return shard


def _judge(prepared: "Prepared", batches: Sequence[str], as_json: bool, resume: str) -> int:
    from argue_eval.evaluation import pipeline
    from argue_eval.evaluation.asking import NumAsks, StageAsks
    from argue_eval.judges import FIXES, cascade

    job, limits = prepared.job, prepared.job.settings.limits
    num_asks, stage_asks = NumAsks(), StageAsks()
    reasons: Counter[tuple[str, str, str]] = Counter()
    with console.following() as (warnings, progress):
        if batches:
            from argue_eval.evaluation.batching import read_batches

            runs = read_batches(prepared, batches, warnings)
        else:
            runs = pipeline.judge(prepared, progress)
        for run in runs:
            num_asks.update(run.num_asks)
            stage_asks.update(run.stage_asks)
            reasons.update(run.open_reasons)
    if as_json:
        console.write_json(_as_object(job, num_asks, stage_asks, reasons), indent=2, is_ascii=False)
    else:
        kinds = sorted({kind for kind, _ in num_asks})
        rows: list[Cells] = [(kind, *(num_asks[kind, end] for end in _ENDS)) for kind in kinds]
        rows.append(("all", *map(num_asks.total_of, _ENDS)))
        console.write(aligned(("kind", *_ENDS), rows))
        is_cascade = cascade.is_in(prepared.found.judges)
        if is_cascade:
            _write_stages(prepared.found.judges, stage_asks)
            _note_not_asked(prepared, kinds)
        note_reasons(reasons)
        note_work(job.settings, num_asks, is_cascade=is_cascade)
    if limits.is_interrupted:
        raise KeyboardInterrupt
    num_open = num_asks.total_of("failed") + num_asks.total_of("skipped")
    if num_open:
        many = count(num_open, "question has", "questions have")
        can_help = limits.halted or any(reason not in FIXES for _, _, reason in reasons)
        console.note(f"{many} no answer. {resume if can_help else _IN_VAIN}")
    return EXIT_UNJUDGED if num_open or reasons else EXIT_OK


_MAX_SHARD = 20
"""Characters of I/N."""

_IN_VAIN = "To run the same command again does not help: see the fix above."
_ENDS = ("questions", "asked", "found", "judged", "failed", "skipped")
"""Questions of equal content are asked once, and asked = found + judged + failed + skipped."""

_STAGE_ENDS = ("asked", "found", "judged", "failed", "skipped", "unsure")


def _write_stages(judges: "Judges", stage_asks: "StageAsks") -> None:
    """Write what the judges of cascades were asked, in the order in which they are asked."""
    names = [
        (kind.value, stage.judge.signature)
        for kind, stages in judges.items()
        for stage in stages
        if len(stages) > 1
    ]
    rows: list[Cells] = [
        (kind, *(stage_asks[kind, name, end] for end in _STAGE_ENDS), name)
        for kind, name in names
        if stage_asks[kind, name, "asked"]
    ]
    if rows:
        console.write(["\n", *aligned(("kind", *_STAGE_ENDS, "judge"), rows)])


def _note_not_asked(prepared: "Prepared", kinds: Collection[str]) -> None:
    """Write which judges of a cascade are not asked about some kinds of question."""
    names, judges = prepared.job.judges, prepared.found.judges
    not_asked: dict[str, list[str]] = {}
    for kind, name in names.by_kind().items():
        asked = {stage.name for stage in judges.get(kind, ())}
        for each in names.stages(name) if kind.value in kinds else ():
            if each not in asked:
                not_asked.setdefault(each, []).append(kind.value)
    for name, of_name in not_asked.items():
        console.note(
            f"{name} is not asked about {', '.join(of_name)}: it does not answer them, or no "
            "limits are known beyond which it is sure enough (see meta-eval --calibrate)"
        )


def _as_object(
    job: "Job",
    num_asks: "NumAsks",
    stage_asks: "StageAsks",
    reasons: Counter[tuple[str, str, str]],
) -> dict[str, Any]:
    limits = job.settings.limits
    return {
        "store": job.store,
        "asks": {
            kind: {end: num_asks[kind, end] for end in _ENDS}
            for kind in sorted({kind for kind, _ in num_asks})
        },
        "judges": [
            {
                "kind": kind,
                "judge": name,
                **{end: stage_asks[kind, name, end] for end in _STAGE_ENDS},
            }
            for kind, name in dict.fromkeys((kind, name) for kind, name, _ in stage_asks)
        ],
        "open": [
            {"kind": kind, "judge": name, "reason": reason, "questions": number}
            for (kind, name, reason), number in reasons.most_common()
        ],
        "calls": limits.num_calls,
        "prompt_tokens": limits.prompt_tokens,
        "reply_tokens": limits.reply_tokens,
        "cost": limits.cost if job.settings.prices else None,
        "halted": limits.halted or None,
    }


def _dry_run(prepared: "Prepared", num_probes: int, as_json: bool) -> None:
    from argue_eval.evaluation.forecast import forecast
    from argue_eval.judges import cascade

    found = forecast(prepared, num_probes)
    if as_json:
        kinds = [{**row._asdict(), "num_sure": row.num_sure} for row in found.kinds]
        judges = [
            {**row._asdict(), "sure": row.sure._asdict(), "most": row.most._asdict()}
            for row in found.judges
        ]
        table = {"kinds": kinds, "judges": judges, "num_textless": found.num_textless}
        console.write_json(table, indent=2, is_ascii=False)
        return
    is_cascade = cascade.is_in(prepared.found.judges)
    head = ["kind", "questions", "asks", "stored", "to ask", "at most"]
    rows: list[Cells] = []
    for row in found.kinds:
        asked = (row.num_questions, row.num_asks, row.num_stored, row.num_sure, row.num_most)
        rows.append((row.kind, *asked, *[row.judge] * is_cascade))
    console.write(aligned([*head, *["judge"] * is_cascade], rows))
    console.write(["\n"])
    columns = ("judge", "", "calls", "tokens in", "tokens out", "price", "time")
    console.write(aligned(columns, _judge_rows(found)))
    console.note(
        "to ask, sure: needed whatever the verdicts are; at most: the upper bound over all verdicts"
    )
    if is_cascade:
        console.note(
            "cascade: a judge that costs nothing was asked, to know what it passes on; others may "
            "pass on all or nothing"
        )
        _note_not_asked(prepared, [row.kind for row in found.kinds])
    _note_textless(found.num_textless)
    if not num_probes:
        console.note("--probe 20 asks each judge 20 questions and estimates the time for all")


def _note_textless(number: int) -> None:
    from argue_eval.judges import FIXES, NO_DOCUMENT

    if number:
        are = f"{count(number, 'question')} of support {'has' if number == 1 else 'have'}"
        console.note(f"{are} {NO_DOCUMENT} and cannot be asked")
        console.note(f"    fix: {FIXES[NO_DOCUMENT]}")


def _judge_rows(found: "Forecast") -> Iterator[Cells]:
    for row in found.judges:
        for index, (word, load) in enumerate((("sure", row.sure), ("at most", row.most))):
            price = "-" if row.cost is None else f"{row.cost[index]:.2f}"
            time = "-" if row.seconds is None else console.duration(row.seconds[index])
            yield "" if index else row.judge, word, *load, price, time
