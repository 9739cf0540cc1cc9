"""``argue-eval convert``: a run, nuggets or requests in the form of another track."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from argue_eval.cli import options as shared

if TYPE_CHECKING:
    from argue_eval.formats.converting import Conversion, Loss


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SRC", help="A run, nuggets or report requests in any known form, plain or "
            "gzip, or a directory of Auto-ARGUE banks. - is stdin.",
        ),
    ],
    to: Annotated[
        str,
        typer.Option("--to", metavar="FORM", help="The form to write, such as canonical, rag or "
                     "auto_argue; a wrong one gets the list."),
    ],
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="FILE", help="The file to write, packed if it ends "
                     "in .gz; for auto_argue also a directory, DIR/. - is stdout."),
    ] = "-",
    is_lossy: Annotated[
        bool, typer.Option("--lossy", help="Write what the form can hold, and list what it can't.")
    ] = False,
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="KIND", help="What SRC holds, rather than to find it out: "
                     "runs, nuggets or requests."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--form", metavar="NAME", help="The form of SRC, rather than to find it out."),
    ] = None,
    requests: Annotated[
        str | None,
        typer.Option("--requests", metavar="FILE", help="For --to rag: requests, whose texts "
                     "become the narratives of reports that have none."),
    ] = None,
    show_all: Annotated[
        bool, typer.Option("--all", help="List each loss, not each kind of loss.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the losses as JSON.")] = False,
) -> None:  # fmt: skip
    """Write a run, nuggets or report requests in the form of another track.

    What the form cannot hold is listed. Then nothing is written (exit code 1), unless --lossy.

    Example: argue-eval convert runs/careful.jsonl --to rag -o careful.rag.jsonl
    """
    from argue_eval.cli import console
    from argue_eval.errors import EXIT_INPUT, EXIT_OK, Finding, UsageError
    from argue_eval.formats.converting import convert as library

    shared.check_stdin([source, requests])
    to_stdout = output == "-"
    if as_json and to_stdout:
        raise UsageError("--json prints to stdout: name a file with -o")
    warnings: list[Finding] = []
    done = library(
        source,
        to,
        None if to_stdout else output,
        kind=kind,
        source_form=form,
        requests=requests,
        is_lossy=is_lossy,
        warnings=warnings,
    )
    console.write([done.text] if to_stdout else [])
    console.flush()
    console.warn(warnings)
    if as_json:
        console.write(_as_json(done, source, output))
    else:
        for line in _as_text(done, source, output, show_all):
            console.note(line)
    raise typer.Exit(EXIT_OK if done.is_written else EXIT_INPUT)


def _as_text(done: Conversion, source: str, output: str, show_all: bool) -> Iterator[str]:
    from argue_eval.formats.converting import HINT

    if show_all:
        for loss in (*done.losses, *done.additions):
            yield str(loss.finding)
    else:
        yield from _by_kind(done.additions, "added")
        yield from _by_kind(done.losses, "lost" if done.is_written else "cannot be kept")
    records = "report" if done.kind == "runs" else "topic"
    number = f"{done.num_records} {records}{'s' * (done.num_records != 1)}"
    if done.is_written:
        place = "standard output" if output == "-" else output
        yield f"{source}: {number} written as {done.form} to {place}, {_count(done)} lost"
    else:
        yield f"{source}: not written as {done.form}, {_count(done)} would be lost"
        yield HINT


def _count(done: Conversion) -> str:
    number = len(done.losses)
    return f"{number} thing{'s' * (number != 1)}" if number else "nothing"


def _by_kind(losses: tuple[Loss, ...], title: str) -> Iterator[str]:
    """Yields a line for each kind of loss: how many there are, and the first of them."""
    from collections import Counter

    from argue_eval.errors import ascii_controls
    from argue_eval.formats.converting import HINT

    counts = Counter(loss.what for loss in losses)
    first = {loss.what: loss.finding for loss in reversed(losses)}
    for what, number in counts.most_common():
        finding = first[what]
        place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
        where = ascii_controls(f"{place}, topic {finding.topic_id}")[1:-1]
        if finding.sentence is not None:
            where += f", sentence {finding.sentence}"
        yield f"{title}: {what} x {number}"
        yield f"    {where}: {finding.message}"
        if finding.hint not in ("", HINT):
            yield f"    {finding.hint}"


def _as_json(done: Conversion, source: str, output: str) -> Iterator[str]:
    import json

    table = {
        "format": "argue-eval/conversion/1",
        "source": source,
        "kind": done.kind,
        "from": done.source_form or None,
        "to": done.form,
        "is_written": done.is_written,
        "output": output if done.is_written else None,
        "num_records": done.num_records,
        "num_lost": len(done.losses),
        "counts": dict(done.counts()),
        "lost": [_loss(loss) for loss in done.losses],
        "added": [_loss(loss) for loss in done.additions],
    }
    yield json.dumps(table, indent=1) + "\n"


def _loss(loss: Loss) -> dict[str, Any]:
    finding = loss.finding
    return {
        "what": loss.what,
        "code": finding.code,
        "file": finding.file,
        "line": finding.line,
        "path": finding.path,
        "topic_id": finding.topic_id,
        "sentence": finding.sentence,
        "nugget_id": loss.nugget_id or None,
        "message": finding.message,
        "fix": finding.hint,
    }
