"""CSV with a header: run_id, topic_id, measure, value, bounds and unit counts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from argue_eval.formats.scores import cell_of
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
    for row in rows(table, per_topic):
        value = "" if row.value is None else repr(row.value)
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(
            [
                cell_of(table.run_id),
                cell_of(row.topic_id),
                cell_of(row.measure),
                value,
                repr(row.lower),
                repr(row.upper),
                row.num_units,
                row.num_unjudged,
            ]
        )
        yield line.getvalue()
