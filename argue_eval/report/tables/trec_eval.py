"""trec_eval's three columns: measure, topic, value; four decimals; topic `all` last."""

from __future__ import annotations

from argue_eval.records import ScoreTable
from argue_eval.report.tables import column, numbers

HEADER = SEPARATOR = FOOTER = ""
BOUNDS = "bounds are in the lines _lower and _upper"


def render(table: ScoreTable, per_topic: bool) -> list[str]:
    """Write the lines of one run.

    Where missing judgments leave a measure open, it has two lines, ``_lower`` and ``_upper``. A
    line for the value beside them covers judged units only.
    """
    averages = table.averages()
    of_topics = [row for row in table.rows if row.topic_id != "all"] if per_topic else []
    cells = [
        (row.measure + end, column(row.topic_id), number)
        for row in of_topics
        for end, number in numbers(row).items()
    ]
    counts = {"runid": column(table.run_id), **table.counts}
    cells += [(name, "all", str(count)) for name, count in counts.items()]
    for row in averages:
        cells += [(row.measure + end, "all", number) for end, number in numbers(row).items()]
    return [f"{name:<22}\t{topic_id}\t{value}\n" for name, topic_id, value in cells]
