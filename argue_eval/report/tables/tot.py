"""AutoJudge's `tot`: run, measure, topic and value, at full precision."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.records import ScoreTable
from argue_eval.report.tables import column, known

HEADER = SEPARATOR = FOOTER = ""
BOUNDS = "this format has no bounds"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the lines of one run; none for a value that missing judgments leave open."""
    for topic_id, measure, value in known(table, per_topic):
        yield f"{column(table.run_id)}\t{measure}\t{column(topic_id)}\t{value!r}\n"
