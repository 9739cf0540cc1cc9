"""``argue-eval ingest``: requests or nuggets in any format, checked, to one canonical file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from argue_eval.cli import console
from argue_eval.cli.app import Strict, param
from argue_eval.errors import (
    EXIT_INPUT,
    EXIT_OK,
    Severity,
    UsageError,
    count,
    did_you_mean,
    nearest,
)

if TYPE_CHECKING:
    from argue_eval.validation.ingest import Ingested


def ingest(
    what: Annotated[str, param("requests|qrels", "What the sources hold.")],
    sources: Annotated[list[str] | None, param(
        "SRC...", "Files in any known format, plain or gzip, or folders of them. - is "
        "stdin.")] = None,
    output: Annotated[str | None, param(
        "-o, --output FILE", "The canonical file; - is stdout. Without it, the sources are only "
        "checked.")] = None,
    form: Annotated[str | None, param(
        "--form NAME", "The format of the sources; see argue-eval list formats. Default: "
        "detected.")] = None,
    requests: Annotated[str | None, param(
        "--requests FILE", "With qrels: requests with the same topics.")] = None,
    collection: Annotated[list[str] | None, param(
        "--collection FILE|irds:ID", "With qrels: documents that answers may name: JSON lines, ids "
        "(one a line), or an ir_datasets id. Repeatable.")] = None,
    track: Annotated[str | None, param(
        "--track NAME", "With qrels: the track whose documents answers may name; see argue-eval "
        "list tracks.")] = None,
    strict: Strict = False,
    as_json: Annotated[bool, param("--json", "Print summary and findings as JSON.")] = False,
) -> int:  # fmt: skip
    """Check requests or nuggets in any format and write the canonical file.

    Nothing is written if there are errors (exit code 1).

    Example: argue-eval ingest qrels bank.jsonl --requests topics/example.jsonl -o qrels.json
    """
    from argue_eval.validation import ingest as library

    sources, collections = sources or [], collection or []
    if what in ("requests", "qrels") and not sources:
        raise UsageError(f"ingest {what}: name the files that hold them: ingest {what} SRC...")
    console.check_files([*sources, requests, *collections], o=output)
    console.check_json(output)
    if what == "qrels":
        taken = library.ingest_nuggets(
            sources,
            format_name=form,
            requests=requests,
            collections=collections,
            track=track,
            is_strict=strict,
        )
    elif what != "requests":
        raise UsageError(f"ingest: expected requests or qrels first, found {what!r}.{_meant(what)}")
    elif requests or collections or track:
        options = "--requests, --collection and --track"
        raise UsageError(f"{options} are for qrels: ingest qrels SRC...")
    else:
        taken = library.ingest_requests(sources, format_name=form, is_strict=strict)
    if output not in (None, "-") and not taken.has_errors:
        library.write(taken.text, str(output))
    _print(taken, output, as_json)
    return EXIT_INPUT if taken.has_errors else EXIT_OK


def _meant(what: str) -> str:
    """What to write in the place of another word, or of a file."""
    from argue_eval.formats import kinds_in

    words = {"topics": "requests", "queries": "requests", "nuggets": "qrels", "bank": "qrels"}
    names = {"nuggets": "qrels", "requests": "requests"}
    held = [names[kind] for kind in kinds_in(what) if kind in names]
    if held and what.lower() not in words:
        return did_you_mean([f"ingest {each} {what}" for each in held])
    near = words.get(what.lower()) or nearest(what, ["requests", "qrels"])
    return did_you_mean([f"ingest {near}"] if near else [])


def _print(taken: Ingested, output: str | None, as_json: bool) -> None:
    """Print what was found: to stderr if the canonical file goes to stdout."""
    lines = (_as_json if as_json else _as_text)(taken, output)
    if output != "-":
        console.show(lines)
        return
    console.write([taken.text])
    for line in lines:
        console.note(line.rstrip("\n"))


def _as_text(taken: Ingested, output: str | None) -> Iterator[str]:
    from argue_eval.report.findings import text

    yield from text.grouped(taken.findings, console.listing.room(len(taken.summary) + 2))
    for line in taken.summary:
        yield f"{line}\n"
    num_errors = sum(each.severity is Severity.ERROR for each in taken.findings)
    warnings = count(len(taken.findings) - num_errors, "warning")
    if num_errors:
        yield f"not ok, {count(num_errors, 'error')}, {warnings}: nothing is written\n"
    elif output is None:
        yield f"ok, {warnings}: only checked; -o FILE writes the canonical file\n"
    else:
        place = "standard output" if output == "-" else output
        yield f"ok, {warnings}: written to {place}\n"


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
    yield from (json.dumps(table, indent=1) + "\n").splitlines(keepends=True)
