"""trec_eval's three columns: measure, topic, value; four decimals; topic `all` last."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.records import ScoreTable
from argue_eval.report.tables import column, numbers

HEADER = SEPARATOR = FOOTER = ""
BOUNDS = "bounds are in the lines _lower and _upper"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the lines of one run.

    Where missing judgments leave a measure open, it has two lines, ``_lower`` and ``_upper``. A
    line for the value beside them covers judged units only.
    """
    of_topics = [row for row in table.rows if row.topic_id != "all"] if per_topic else []
    for row in of_topics:
        topic_id = column(row.topic_id)
        for end, number in numbers(row).items():
            yield f"{row.measure + end:<22}\t{topic_id}\t{number}\n"
    for name, count in {"runid": column(table.run_id), **table.counts}.items():
        yield f"{name:<22}\tall\t{count}\n"
    for row in table.averages():
        for end, number in numbers(row).items():
            yield f"{row.measure + end:<22}\tall\t{number}\n"
