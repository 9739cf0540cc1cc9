"""A Markdown table per run: measures down, value and bounds across."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.records import MeasureValue, ScoreTable
from argue_eval.report.table_text import escape
from argue_eval.report.tables import number, rows

HEADER = FOOTER = ""
SEPARATOR = "\n"
BOUNDS = "bounds are in lower and upper"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield the table of one run, its counts and its signature."""
    yield f"### {escape(table.run_id)}\n\n"
    topic_head = "| topic " if per_topic else ""
    yield f"{topic_head}| measure | value | lower | upper |\n"
    yield f"{'|---' if per_topic else ''}|---|---:|---:|---:|\n"
    for row in rows(table, per_topic):
        topic = f"| {escape(row.topic_id)} " if per_topic else ""
        bounds = (number(row, row.lower), number(row, row.upper)) if row.is_bounded else ("", "")
        yield f"{topic}| {_name(row)} | {_value(row)} | {bounds[0]} | {bounds[1]} |\n"
    counts = ", ".join(f"{name} {count}" for name, count in table.counts.items())
    yield f"\n{counts}\n\n`{table.signature}`\n"


def _name(row: MeasureValue) -> str:
    # The group of topics in a measure's name is a user's text.
    name, bracket, group = row.measure.partition("[")
    return name + escape(bracket + group)


def _value(row: MeasureValue) -> str:
    if row.value is None:
        return "undefined" if row.is_undefined else "unjudged"
    return number(row, row.value) + ("*" if row.is_bounded else "")
