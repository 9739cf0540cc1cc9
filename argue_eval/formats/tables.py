"""Tables with a header, as any spreadsheet saves them: in many encodings, with three separators."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from argue_eval.errors import shorten
from argue_eval.formats.checking import Check
from argue_eval.formats.jsonl import MAX_DOCUMENT_BYTES, Source

_NAMES = frozenset(("topic_id", "title", "problem_statement", "question", "answer"))
_OF_ASSESSMENTS = frozenset(("run_tag", "answer_id"))
"""A header with both, or with one and the topic, is that of a table of assessments."""

_WIDE = (b"\xff\xfe", b"\xfe\xff")
_LINE_END = re.compile("[\r\n]")


def has_header(source: Source) -> bool:
    """Whether a file is a table of requests or nuggets, by the names of its columns."""
    names = {*columns(start_of(source), _NAMES)[0]}
    return "topic_id" in names and len(names & _NAMES) > 1 and not names & _OF_ASSESSMENTS


def is_of_assessments(raw: bytes) -> bool:
    """Whether a line is the header of a table of assessments."""
    if raw[:1] in b"{[":
        return False
    cells = {name.strip().decode("latin-1") for name in raw.strip().replace(b'"', b"").split(b",")}
    return len(cells & {"topic_id", *_OF_ASSESSMENTS}) > 1


def is_table(source: Source) -> bool:
    """Whether the first line of a file has columns, no header, and is not JSON."""
    if has_header(source):
        return False
    _, raw = next(source.lines())
    return b"\t" in raw and raw[:1] not in b"{["


def items(check: Check) -> Iterator[dict[str, Any]]:
    """Yields the rows of a table as objects of texts; `check` knows where they stand."""
    names, rows = read(check, _NAMES)
    if twice := [name for name in names if name and names.count(name) > 1]:
        message = f"two columns are called {shorten(twice[0])}"
        check.error("duplicate_column", message, hint="give each a name of its own")
        return
    num_rows = 0
    for row in rows:
        num_rows += 1
        if nameless := row.pop("", ""):
            message = f"a cell is in no column that the header names: {shorten(nameless)}"
            hint = "name the column, or put a cell with separators in quotes"
            check.error("wrong_columns", message, hint=hint)
            continue
        item: dict[str, Any] = {**row}
        if limit := item.pop("limit", ""):
            item["limit"] = int(limit) if limit.isdecimal() and len(limit) < 10 else limit
        yield item
    if not num_rows and not check.errors:
        hint = "check the step that wrote it"
        check.error("empty_file", "the table has a header and no rows", hint=hint)


def assessments(check: Check, lines: Iterable[tuple[int, bytes]]) -> Iterator[dict[str, str]]:
    """Yields the rows of a table of assessments by the names of its columns; notes an error for
    each that is broken.
    """
    numbers: list[int] = []

    def texts() -> Iterator[str]:
        for number, raw in lines:
            numbers.append(number)
            try:
                yield raw.decode("utf-8")
            except UnicodeDecodeError:
                raise check.source.encoding_error(raw, number) from None

    rows = csv.reader(texts(), strict=True)
    names: list[str] | None = None
    num_rows = 0
    while True:
        numbers.clear()
        try:
            row = next(rows, None)
        except csv.Error as exc:
            check.line = numbers[0]
            hint = "check the quotes of the row: they are doubled within a value"
            check.error("broken_row", f"the row cannot be read: {exc}", hint=hint)
            continue
        if row is None:
            break
        num_rows += 1
        check.line = numbers[0]
        if names is None:
            names = [name.strip() for name in row]
            if twice := [name for name in names if names.count(name) > 1]:
                message = f"two columns are called {shorten(twice[0])}"
                check.error("duplicate_column", message, hint="give each a name of its own")
                return
        elif len(row) != len(names):
            message = f"expected {len(names)} values, as the header has, found {len(row)}"
            hint = "put a value with commas or quotes in quotes"
            check.error("wrong_columns", message, hint=hint)
        else:
            yield dict(zip(names, row, strict=True))
    if num_rows < 2 and not check.errors:
        hint = "check the step that wrote it"
        check.error("empty_file", "the table has a header and no rows", hint=hint)


def start_of(source: Source) -> str:
    """The first line of a table, or more; an empty text if it is JSON."""
    with source.open() as stream:
        start: bytes = stream.readline(1 << 16)
        if start[:1] in b"{[" or not start.strip():
            return ""
        if start[:2] in _WIDE:
            start += stream.read(1 << 12)
    return _decoded(start)[0]


def read(check: Check, known: Collection[str]) -> tuple[list[str], Iterator[dict[str, str]]]:
    """The columns of a table, and its rows that are not blank.

    A cell that is in no column with a name is under the empty name; missing cells are empty.

    Args:
        known: names of columns, by which the separator is found.
    """
    with check.source.open() as stream:
        raw = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(raw) > MAX_DOCUMENT_BYTES:
        message = f"the table is larger than {MAX_DOCUMENT_BYTES >> 20} MiB"
        raise check.source.error("too_large", message, hint="split it")
    text, is_utf = _decoded(raw)
    check.line = 1
    if not is_utf:
        message = "the table is not UTF-8: letters with accents may be wrong"
        check.warn("encoding", message, hint="save it as CSV UTF-8 if they matter")
    names, delimiter = columns(text, known)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    return names, _rows(reader, names, check)


def _rows(reader: Any, names: list[str], check: Check) -> Iterator[dict[str, str]]:
    """Yields the rows behind the header."""
    end = 0
    try:
        for cells in reader:
            check.line, end = end + 1, reader.line_num
            if check.line > 1 and any(map(str.strip, cells)):
                row = dict.fromkeys(names, "") | dict(zip(names, cells, strict=False))
                beyond = "".join(cells[len(names) :]).strip()
                if beyond:
                    row[""] = beyond
                yield row
    except csv.Error as exc:
        check.line = end + 1
        hint = "check the quotes of the row, or save the table again as CSV"
        check.error("bad_table", f"the table cannot be read from here on: {exc}", hint=hint)


def columns(text: str, known: Collection[str]) -> tuple[list[str], str]:
    """The columns of the first line, and what separates them: where most have known names."""
    header = _LINE_END.split(text, maxsplit=1)[0]
    found: list[tuple[list[str], str]] = []
    for delimiter in ",;\t":
        try:
            cells = next(csv.reader([header], delimiter=delimiter), [])
        except csv.Error:  # no table: a line end in the line, say
            cells = []
        names = ["_".join(cell.casefold().split()) for cell in cells]
        found.append((names, delimiter))
    return max(found, key=lambda each: len({*each[0]} & {*known}))


def _decoded(raw: bytes) -> tuple[str, bool]:
    """The text of a table, and whether it is in an encoding that has all letters."""
    if raw[:2] in _WIDE:
        return raw.decode("utf-16", "replace"), True
    try:
        return raw.decode("utf-8-sig"), True
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace"), False
