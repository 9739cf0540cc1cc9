"""A Markdown table per run: measures down, value and bounds across."""

from __future__ import annotations

import re
from collections.abc import Iterator

from argue_eval.records import MeasureValue, ScoreTable
from argue_eval.report.tables import number, rows

HEADER = FOOTER = ""
SEPARATOR = "\n"
BOUNDS = "bounds are in lower and upper"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yields the table of one run, its counts and its signature."""
    yield f"### {escape(table.run_id)}\n\n"
    topic_head = "| topic " if per_topic else ""
    yield f"{topic_head}| measure | value | lower | upper |\n"
    yield f"{'|---' if per_topic else ''}|---|---:|---:|---:|\n"
    for row in rows(table.rows, per_topic):
        topic = f"| {escape(row.topic_id)} " if per_topic else ""
        bounds = (number(row, row.lower), number(row, row.upper)) if row.is_bounded else ("", "")
        yield f"{topic}| {_name(row)} | {_value(row)} | {bounds[0]} | {bounds[1]} |\n"
    counts = ", ".join(f"{name} {count}" for name, count in table.counts.items())
    yield f"\n{counts}\n\n`{table.signature}`\n"


def _name(row: MeasureValue) -> str:
    """Returns a measure's name; the group of topics in it is a user's text."""
    name, bracket, group = row.measure.partition("[")
    return name + escape(bracket + group)


def _value(row: MeasureValue) -> str:
    if row.value is None:
        return "undefined" if row.is_undefined else "unjudged"
    return number(row, row.value) + ("*" if row.is_bounded else "")


def escape(text: str) -> str:
    """Returns text that Markdown and HTML show as it is.

    >>> escape("a|b <i>")
    'a\\\\|b &lt;i&gt;'
    """
    text = "".join(char if char.isprintable() else " " for char in text)
    text = re.sub(r"([\\`*_{}\[\]|#])", r"\\\1", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
