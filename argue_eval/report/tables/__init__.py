"""Views of a score table, a file each: what ``score --format`` can name.

Third parties add a view with an entry point in the group ``argue_eval.outputs``: a module that has
what `TableView` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from argue_eval._registry import all_names
from argue_eval._registry import load as load_plugin

if TYPE_CHECKING:
    from argue_eval.records import MeasureValue, ScoreTable


class TableView(Protocol):
    """What a view has.

    Attributes:
        HEADER: text before the first run; `SEPARATOR` between runs, `FOOTER` after the last.
        BOUNDS: a note on where the bounds stand of a value that depends on missing judgments.
    """

    HEADER: str
    SEPARATOR: str
    FOOTER: str
    BOUNDS: str

    def render(self, table: ScoreTable, per_topic: bool) -> Iterator[str]:
        """Yield the lines of one run."""


def names() -> list[str]:
    """List the names of all views, ours first."""
    return all_names("outputs")


def load(name: str, others: Iterable[str] = ()) -> TableView:
    """Import a view.

    Args:
        others: what may be named besides.

    Raises:
        UsageError: there is no view of this name.
    """
    return cast(TableView, load_plugin("outputs", name, "--format", others))


def number(row: MeasureValue, value: float) -> str:
    """Write a value as trec_eval does: four decimals, counts without; never a negative zero."""
    if row.is_count and value == int(value):
        return str(int(value))
    shown = f"{value:.4f}"
    return "0.0000" if shown == "-0.0000" else shown


def known(table: ScoreTable, per_topic: bool) -> Iterator[tuple[str, str, float]]:
    """Yield topic, measure and value of each row that has one; what is undefined is 0."""
    for row in rows(table, per_topic):
        value = 0.0 if row.is_undefined else row.value
        if value is not None:
            is_whole = row.is_count and value == int(value)
            yield row.topic_id, row.measure, int(value) if is_whole else value


def of_columns(*order: str) -> Callable[[ScoreTable, bool], Iterator[str]]:
    """Make the `render` of a view with run, topic, measure and value in columns.

    A value that missing judgments leave open has no line; the others are at full precision.
    """

    def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
        for topic_id, measure, value in known(table, per_topic):
            cells = {"run": column(table.run_id), "topic": column(topic_id), "measure": measure}
            cells["value"] = repr(value)
            yield "\t".join(cells[name] for name in order) + "\n"

    return render


def column(text: str) -> str:
    """Make an id that cannot break a line or a column: other characters become ``_``.

    >>> column("topic 1\\t")
    'topic_1_'
    """
    return "".join(char if char.isprintable() and not char.isspace() else "_" for char in text)


def rows(table: ScoreTable, per_topic: bool) -> Sequence[MeasureValue]:
    """Select the rows to show: all of them, or the averages alone."""
    return table.rows if per_topic else table.averages()
