"""trec_eval's three columns: measure, topic, value; four decimals; topic `all` last."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.records import MeasureValue, ScoreTable
from argue_eval.report.tables import column, number

HEADER = SEPARATOR = FOOTER = ""
BOUNDS = "bounds are in the lines _lower and _upper"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the lines of one run.

    Where missing judgments leave a measure open, it has two lines, ``_lower`` and ``_upper``. A
    line for the value beside them covers judged units only.
    """
    for row in table.rows if per_topic else ():
        if row.topic_id != "all":
            yield from _lines(row)
    for name, value in {"runid": column(table.run_id), **table.counts}.items():
        yield f"{name:<22}\tall\t{value}\n"
    for row in table.averages():
        yield from _lines(row)


def _lines(row: MeasureValue) -> Iterator[str]:
    values: dict[str, float] = {}
    if row.value is not None or row.is_undefined:
        values[""] = row.value or 0.0
    if row.is_bounded:
        values.update(_lower=row.lower, _upper=row.upper)
    for suffix, value in values.items():
        yield f"{row.measure + suffix:<22}\t{column(row.topic_id)}\t{number(row, value)}\n"
