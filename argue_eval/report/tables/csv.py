"""CSV with a header: run_id, topic_id, measure, value, bounds and unit counts."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.records import ScoreTable
from argue_eval.report.table_text import separated_line
from argue_eval.report.tables import rows

_COLUMNS = (
    "run_id", "topic_id", "measure", "value", "lower", "upper", "num_units", "num_unjudged"
)  # fmt: skip
HEADER = ",".join(_COLUMNS) + "\n"
SEPARATOR = FOOTER = ""
BOUNDS = "bounds are in lower and upper"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the lines of one run. The value is empty where there is none."""
    for row in rows(table, per_topic):
        yield separated_line((table.run_id, *(getattr(row, name) for name in _COLUMNS[1:])), ",")
