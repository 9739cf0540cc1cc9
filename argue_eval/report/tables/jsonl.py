"""AutoJudge's `jsonl`: an object with run, topic, measure and value on each line."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.formats.jsonl import encode, visible
from argue_eval.records import ScoreTable
from argue_eval.report.tables import known

HEADER = SEPARATOR = FOOTER = ""
BOUNDS = "this format has no bounds"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the lines of one run; none for a value that missing judgments leave open."""
    for topic_id, measure, value in known(table, per_topic):
        ids = {"run_id": table.run_id, "topic_id": topic_id}
        yield visible(encode({**ids, "measure": measure, "value": value})) + "\n"
