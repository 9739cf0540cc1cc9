"""The rows of a sheet as it was written, in any of its formats: what was asked of people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from argue_eval.errors import Finding, InputError
from argue_eval.formats import sheets
from argue_eval.formats.checking import Check, json_items
from argue_eval.formats.html import sheets as pages
from argue_eval.formats.jsonl import MAX_DOCUMENT_BYTES, Source
from argue_eval.formats.sheets import Row

_KEYS = ("topic_id", "kind", "doc_id", "nugget_id", "answer", "run_id", "sentence_index")
_SHOWN = ("question", "sentence", "evidence", "topic")


def read_rows(path: str) -> list[Row]:
    """The rows of a sheet.

    Raises:
        InputError: the file is no sheet of questions.
        MissingResourceError: there is no such file.
    """
    source = Source(path)
    with source.open() as stream:
        raw = stream.read(MAX_DOCUMENT_BYTES + 1)
    is_page = raw.lstrip()[:9].lower() == b"<!doctype"
    check = Check(source)
    try:
        if is_page:
            rows = list(pages.rows_of(pages.data_of(raw.decode("utf-8", "replace")) or {}))
        elif sheets.is_table(source):
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
        for cells in sheets.table_rows(check):
            key = sheets.unpack(cells["key"])
            if key is not None:
                probability = key.pop("probability", None)
                key.pop("row", None)
                shown = {name: sheets.text_of(cells.get(name, "")) for name in _SHOWN}
                yield Row(keys=key, probability=probability, **shown)


def _of_line(value: dict[str, Any]) -> Row:
    keys = {name: value[name] for name in _KEYS if name in value}
    if "sentence" in value and "run_id" not in keys:
        keys["sentence"] = value["sentence"]
    shown = {name: str(value.get(name, "")) for name in _SHOWN}
    shown["question"] = value["question"]  # which an export does not have: it is no sheet
    return Row(keys={**keys, "kind": value["kind"]}, probability=value.get("probability"), **shown)
