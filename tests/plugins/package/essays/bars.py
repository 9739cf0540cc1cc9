"""Bars: a line of up to ten signs for every average."""

from collections.abc import Iterator

from argue_eval.records import ScoreTable
from argue_eval.report.tables import column

HEADER = ""
SEPARATOR = "\n"
FOOTER = ""
BOUNDS = "this format has no bounds"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the lines of one run."""
    for row in table.averages():
        if not row.is_count:
            yield f"{column(table.run_id)} {row.measure} {'#' * round(10 * (row.value or 0))}\n"
