"""Views of a score table: one file per layout, each with

* ``HEADER``, ``SEPARATOR``, ``FOOTER``: text before, between and after the runs,
* ``BOUNDS``: where the bounds of a value stand that depends on missing judgments,
* ``render(table, per_topic) -> Iterator[str]``: the lines of one run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argue_eval.records import MeasureValue


def number(row: MeasureValue, value: float) -> str:
    """Returns a value as trec_eval prints it: four decimals, counts without."""
    if row.is_count and value == int(value):
        return str(int(value))
    return f"{value:.4f}"


def column(text: str) -> str:
    """Returns an id that cannot break a line or a column: other characters become ``_``.

    >>> column("topic 1\\t")
    'topic_1_'
    """
    return "".join(char if char.isprintable() and not char.isspace() else "_" for char in text)


def rows(table_rows: tuple[MeasureValue, ...], per_topic: bool) -> list[MeasureValue]:
    """Returns the rows to show: all of them, or the averages alone."""
    return [row for row in table_rows if per_topic or row.topic_id == "all"]
