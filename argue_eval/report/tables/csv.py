"""CSV with a header: run_id, topic_id, measure, value, bounds and unit counts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from argue_eval.records import ScoreTable
from argue_eval.report.tables import rows

_COLUMNS = (
    "run_id", "topic_id", "measure", "value", "lower", "upper", "num_units", "num_unjudged"
)  # fmt: skip
HEADER = ",".join(_COLUMNS) + "\n"
SEPARATOR = FOOTER = ""
BOUNDS = "bounds are in lower and upper"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the lines of one run. The value is empty where there is none."""
    for row in rows(table.rows, per_topic):
        value = "" if row.value is None else repr(row.value)
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(
            [
                _harmless(table.run_id),
                _harmless(row.topic_id),
                row.measure,
                value,
                repr(row.lower),
                repr(row.upper),
                row.num_units,
                row.num_unjudged,
            ]
        )
        yield line.getvalue()


def _harmless(text: str) -> str:
    """Make an id that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
