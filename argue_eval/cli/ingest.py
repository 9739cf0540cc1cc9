"""``argue-eval ingest``: requests or nuggets in any form, checked, to one canonical file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from argue_eval.cli import options as shared

if TYPE_CHECKING:
    from argue_eval.validation.ingest import Ingested

Collection = Annotated[
    list[str] | None,
    typer.Option(
        "--collection", metavar="FILE|irds:ID", help="Qrels: documents that answers may name: JSON "
        "lines, ids (one a line), or an ir_datasets id. Repeatable.",
    ),
]  # fmt: skip


def ingest(
    what: Annotated[str, typer.Argument(metavar="requests|qrels", help="What the sources hold.")],
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SRC...", help="Files in any known form, plain or gzip, or a directory of "
            "Auto-ARGUE banks. - is stdin.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="The canonical file; - is stdout. "
                     "Without it, the sources are only checked."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--form", metavar="NAME", help="The form of the sources, rather than to find "
                     "it out; see argue-eval list formats."),
    ] = None,
    requests: Annotated[
        str | None,
        typer.Option("--requests", metavar="FILE", help="Qrels: requests with the same topics."),
    ] = None,
    collection: Collection = None,
    strict: Annotated[bool, typer.Option("--strict", help="Turn warnings into errors.")] = False,
    show_all: Annotated[bool, typer.Option("--all", help="Show more than a screenful.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print summary and findings as JSON.")
    ] = False,
) -> None:  # fmt: skip
    """Read requests or nuggets in any form, check them and write the canonical file.

    Nothing is written if there are errors (exit code 1).

    Example: argue-eval ingest qrels bank.jsonl --requests topics/example.jsonl -o qrels.json
    """
    from argue_eval.errors import EXIT_INPUT, EXIT_OK
    from argue_eval.validation import ingest as library

    shared.check_stdin([*sources, requests, *(collection or [])])
    taken = _ingest(what, sources, form, requests, collection or [], strict)
    if output not in (None, "-") and not taken.has_errors:
        library.write(taken.text, str(output))
    lines = _as_json(taken, output) if as_json else _as_text(taken, output, show_all)
    _print(lines, taken, output)
    raise typer.Exit(EXIT_INPUT if taken.has_errors else EXIT_OK)


def _ingest(
    what: str,
    sources: Sequence[str],
    form: str | None,
    requests: str | None,
    collections: Sequence[str],
    is_strict: bool,
) -> Ingested:
    from argue_eval.errors import UsageError, unknown_name
    from argue_eval.validation.ingest import ingest_nuggets, ingest_requests

    if what == "qrels":
        return ingest_nuggets(
            sources,
            format_name=form,
            requests=requests,
            collections=collections,
            is_strict=is_strict,
        )
    if what != "requests":
        raise unknown_name("kind of file", what, ["requests", "qrels"])
    if requests or collections:
        raise UsageError("--requests and --collection are for qrels: ingest qrels SRC...")
    return ingest_requests(sources, format_name=form, is_strict=is_strict)


def _print(lines: Iterator[str], taken: Ingested, output: str | None) -> None:
    """Prints the report: to stderr if the canonical file goes to stdout."""
    from argue_eval.cli import console

    if output != "-":
        console.write(lines)
        return
    console.write([taken.text])
    console.flush()
    for line in lines:
        console.note(line.rstrip("\n"))


def _as_text(taken: Ingested, output: str | None, show_all: bool) -> Iterator[str]:
    from shutil import get_terminal_size

    from argue_eval.report.findings import text

    room = None if show_all else get_terminal_size().lines - len(taken.summary) - 2
    yield from text.grouped(taken.findings, room)
    for line in taken.summary:
        yield f"{line}\n"
    yield f"{_verdict(taken, output)}\n"


def _verdict(taken: Ingested, output: str | None) -> str:
    from argue_eval.errors import Severity
    from argue_eval.report.findings import count

    num_errors = sum(each.severity is Severity.ERROR for each in taken.findings)
    warnings = count(len(taken.findings) - num_errors, "warning")
    if num_errors:
        return f"not ok, {count(num_errors, 'error')}, {warnings}: nothing is written"
    if output is None:
        return f"ok, {warnings}: checked only, -o FILE writes the canonical file"
    return f"ok, {warnings}: written to {'standard output' if output == '-' else output}"


def _as_json(taken: Ingested, output: str | None) -> Iterator[str]:
    import json

    from argue_eval.report.findings.json import as_json

    table = {
        "format": "argue-eval/ingest/1",
        "is_ok": not taken.has_errors,
        "output": None if taken.has_errors else output,
        "summary": {line.key: line.as_json for line in taken.summary},
        "findings": [{"file": each.file, **as_json(each)} for each in taken.findings],
    }
    yield json.dumps(table, indent=1) + "\n"
