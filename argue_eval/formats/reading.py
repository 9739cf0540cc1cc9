"""Files to records, of every kind.

The content decides in which format a file is; naming a format forces it. All errors of a file are
reported together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from os import fspath
from sys import maxsize
from typing import TYPE_CHECKING, Any

from argue_eval.errors import Finding, InputError
from argue_eval.formats.checking import Check, json_items, text_lines
from argue_eval.formats.detection import Unread, detect, note_unread, warn_of_unread
from argue_eval.formats.files import File, Files, sources
from argue_eval.formats.jsonl import JSON, Source
from argue_eval.formats.plugins import (
    Assessed,
    Drawn,
    Format,
    InBlocks,
    InParts,
    Itemized,
    Plain,
    load,
    names,
)
from argue_eval.records import Document, Judgment, Report, ReportRequest, Run, TopicNuggets

if TYPE_CHECKING:
    from argue_eval.formats.judgment_lines import Part

Warnings = list[Finding] | None

SMALL_BYTES = 64 << 10
"""Up to here, it does not pay to read many lines of a file at a time."""

_END: Any = object()

format_names = names


def read_topics(
    files: Files,
    format_name: str | None = None,
    warnings: Warnings = None,
    places: dict[str, str] | None = None,
) -> list[ReportRequest]:
    """Reads report requests, in file order.

    Args:
        format_name: the format of the files; None to detect it for each.
        warnings: warnings are added to this.
        places: where each topic stands, ``file:line``, is added to this.

    Raises:
        InputError: there are errors, or two requests for one topic; all are in its `findings`.
        MissingResourceError: there is no such file.
    """
    places = {} if places is None else places
    errors: list[Finding] = []
    topics: list[ReportRequest] = []
    for source in sources(files, "requests", warnings):
        topics += _read("requests", Check(source, warnings, places), format_name, errors)
    if errors:
        raise InputError(errors)
    return topics


def read_nuggets(
    files: Files,
    format_name: str | None = None,
    warnings: Warnings = None,
    places: dict[str, str] | None = None,
) -> list[TopicNuggets]:
    """Reads the nuggets of files, in file order.

    Args:
        format_name: the format of the files; None to detect it for each.
        warnings: warnings are added to this.
        places: where each topic stands, ``file:line``, is added to this.

    Raises:
        InputError: there are errors, or a topic occurs twice; all are in its `findings`.
        MissingResourceError: there is no such file.
    """
    return nuggets_of(sources(files, "nuggets", warnings), format_name, warnings, places)


def nuggets_of(
    found: Iterable[Source],
    format_name: str | None = None,
    warnings: Warnings = None,
    places: dict[str, str] | None = None,
) -> list[TopicNuggets]:
    """Reads the nuggets of files that were found already, as `read_nuggets` does."""
    places = {} if places is None else places
    errors: list[Finding] = []
    topics: list[TopicNuggets] = []
    repeated: dict[str, Any] = {}
    bare: dict[str, list[TopicNuggets]] = {}
    for source in found:
        num_errors = len(errors)
        check = Check(source, warnings, places, repeated=repeated)
        read = list(_read("nuggets", check, format_name, errors))
        answers = [each for topic in read for nugget in topic.nuggets for each in nugget.answers]
        is_good = len(errors) == num_errors
        if is_good and not all(each.doc_ids for each in answers if each.answer):
            bare[source.name] = read
        topics += read
    if bare:
        from argue_eval.formats.nuggets._bank import warn_of_bare

        warn_of_bare(bare, warnings)
    if errors:
        raise InputError(errors)
    return topics


def read_run(
    source: File, format_name: str | None = None, warnings: Warnings = None
) -> Iterator[Report]:
    """Yields the reports of a run as they are read; one with errors is left out.

    Raises:
        InputError: at the end, if the file has errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
    """
    source = source if isinstance(source, Source) else Source(fspath(source))
    return _read("runs", Check(source, warnings), format_name)


def read_runs(files: Files, format_name: str | None = None, warnings: Warnings = None) -> list[Run]:
    """Reads runs, in the order of the files and of their first reports.

    Raises:
        InputError: there are errors; all are in its `findings`.
        MissingResourceError: there is no such file.
    """
    errors: list[Finding] = []
    runs: list[Run] = []
    for source in sources(files, "runs", warnings):
        reports: dict[str, list[Report]] = {}
        for report in _read("runs", Check(source, warnings), format_name, errors):
            reports.setdefault(report.run_id, []).append(report)
        runs += [
            Run.of_file(run_id, tuple(found), source.name) for run_id, found in reports.items()
        ]
    if errors:
        raise InputError(errors)
    return runs


def read_documents(
    files: Files, format_name: str | None = None, warnings: Warnings = None
) -> list[Document]:
    """Reads documents, or those of a data set that is named ``irds:ID``.

    Args:
        format_name: the format of the files; None to detect it for each.

    Raises:
        InputError: there are errors; all of them are in its `findings`.
        MissingResourceError: there is no such file or data set.
    """
    return list(iter_documents(files, format_name=format_name, warnings=warnings))


def iter_documents(
    files: Files,
    wanted: Collection[str] | None = None,
    format_name: str | None = None,
    warnings: Warnings = None,
) -> Iterator[Document]:
    """Yields the documents of files, or of a data set that is named ``irds:ID``.

    Args:
        wanted: ids of the documents to yield; None for all.

    Raises:
        InputError: at the end of a file with errors; all of them are in its `findings`.
        MissingResourceError: there is no such file or data set.
    """
    keep = wanted if wanted is None or isinstance(wanted, (set, frozenset, dict)) else set(wanted)
    for source in sources(files, "documents", warnings):
        if source.name.startswith("irds:"):
            from argue_eval.formats.documents import irds

            yield from irds.documents(source.name.removeprefix("irds:"), wanted)
        else:
            yield from _read("documents", Check(source, warnings), format_name, wanted=keep)


def read_judgments(
    files: Files,
    format_name: str | None = None,
    warnings: Warnings = None,
    *,
    nuggets: Sequence[TopicNuggets] = (),
) -> list[Judgment]:
    """Reads judgments, in file order.

    Args:
        format_name: the format of the files; None to detect it for each.
        nuggets: to which the judgments refer; only Auto-ARGUE's format can't be read without.

    Raises:
        InputError: there are errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
    """
    return list(iter_judgments(files, nuggets, format_name, warnings))


def iter_judgments(
    files: Files,
    nuggets: Sequence[TopicNuggets] = (),
    format_name: str | None = None,
    warnings: Warnings = None,
) -> Iterator[Judgment]:
    """Yields the judgments of files as they are read; those with errors are left out.

    Args:
        nuggets: to which the judgments refer. Auto-ARGUE's format names answers by their texts and
            cannot be read without; for the others, ids that no nugget has are warned of.

    Raises:
        InputError: at the end of a file with errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
    """
    for source in sources(files, "judgments", warnings):
        yield from _read("judgments", Check(source, warnings), format_name, nuggets=nuggets)


def iter_assessed(
    files: Files, nuggets: Sequence[TopicNuggets] = (), warnings: Warnings = None
) -> Iterator[Assessed]:
    """Yields what `iter_judgments` does, each with the probability with which it was drawn to be
    judged, and the time; where a file says so.

    Raises:
        InputError, MissingResourceError: as `iter_judgments`.
    """
    for source in sources(files, "judgments", warnings):
        check = Check(source, warnings)
        yield from _read("judgments", check, None, is_drawn=True, nuggets=nuggets)


def iter_parts(
    source: Source, nuggets: Sequence[TopicNuggets] = (), warnings: Warnings = None, start: int = 0
) -> Iterator[Judgment | Part]:
    """Yields what `iter_judgments` does, packed for an index where the format can do that.

    Args:
        start: the facts of the parts are numbered from here on.
    """
    parts = {"start": start}
    return _read("judgments", Check(source, warnings), None, parts=parts, nuggets=nuggets)


def _table(kind: str, source: Source) -> Format[Any] | None:
    """The format of a table: of tabs, or one that people filled in; None for any other file."""
    if kind == "requests":
        from argue_eval.formats import tables

        return load("requests", "rag_tsv") if tables.is_table(source) else None
    from argue_eval.formats import sheets

    return load("judgments", "sheet_csv") if sheets.is_table(source) else None


def _read(
    kind: str,
    check: Check,
    format_name: str | None,
    errors: list[Finding] | None = None,
    *,
    parts: Mapping[str, Any] | None = None,
    is_drawn: bool = False,
    **context: Any,
) -> Iterator[Any]:
    """Yields the records of one file, then raises what is wrong with it.

    Args:
        errors: what is wrong is added to this instead.
        is_drawn: each judgment is wanted with the probability with which it was drawn.
    """
    named = load(kind, format_name) if format_name else None
    with check.finishing(errors):
        if (
            named is None
            and kind in ("requests", "judgments")
            and not check.source.starts_with(*JSON)
        ):
            named = _table(kind, check.source)
        values: Iterator[Any]
        if named is not None and isinstance(named, Itemized):
            values = named.items(check)
        elif named is not None and isinstance(named, Plain):
            values = text_lines(check)
        else:
            explain = _explained if kind == "nuggets" else None
            values = json_items(check, is_split=kind == "requests", explain=explain)
        first = next(values, _END)
        found = None if first is _END else named or detect(kind, first, check)
        if found is None:
            return
        size = check.source.size
        is_lines = check.document is None and not check.errors and (size or maxsize) > SMALL_BYTES
        records: Iterator[Any]
        if is_drawn:
            records = _drawn(found, chain([first], values), check, context)
        elif is_lines and parts is not None and isinstance(found, InParts):
            records = found.read_parts(check, **parts, **context)
        elif is_lines and isinstance(found, InBlocks):
            records = found.read_blocks(check, **context)
        else:
            records = found.read(chain([first], values), check, **context)
        unread: Unread = {}
        if kind in ("judgments", "documents"):  # nothing is kept that is not read
            note_unread(first, unread, check)
            yield from records
        else:
            for record in records:
                note_unread(record, unread, check)
                yield record
        if unread:
            warn_of_unread(unread, check)


def _explained(raw: bytes, error: InputError) -> InputError:
    """A better error for a text of nuggets in which a key is there twice."""
    from argue_eval.formats.nuggets import auto_argue

    return auto_argue.explain(raw, error)


def _drawn(
    found: Format[Any], values: Iterator[Any], check: Check, context: Mapping[str, Any]
) -> Iterator[Assessed]:
    if isinstance(found, Drawn):
        return found.read_assessed(values, check, **context)
    return map(Assessed, found.read(values, check, **context))
