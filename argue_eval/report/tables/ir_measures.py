"""ir_measures' layout: measure and value; with -q topic, measure and value."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.records import ScoreTable
from argue_eval.report.tables import column, number, rows

HEADER = SEPARATOR = FOOTER = ""
BOUNDS = "bounds are in the lines _lower and _upper"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the lines of one run, which this layout does not name."""
    for row in rows(table, per_topic):
        values = [("", row.value if not row.is_undefined else 0.0)]
        if row.is_bounded:
            values += [("_lower", row.lower), ("_upper", row.upper)]
        topic = f"{column(row.topic_id)}\t" if per_topic else ""
        for suffix, value in values:
            if value is not None:
                yield f"{topic}{row.measure}{suffix}\t{number(row, value)}\n"
