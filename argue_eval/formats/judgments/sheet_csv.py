"""Sheets of `argue-eval sample` and `pool` as CSV, as any spreadsheet saves it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from argue_eval.formats import sheets
from argue_eval.formats.checking import Check
from argue_eval.formats.judgments import sheet

read, read_assessed = sheet.read, sheet.read_assessed


def items(check: Check) -> Iterator[dict[str, Any]]:
    """Yields the rows of a table as the objects of a sheet of JSON lines."""
    for cells in sheets.table_rows(check):
        verdict, key = sheets.text_of(cells["verdict"]), sheets.unpack(cells["key"])
        if key is None:
            if verdict or cells["key"].strip():  # otherwise it is a remark, or a sum
                message = "the cell 'key', which says what the row asks, is missing or damaged"
                hint = "copy it again from the sheet as it was written"
                check.error("damaged_key", message, hint=hint)
            continue
        yield {
            **key,
            "verdict": verdict,
            "note": sheets.text_of(cells.get("note", "")),
            "judge": sheets.text_of(cells.get("assessor", "")) or sheets.ASSESSOR,
        }
