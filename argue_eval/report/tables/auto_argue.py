"""Auto-ARGUE's scores TSV: run_id, request_id, metric, value, at full precision."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.records import ScoreTable
from argue_eval.report.tables import column, known

HEADER = "run_id\trequest_id\tmetric\tvalue\n"
SEPARATOR = FOOTER = ""
BOUNDS = "this format has no bounds"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the lines of one run. A value that nobody could compute has no line."""
    for topic_id, measure, value in known(table, per_topic):
        yield f"{column(table.run_id)}\t{column(topic_id)}\t{measure}\t{value!r}\n"
