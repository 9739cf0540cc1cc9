"""Sheets: questions for people, one a row, which are filled in and read back as judgments.

A sheet is JSON lines, a page for a browser (HTML, see `argue_eval.formats.html.sheets`), whose
export is JSON lines, or a table for a spreadsheet (CSV). Spreadsheets change what they show: ids
become numbers, letters get lost, rows are sorted. So each row of a table carries the question in a
cell of its own, ``key``, which is packed and has a checksum. Only that cell, the verdict, the note
and the assessor are read back; the others are for people.
"""

from __future__ import annotations

import base64
import binascii
import csv
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from argue_eval.errors import Finding, InputError, UsageError, check_names, plain, shorten
from argue_eval.formats import tables
from argue_eval.formats.checking import Check, json_items
from argue_eval.formats.jsonl import MAX_DOCUMENT_BYTES, Source, encode, visible

ASSESSOR = "assessor"
"""How the judges are called that are people; a name may follow, as in ``assessor:A1``."""


COLUMNS = (
    "row", "verdict", "note", "assessor", "question", "sentence", "evidence", "topic", "doc_id",
    "probability", "key",
)  # fmt: skip
FORMATS = ("csv", "jsonl", "html")
_ENDINGS = {"json": "jsonl", "ndjson": "jsonl", "htm": "html"}
"""What else files of a format end in."""

_MAX_CELL = 30_000
"""Spreadsheets cut what is longer than 32,767 characters."""
CUT = " […] (the text goes on)"
_MAX_KEY_BYTES = 1 << 20
_MIN_COLUMNS = 4
"""A table with so many of our columns is a sheet."""

_FORMULAS = "[=+\\-@\uff1d\uff0b\uff0d\uff20]"
"""What starts a formula; the wide ones do so in East Asia."""
_FORMULA = re.compile(rf"^(?=\s*{_FORMULAS})|(?<=[,;|\"\t\n])(?={_FORMULAS})")
"""A cell may be split at any separator by a program that expects another one."""
_GUARDED = re.compile(rf"^'(?=\s*{_FORMULAS})")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Row(NamedTuple):
    """One question for a person.

    Attributes:
        keys: the keys of its judgment, as the canonical file has them, without verdict and judge. A
            sentence is named by its text, unless that says too little or too much.
        question: in words, with the answers to choose from.
        sentence: what is asked about; empty if the question is about no sentence.
        evidence: what to read beside it, such as the document.
        probability: of being drawn; None for a row that was not drawn by chance.
    """

    keys: Mapping[str, Any]
    question: str
    sentence: str = ""
    evidence: str = ""
    topic: str = ""
    probability: float | None = None


def is_assessor(judge: str) -> bool:
    """Whether a judge is a person."""
    return judge.partition(":")[0] == ASSESSOR


def lines(
    rows: Iterable[Row], num_rows: int, format_name: str, assessor: str = ""
) -> Iterator[str]:
    """Yields the lines of a sheet.

    Args:
        num_rows: how many there are.
        format_name: one of `FORMATS`.
        assessor: who is going to fill it in, if that is known.

    Raises:
        UsageError: the name could not be read back.
    """
    if not assessor.isprintable():
        raise UsageError(f"--assessor: expected a name on one line, found {shorten(assessor)}")
    if format_name == "html":
        from argue_eval.formats.html.sheets import judging

        yield from judging(rows, assessor)
        return
    if format_name == "csv":
        # Without the mark, Excel takes UTF-8 for another encoding.
        yield "\ufeff" + _csv_line(COLUMNS)
    for number, row in enumerate(rows, 1):
        place = f"{number} of {num_rows}"
        if format_name == "csv":
            yield _csv_line(_cells(row, place, assessor))
        else:
            yield visible(encode(_object(row, place, assessor))) + "\n"


def format_of(path: str, wanted: str | None = None) -> str:
    """The format of a sheet: what is wanted, or what the name of its file says.

    Raises:
        UsageError: it says neither, or something else is wanted.
    """
    if wanted is not None:
        check_names("--format", [wanted], FORMATS)
        return wanted
    ending = "csv" if path == "-" else path.removesuffix(".gz").rpartition(".")[2].casefold()
    found = _ENDINGS.get(ending, ending)
    if found in FORMATS:
        return found
    names = "FILE.html, FILE.csv or FILE.jsonl"
    raise UsageError(f"{path}: name a sheet {names}, or say which: --format csv")


def _object(row: Row, place: str, assessor: str) -> dict[str, Any]:
    shown = {"question": row.question, "evidence": row.evidence, "topic": row.topic}
    drawn = {} if row.probability is None else {"probability": row.probability}
    judge = f"{ASSESSOR}:{assessor}" if assessor else ASSESSOR
    keys = {**row.keys, **({"sentence": row.sentence} if row.sentence else {})}
    own = {"row": place, **keys, "verdict": "", "note": "", "judge": judge}
    return {**own, **drawn, **{key: text for key, text in shown.items() if text}}


def _cells(row: Row, place: str, assessor: str) -> Iterator[str]:
    probability = "" if row.probability is None else f"{row.probability:.6g}"
    key = {"row": place, **row.keys}
    if row.probability is not None:
        key["probability"] = row.probability
    doc_id = row.keys.get("doc_id", "")
    own = {"row": place, "assessor": assessor, "doc_id": doc_id, "key": pack(key)}
    texts = {**row._asdict(), **own, "probability": probability}
    for column in COLUMNS:
        text = str(texts.get(column, ""))
        yield text if column == "key" else cell_of(text)


def cell_of(text: str) -> str:
    """A text as a cell shows it: no program takes it, or a part of it, for a formula.

    >>> cell_of("=1+1"), cell_of("a;=1"), cell_of("x = 1"), cell_of("a\\x1b[1m")
    ("'=1+1", "a;'=1", 'x = 1', 'a\\\\x1b[1m')
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _FORMULA.sub("'", _CONTROL.sub(lambda found: plain(found[0]), text))
    return text if len(text) <= _MAX_CELL else text[:_MAX_CELL] + CUT


def text_of(cell: str) -> str:
    """The text of a cell that a person filled in, without what guards a formula."""
    return _GUARDED.sub("", cell.strip())


def _csv_line(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow(cells)
    return line.getvalue()


# --- the cell that carries the question -----------------------------------------------------------


def pack(value: Mapping[str, Any]) -> str:
    """A value as one word that no spreadsheet changes, with a checksum.

    >>> unpack(pack({"topic_id": "007"}))
    {'topic_id': '007'}
    """
    packed = zlib.compress(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return "k" + base64.urlsafe_b64encode(packed).decode()


def unpack(word: str) -> dict[str, Any] | None:
    """What was packed into a word; None if the word is damaged."""
    try:
        packed = base64.b64decode(word.strip().removeprefix("k").encode(), b"-_", validate=True)
        unzipped = zlib.decompressobj()
        raw = unzipped.decompress(packed, _MAX_KEY_BYTES)
        value = json.loads(raw) if unzipped.eof and not unzipped.unused_data else None
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        return None
    return value if type(value) is dict else None


# --- reading --------------------------------------------------------------------------------------

_KEYS = ("topic_id", "kind", "doc_id", "nugget_id", "answer", "run_id", "sentence_index")
_SHOWN = ("question", "sentence", "evidence", "topic")


def is_table(source: Source) -> bool:
    """Whether a source is a sheet as a table: enough of its columns have our names."""
    names = tables.columns(tables.start_of(source), COLUMNS)[0]
    return len({*names} & {*COLUMNS}) >= _MIN_COLUMNS


def table_rows(check: Check) -> Iterator[dict[str, str]]:
    """Yields the rows of a table that are not blank, by column; `check` knows where they stand."""
    columns, rows = tables.read(check, COLUMNS)
    missing = [repr(name) for name in ("verdict", "key") if name not in columns]
    if missing:
        message = f"the sheet has no column {' and '.join(missing)}"
        hint = "keep all columns; only their order may change"
        check.error("missing_column", message, hint=hint)
        return
    yield from rows


def read_rows(path: str) -> list[Row]:
    """The rows of a sheet as it was written, in any of its formats: what was asked of people.

    Raises:
        InputError: the file is no sheet of questions.
        MissingResourceError: there is no such file.
    """
    from argue_eval.formats.html import sheets as pages

    source = Source(path)
    with source.open() as stream:
        raw = stream.read(MAX_DOCUMENT_BYTES + 1)
    check = Check(source)
    try:
        if raw.lstrip()[:9].lower() == b"<!doctype":
            rows = list(pages.rows_of(pages.data_of(raw.decode("utf-8", "replace")) or {}))
        elif is_table(source):
            rows = list(_of_table(check))
        else:
            rows = [_of_line(each) for each in json_items(check) if type(each) is dict]
    except (KeyError, IndexError, TypeError, ValueError):
        rows = []
    if not rows:
        message = "expected a sheet of questions, as sample and pool write it"
        hint = "name the file that was sent to the assessor, not what came back"
        raise InputError(Finding("no_sheet", message, hint, path))
    return rows


def _of_table(check: Check) -> Iterator[Row]:
    with check.finishing():
        for cells in table_rows(check):
            key = unpack(cells["key"])
            if key is not None:
                probability = key.pop("probability", None)
                key.pop("row", None)
                shown = {name: text_of(cells.get(name, "")) for name in _SHOWN}
                yield Row(keys=key, probability=probability, **shown)


def _of_line(value: dict[str, Any]) -> Row:
    keys = {name: value[name] for name in _KEYS if name in value}
    if "sentence" in value and "run_id" not in keys:
        keys["sentence"] = value["sentence"]
    shown = {name: str(value.get(name, "")) for name in _SHOWN}
    shown["question"] = value["question"]  # which an export does not have: it is no sheet
    return Row(keys={**keys, "kind": value["kind"]}, probability=value.get("probability"), **shown)
