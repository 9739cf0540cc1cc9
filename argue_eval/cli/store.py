"""``argue-eval store``: what judges answered, told, shared, merged and checked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Annotated, Any

import typer

from argue_eval.cli import options as shared

if TYPE_CHECKING:
    from argue_eval.judgments.importing import Imported
    from argue_eval.judgments.verifying import Info

app = typer.Typer(
    help="Tell, share, merge and check what judges answered: the files of score --store.\n\n"
    "Example: argue-eval store info judgments.store"
)

StoreFile = Annotated[str, typer.Argument(metavar="STORE", help="The file of score --store.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.command("info", no_args_is_help=True)
def info(path: StoreFile, as_json: AsJson = False) -> None:
    """Count judgments and failures by kind, judge and verdict.

    Example: argue-eval store info judgments.store --json
    """
    from argue_eval.cli import console
    from argue_eval.judgments import verifying

    found = verifying.info(path)
    console.write(_info_json(found) if as_json else _info_lines(found))


@app.command("export", no_args_is_help=True)
def export(
    path: StoreFile,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Packed if it ends in .gz; - is "
                          "stdout."),
    ] = "-",
    judge: Annotated[
        str | None,
        typer.Option("--judge", metavar="JUDGE", help="Only this judge's: its signature, or its "
                     "name for all its versions."),
    ] = None,
) -> None:  # fmt: skip
    """Write the judgments as JSON lines, which score --judgments reads.

    Example: argue-eval store export judgments.store -o lexical.judgments.jsonl
    """
    from argue_eval.cli import console
    from argue_eval.formats.jsonl import atomic_writer, encode
    from argue_eval.judgments.sharing import judgments
    from argue_eval.report.folder import judgment_object

    shared.check_output("-o", output, [path])
    number = 0
    found = judgments(path, judge)
    first = next(found, None)
    if output == "-":
        while first is not None:
            console.write([encode(judgment_object(first)) + "\n"])
            first, number = next(found, None), number + 1
        console.flush()
    else:
        with atomic_writer(output) as stream:
            while first is not None:
                stream.write(encode(judgment_object(first)) + "\n")
                first, number = next(found, None), number + 1
    console.note(f"{path}: {_many(number, 'judgment')} written")


@app.command("import", no_args_is_help=True)
def import_(
    path: StoreFile,
    judgments: Annotated[list[str], typer.Argument(metavar="JUDGMENTS...", help="- is stdin.")],
    qrels: Annotated[
        str | None, typer.Option("--qrels", metavar="QRELS", help="The nuggets' texts.")
    ] = None,
    requests: shared.Requests = None,
    collection: shared.Collection = None,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="RUN", help="The reports, for judgments that name a "
                     "sentence by its place. Repeatable."),
    ] = None,
) -> None:  # fmt: skip
    """Add judgments in JSON lines to a store, which is made if there is none.

    Give the texts that the judge was shown, as they are given to score: a judgment is found by
    them. One whose texts are missing is left out, and told.

    Example: argue-eval store import judgments.store lexical.judgments.jsonl --qrels
    qrels/example.json --requests topics/example.jsonl --collection collection/example.jsonl
    """
    from argue_eval.cli import console
    from argue_eval.errors import Finding
    from argue_eval.judgments.importing import TextFiles, import_judgments

    shared.check_stdin([*judgments, qrels, requests, *(collection or []), *(run or [])])
    warnings: list[Finding] = []
    files = TextFiles(qrels, requests, collection or [], run or [])
    done = import_judgments(path, judgments, files, warnings)
    console.warn(warnings)
    for line in _import_lines(path, done):
        console.note(line)


@app.command("merge", no_args_is_help=True)
def merge(
    path: Annotated[
        str, typer.Argument(metavar="STORE", help="The store to add to; made if there is none.")
    ],
    sources: Annotated[
        list[str], typer.Argument(metavar="OTHER...", help="Stores to add; they stay as they are.")
    ],
) -> None:
    """Add the judgments of other stores to a store.

    Where they differ, what STORE says stays, then what the first of the others says.

    Example: argue-eval store merge all.store part1.store part2.store
    """
    from argue_eval.cli import console
    from argue_eval.judgments import sharing

    for done in sharing.merge(path, sources):
        console.note(
            f"{done.source}: {_many(done.num_added, 'judgment')} added to {path}, "
            f"{done.num_known} known, {done.num_conflicts} with another verdict left out"
        )
        for kind, topic_id, kept, left in done.conflicts:
            console.note(f"  conflict: {kind}, topic {topic_id}: {kept} kept, {left} left out")


@app.command("verify", no_args_is_help=True)
def verify(path: StoreFile) -> None:
    """Check that a store is whole: the file, every key, every text. Exit code 1 if it is not.

    Example: argue-eval store verify judgments.store
    """
    from argue_eval.cli import console
    from argue_eval.errors import EXIT_INPUT, EXIT_OK, Severity
    from argue_eval.judgments import verifying

    findings = verifying.verify(path)
    console.warn(findings)
    is_sound = all(each.severity is not Severity.ERROR for each in findings)
    if is_sound:
        found = verifying.info(path)
        console.write(
            [f"{path}: sound; {_many(found.num_judgments, 'judgment')}, all keys computed anew\n"]
        )
    raise typer.Exit(EXIT_OK if is_sound else EXIT_INPUT)


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _info_lines(found: Info) -> Iterator[str]:
    yield f"judgments\t{found.num_judgments}\n"
    for kind, judge, verdict, number in found.judgments:
        yield f"  {kind}\t{judge}\t{verdict}\t{number}\n"
    yield f"failures\t{found.num_failures}\n"
    for kind, judge, reason, number, attempts in found.failures:
        yield f"  {kind}\t{judge}\t{reason}\t{number}, {_many(attempts, 'attempt')}\n"
    yield f"long texts\t{found.num_texts}\n"
    yield f"size\t{found.num_bytes / 1e6:.1f} MB\n"
    yield f"first\t{_time(found.first) or '-'}\n"
    yield f"last\t{_time(found.last) or '-'}\n"


def _info_json(found: Info) -> Iterator[str]:
    import json

    table: dict[str, Any] = {
        "format": "argue-eval/store-info/1",
        "store": found.path,
        "version": found.version,
        "num_judgments": found.num_judgments,
        "num_failures": found.num_failures,
        "num_texts": found.num_texts,
        "num_bytes": found.num_bytes,
        "first": _time(found.first),
        "last": _time(found.last),
        "judgments": [
            dict(zip(("kind", "judge", "verdict", "number"), row, strict=True))
            for row in found.judgments
        ],
        "failures": [
            dict(zip(("kind", "judge", "reason", "number", "attempts"), row, strict=True))
            for row in found.failures
        ],
    }
    yield json.dumps(table, indent=1, ensure_ascii=False) + "\n"


def _time(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def _import_lines(path: str, done: Imported) -> Iterator[str]:
    left = sum(done.left_out.values())
    yield (
        f"{path}: {_many(done.num_added, 'judgment')} added, {done.num_known} known, "
        f"{done.num_conflicts} with another verdict left out, {left} without a key left out"
    )
    for (kind, reason), number in done.left_out.most_common():
        yield f"  {number} x {kind}: {reason}"
