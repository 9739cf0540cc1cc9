"""ir_measures' layout: measure and value; with -q topic, measure and value."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.records import ScoreTable
from argue_eval.report.tables import column, numbers, rows

HEADER = SEPARATOR = FOOTER = ""
BOUNDS = "bounds are in the lines _lower and _upper"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the lines of one run, which this layout does not name."""
    for row in rows(table, per_topic):
        topic = f"{column(row.topic_id)}\t" if per_topic else ""
        for end, number in numbers(row).items():
            yield f"{topic}{row.measure}{end}\t{number}\n"
