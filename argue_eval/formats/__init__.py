"""Reads and writes files: bytes to records and back.

A sub-package per kind of file, a module per form, the module's name being the form's. The content
decides in which form a file is; naming a form forces it. All errors of a file are reported
together, with file, line and JSON path.

A form's module has `SHAPES`, the keys that make it out (see `_detect`), and
``read(values, check, …) -> Iterator[record]``. One whose files may have millions of lines may
have ``read_blocks(check, …) -> Iterator[record]`` besides, which reads many at a time. One that
can be written has `encode` too (see `_write` and `rewriting`), and where it can't hold every record
``why_not(record) -> str``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from argue_eval import _registry
from argue_eval.errors import Finding, InputError
from argue_eval.formats.checking import Check, TooManyError
from argue_eval.formats.detection import detect, fits
from argue_eval.formats.items import Explain, is_table, json_items, text_lines
from argue_eval.formats.jsonl import Source
from argue_eval.formats.writing import write_nuggets, write_requests, write_run
from argue_eval.records import Document, Judgment, Report, ReportRequest, TopicNuggets

__all__ = [
    "form_names",
    "holding",
    "read_documents",
    "read_judgments",
    "read_nuggets",
    "read_requests",
    "read_run",
    "write_nuggets",
    "write_requests",
    "write_run",
]

Warnings = list[Finding] | None

_END: Any = object()


def form_names(kind: str) -> list[str]:
    """Returns the names of the forms of a kind of file.

    Args:
        kind: ``requests``, ``nuggets``, ``runs``, ``documents`` or ``judgments``.
    """
    return _registry.names(f"formats.{kind}")


def read_requests(
    path: str | Source,
    form: str | None = None,
    warnings: Warnings = None,
    places: dict[str, str] | None = None,
) -> list[ReportRequest]:
    """Returns the report requests of a file, in file order.

    Args:
        places: where each topic stands, ``file:line``, is added to this.

    Raises:
        InputError: the file has errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
    """
    check = Check(_opened(path), warnings, places)
    return list(_read("requests", check, form, is_split=True))


def read_nuggets(
    path: str | Source,
    form: str | None = None,
    warnings: Warnings = None,
    places: dict[str, str] | None = None,
) -> list[TopicNuggets]:
    """Returns the nuggets of a file (or of a directory in Auto-ARGUE's form), in topic order.

    Args:
        places: where each topic stands, ``file:line``, is added to this.

    Raises:
        InputError: there are errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
    """
    from argue_eval.formats.nuggets import _bank, auto_argue

    source = _opened(path)
    is_folder = source.name != "-" and Path(source.name).is_dir()
    sources = [Source(name) for name in auto_argue.files_in(source.name)] if is_folder else [source]
    topics: list[TopicNuggets] = []
    errors: list[Finding] = []
    seen = {} if places is None else places
    for each in sources:
        check = Check(each, warnings, seen)
        name_of_form = "auto_argue" if is_folder and form is None else form
        try:
            topics.extend(_read("nuggets", check, name_of_form, explain=auto_argue.explain))
        except InputError as exc:
            errors.extend(exc.findings)
    if errors:
        raise InputError(errors)
    _bank.check_doc_ids(source.name, topics, warnings)
    return topics


def read_run(
    source: str | Source, form: str | None = None, warnings: Warnings = None
) -> Iterator[Report]:
    """Yields the reports of a run as they are read; one with errors is left out.

    Raises:
        InputError: at the end, if the file has errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
    """
    return _read("runs", Check(_opened(source), warnings), form)


def read_documents(
    path: str, wanted: Collection[str] | None = None, warnings: Warnings = None
) -> Iterator[Document]:
    """Yields the documents of a file, or of a data set that is named ``irds:ID``.

    Args:
        wanted: ids of the documents to yield; None for all.

    Raises:
        InputError: at the end, if the file has errors; all of them are in its `findings`.
        MissingResourceError: there is no such file or data set.
    """
    if path.startswith("irds:"):
        from argue_eval.formats.documents import irds

        return irds.documents(path.removeprefix("irds:"), wanted)
    keep = wanted if wanted is None or isinstance(wanted, (set, frozenset, dict)) else set(wanted)
    return _read("documents", Check(Source(path), warnings), None, wanted=keep)


def read_judgments(
    source: str | Source,
    nuggets: Sequence[TopicNuggets] = (),
    form: str | None = None,
    warnings: Warnings = None,
) -> Iterator[Judgment]:
    """Yields the judgments of a file as they are read; those with errors are left out.

    Args:
        nuggets: to which the judgments refer. Auto-ARGUE's form names answers by their texts and
            can't be read without; for the others, ids that no nugget has are warned of.

    Raises:
        InputError: at the end, if the file has errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
    """
    return _read("judgments", Check(_opened(source), warnings), form, nuggets=nuggets)


def holding(kind: str, paths: Sequence[str]) -> list[str]:
    """Returns those of some files that hold records of a kind, as far as their start tells. A file
    may hold several kinds.
    """
    files = [path for path in dict.fromkeys(paths) if Path(path).is_file()]
    return [path for path in files if holds(kind, Source(path))]


def holds(kind: str, source: Source) -> bool:
    """Returns whether a file holds records of a kind, as far as its start tells."""
    return fits(kind, next(json_items(Check(source)), None))


def _opened(source: str | Source) -> Source:
    return source if isinstance(source, Source) else Source(source)


def _read(
    kind: str,
    check: Check,
    form: str | None,
    *,
    is_split: bool = False,
    explain: Explain | None = None,
    **context: Any,
) -> Iterator[Any]:
    """Yields the records of one file, then raises what was found wrong."""
    module = _registry.load(f"formats.{kind}", form) if form else None
    with _collecting(check):
        if module is None and kind == "requests" and is_table(check.source):
            module = _registry.load("formats.requests", "rag_tsv")
        values: Iterator[Any]
        if getattr(module, "IS_TEXT", False):
            values = text_lines(check)
        else:
            values = json_items(check, is_split=is_split, explain=explain)
        first = next(values, _END)
        if first is _END:
            return
        module = module or detect(kind, first, check)
        is_lines = check.document is None and not check.errors
        read_blocks = getattr(module, "read_blocks", None) if is_lines else None
        if read_blocks is not None:
            yield from read_blocks(check, **context)
        elif module is not None:
            yield from module.read(chain([first], values), check, **context)


@contextmanager
def _collecting(check: Check) -> Iterator[None]:
    """Raises all errors together, those that end the reading early included."""
    is_cut = False
    try:
        yield
    except InputError as exc:
        check.errors.extend(exc.findings)
    except TooManyError:
        is_cut = True
    check.finish(is_cut=is_cut)
