"""trec_eval's three columns: measure, topic, value; four decimals; topic `all` last."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.records import MeasureValue, ScoreTable
from argue_eval.report.tables import column, number, rows

HEADER = SEPARATOR = FOOTER = ""
BOUNDS = "bounds are in the lines _lower and _upper"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the lines of one run.

    Where units are unjudged, a measure has two more lines, ``_lower`` and ``_upper``: their being
    there marks the point value as uncertain. A value that nobody could compute has no line.
    """
    shown = rows(table.rows, per_topic)
    for row in shown:
        if row.topic_id != "all":
            yield from _lines(row)
    yield _line("runid", "all", column(table.run_id))
    for name, count in table.counts.items():
        yield _line(name, "all", str(count))
    for row in shown:
        if row.topic_id == "all":
            yield from _lines(row)


def _lines(row: MeasureValue) -> Iterator[str]:
    topic_id = column(row.topic_id)
    if row.value is not None or row.is_undefined:
        yield _line(row.measure, topic_id, number(row, row.value or 0.0))
    if row.is_bounded:
        yield _line(f"{row.measure}_lower", topic_id, number(row, row.lower))
        yield _line(f"{row.measure}_upper", topic_id, number(row, row.upper))


def _line(measure: str, topic_id: str, value: str) -> str:
    return f"{measure:<22}\t{topic_id}\t{value}\n"
