"""``argue-eval convert``: a run, nuggets or requests in another format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from argue_eval.cli import console
from argue_eval.cli.app import param
from argue_eval.errors import EXIT_INPUT, EXIT_OK, Finding, UsageError, count, plain

if TYPE_CHECKING:
    from argue_eval.formats.converting import Conversion, Loss


def convert(
    source: Annotated[str, param(
        "SRC", "A run, nuggets or report requests in any known format, plain or gzip, or a "
        "directory of Auto-ARGUE banks. - is stdin.")],
    to: Annotated[str, param(
        "--to FORMAT", "The format to write, such as canonical, rag or auto_argue; see argue-eval "
        "list formats.")],
    output: Annotated[str, param(
        "-o, --output FILE", "The file to write, gzipped if it ends in .gz; for auto_argue also a "
        "directory, DIR/. - is stdout.")] = "-",
    is_lossy: Annotated[bool, param(
        "--lossy", "Write what the format can hold, and list what is lost.")] = False,
    kind: Annotated[str | None, param(
        "--kind KIND", "What SRC holds: runs, nuggets or requests. Default: detected.")] = None,
    form: Annotated[str | None, param(
        "--form NAME", "The format of SRC. Default: detected.")] = None,
    requests: Annotated[str | None, param(
        "--requests FILE", "For --to rag: requests, whose texts become the narratives of reports "
        "that have none.")] = None,
    show_all: Annotated[bool, param(
        "--all", "List each loss, not only each kind of loss.")] = False,
    as_json: Annotated[bool, param("--json", "Print the losses as JSON.")] = False,
) -> int:  # fmt: skip
    """Convert a run, nuggets or report requests to another format.

    What the format cannot hold is listed. Then nothing is written (exit code 1), except with
    --lossy.

    Example: argue-eval convert runs/careful.jsonl --to rag -o careful.rag.jsonl
    """
    from argue_eval.formats.converting import convert as library

    console.check_files([source, requests], o=output)
    to_stdout = output == "-"
    if as_json and to_stdout:
        raise UsageError("--json prints to stdout: name a file with -o")
    warnings: list[Finding] = []
    done = library(
        source,
        to,
        None if to_stdout else output,
        kind=kind,
        source_format=form,
        requests=requests,
        is_lossy=is_lossy,
        warnings=warnings,
    )
    console.write([done.text] if to_stdout else [])
    console.warn(warnings)
    if as_json:
        console.write_json(_as_object(done, source, output))
    else:
        for line in _as_text(done, source, output, show_all):
            console.note(line)
    return EXIT_OK if done.is_written else EXIT_INPUT


def _as_text(done: Conversion, source: str, output: str, show_all: bool) -> Iterator[str]:
    from argue_eval.formats.converting import HINT

    if show_all:
        for loss in (*done.losses, *done.additions):
            yield from str(loss.finding).split("\n")
    else:
        yield from _by_kind(done.additions, "added")
        yield from _by_kind(done.losses, "lost" if done.is_written else "cannot be kept")
    num_lost = count(len(done.losses), "thing") if done.losses else "nothing"
    if done.is_written:
        records = count(done.num_records, "report" if done.kind == "runs" else "topic")
        place = "standard output" if output == "-" else output
        yield f"{source}: {records} written as {done.format_name} to {place}, {num_lost} lost"
    else:
        yield f"{source}: not written as {done.format_name}, {num_lost} would be lost"
        yield HINT


def _by_kind(losses: tuple[Loss, ...], title: str) -> Iterator[str]:
    """Yield lines for each kind of loss: how many there are, and the first of them."""
    from argue_eval.formats.converting import HINT

    counts = Counter(loss.what for loss in losses)
    first = {loss.what: loss.finding for loss in reversed(losses)}
    for what, number in counts.most_common():
        finding = first[what]
        place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
        where = plain(f"{place}, topic {finding.topic_id}")
        if finding.sentence is not None:
            where += f", sentence {finding.sentence}"
        yield f"{title}: {what} x {number:,}"
        yield f"    {where}: {finding.message}"
        if finding.hint not in ("", HINT):
            yield f"    {finding.hint}"


def _as_object(done: Conversion, source: str, output: str) -> dict[str, Any]:
    return {
        "format": "argue-eval/conversion/1",
        "source": source,
        "kind": done.kind,
        "from": done.source_format or None,
        "to": done.format_name,
        "is_written": done.is_written,
        "output": output if done.is_written else None,
        "num_records": done.num_records,
        "num_lost": len(done.losses),
        "counts": dict(done.counts()),
        "lost": [_loss_object(loss) for loss in done.losses],
        "added": [_loss_object(loss) for loss in done.additions],
    }


def _loss_object(loss: Loss) -> dict[str, Any]:
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
