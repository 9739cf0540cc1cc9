"""``argue-eval store``: what judges answered, counted, exported, merged and verified."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Annotated, Any

import typer

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import INPUT, command, only, param
from argue_eval.errors import EXIT_INPUT, EXIT_OK, Finding, InputError, Severity, count, plain

if TYPE_CHECKING:
    from argue_eval.judgments.verifying import Info

app = typer.Typer(
    help="Inspect, export, merge and verify stored judgments: the files of score --store.\n\n"
    "Example: argue-eval store info judgments.store"
)

StoreFile = Annotated[str, param("STORE", "The file of score --store.")]


@command(app, "info")
def info(path: StoreFile, as_json: Annotated[bool, param("--json", "Print JSON.")] = False) -> None:
    """Count judgments and failures by kind, judge and verdict.

    Example: argue-eval store info judgments.store --json
    """
    from argue_eval.judgments import verifying

    found = verifying.info(path)
    if as_json:
        console.write_json(_info_object(found), is_ascii=False)
    else:
        console.show(_info_lines(found))


@command(app, "export")
def export(
    path: StoreFile,
    output: Annotated[str, param(
        "-o, --output FILE", "Gzipped if it ends in .gz; - is stdout.")] = "-",
    judge: Annotated[str | None, param(
        "--judge JUDGE", "Only this judge: its signature, or its name for all versions.")] = None,
) -> None:  # fmt: skip
    """Write the judgments as JSON lines, to publish them. score --judgments reads them.

    Example: argue-eval store export judgments.store -o lexical.judgments.jsonl
    """
    from argue_eval.formats.jsonl import encode
    from argue_eval.judgments.exchange import judgments
    from argue_eval.report.folder import judgment_object

    console.check_files([path], o=output)
    number = 0

    def lines() -> Iterator[str]:
        nonlocal number
        for each in judgments(path, judge):
            yield encode(judgment_object(each)) + "\n"
            number += 1
        if not number:
            hint = "fill it with judge or score --store; store info shows what it holds"
            raise InputError(Finding("no_judgments", "there is nothing to export", hint, path))

    console.write(lines(), output)
    console.note(f"{path}: {count(number, 'judgment')} written")


@command(app, "import")
def import_(
    path: StoreFile,
    judgments: Annotated[list[str], param(
        "JUDGMENTS...", "As JSON lines (- is stdin), or another store.")],
    inputs: Annotated[shared.Inputs, only("requests", "collection")],
    qrels: Annotated[str | None, param("--qrels QRELS", "The nuggets' texts.", INPUT)] = None,
    run: Annotated[list[str] | None, param(
        "--run RUN", "The reports, for judgments that name a sentence or report by its run. "
        "Repeatable.", INPUT)] = None,
) -> None:  # fmt: skip
    """Add judgments from JSON lines to a store.

    The store is created if it does not exist. Give the texts that the judge was shown, as for
    score: a judgment is looked up by them. Judgments whose texts are missing are left out and
    reported.

    Example: argue-eval store import judgments.store lexical.judgments.jsonl --qrels
    qrels/example.json --requests topics/example.jsonl --collection collection/example.jsonl
    """
    from argue_eval.judgments.exchange import FIXES, TextFiles, import_judgments

    runs = run or []
    console.check_files([*judgments, qrels, *runs, *inputs.files()])
    warnings: list[Finding] = []
    files = TextFiles(
        nuggets=qrels, requests=inputs.requests, collections=inputs.collection, runs=runs
    )
    done = import_judgments(path, judgments, files, warnings)
    console.warn(warnings)
    console.note(
        f"{path}: {count(done.num_added, 'judgment')} added, {done.num_known:,} known, "
        f"{done.num_conflicts:,} with another verdict left out, {sum(done.left_out.values()):,} "
        "without a key left out"
    )
    for (kind, reason), number in done.left_out.most_common():
        console.note(f"  {number:,} x {kind}: {reason}")
        if reason in FIXES:
            console.note(f"    fix: {FIXES[reason]}")


@command(app, "merge")
def merge(
    path: Annotated[str, param("STORE", "The store to add to; created if it does not exist.")],
    sources: Annotated[list[str], param("OTHER...", "Stores to add; they are not changed.")],
) -> None:  # fmt: skip
    """Add the judgments of other stores to a store.

    Where verdicts differ, STORE wins, then the first of the others.

    Example: argue-eval store merge all.store part1.store part2.store
    """
    from argue_eval.judgments import merging

    for done in merging.merge(path, sources):
        console.note(
            f"{done.source}: {count(done.num_added, 'judgment')} added to {path}, "
            f"{done.num_known:,} known, {done.num_conflicts:,} with another verdict left out"
        )
        for kind, topic_id, kept, left in done.conflicts:
            console.note(f"  conflict: {kind}, topic {topic_id}: {kept} kept, {left} left out")


@command(app, "verify")
def verify(
    path: StoreFile,
    repair: Annotated[str | None, param(
        "--repair NEW", "Write all that is intact to a new store.")] = None,
) -> int:  # fmt: skip
    """Check that a store is intact: the file, every key, every text. Exit code 1 if it is not.

    With --repair, the exit code is 0 if the new store was written.

    Example: argue-eval store verify judgments.store
    """
    from argue_eval.judgments import verifying

    console.check_files([path], repair=repair)
    found = verifying.verify(path, repair)
    console.warn(found.findings)
    is_damaged = any(each.severity is Severity.ERROR for each in found.findings)
    rows = f"{count(found.num_judgments, 'judgment')} and {count(found.num_failures, 'failure')}"
    if repair is not None:
        lost = "; what is lost is asked again" if is_damaged else ""
        console.show([f"{repair}: {rows} of {path} written, all that is intact{lost}\n"])
    elif is_damaged:
        console.note(f"{path}: damaged; {rows} are intact")
        return EXIT_INPUT
    else:
        number = count(found.num_judgments, "judgment")
        console.show([f"{path}: sound; {number}, all keys recomputed\n"])
    return EXIT_OK


def _info_lines(found: Info) -> Iterator[str]:
    yield f"judgments\t{found.num_judgments}\n"
    for kind, judge, verdict, number in found.judgments:
        yield f"  {kind}\t{plain(judge)}\t{verdict}\t{number}\n"
    yield f"failures\t{found.num_failures}\n"
    for kind, judge, reason, number, attempts in found.failures:
        yield f"  {kind}\t{plain(judge)}\t{plain(reason)}\t{number}, {count(attempts, 'attempt')}\n"
    yield f"long texts\t{found.num_texts}\n"
    yield f"size\t{found.num_bytes / 1e6:.1f} MB\n"
    yield f"first\t{_time(found.first) or '-'}\n"
    yield f"last\t{_time(found.last) or '-'}\n"


_NUMBERS = ("version", "num_judgments", "num_failures", "num_texts", "num_bytes")


def _info_object(found: Info) -> dict[str, Any]:
    judged, failed = ("kind", "judge", "verdict"), ("kind", "judge", "reason")
    return {
        "format": "argue-eval/store-info/1",
        "store": found.path,
        **{name: getattr(found, name) for name in _NUMBERS},
        "first": _time(found.first),
        "last": _time(found.last),
        "judgments": [dict(zip((*judged, "number"), row, strict=True)) for row in found.judgments],
        "failures": [
            dict(zip((*failed, "number", "attempts"), row, strict=True)) for row in found.failures
        ],
    }


def _time(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
