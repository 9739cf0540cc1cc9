"""Auto-ARGUE's scores TSV: run_id, request_id, metric, value, at full precision."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.records import ScoreTable
from argue_eval.report.tables import column, rows

HEADER = "run_id\trequest_id\tmetric\tvalue\n"
SEPARATOR = FOOTER = ""
BOUNDS = "this format has no bounds"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the lines of one run. A value that nobody could compute has no line."""
    run_id = column(table.run_id)
    for row in rows(table.rows, per_topic):
        value = 0.0 if row.is_undefined else row.value
        if value is not None:
            shown = int(value) if row.is_count and value == int(value) else value
            yield f"{run_id}\t{column(row.topic_id)}\t{row.measure}\t{shown!r}\n"
