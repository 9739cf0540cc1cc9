"""How the scores of runs are printed: one run after the other in a view, or all in one table.

Views of a score table are a file each: what ``score --format`` can name.

Third parties add a view with an entry point in the group ``argue_eval.outputs``: a module that has
what `TableView` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from argue_eval._registry import all_names
from argue_eval._registry import load as load_plugin
from argue_eval.errors import UsageError

if TYPE_CHECKING:
    from argue_eval.analysis.leaderboard import Leaderboard
    from argue_eval.analysis.systems import System
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

    def render(self, table: ScoreTable, per_topic: bool) -> Iterable[str]:
        """Write the lines of one run."""


def names() -> list[str]:
    """List the names of all views, ours first."""
    return all_names("outputs")


def load(name: str) -> TableView:
    """Import a view; an unknown name is refused."""
    return cast(TableView, load_plugin("outputs", name, "--format"))


_BY_RUN = "trec_eval"
_TABLE = "text"
_WITH_SIGNATURES = ("json", "markdown")


def check_format(format_: str, *, per_topic: bool) -> None:
    """Look whether scores can be printed in a format, before anything long begins.

    Raises:
        UsageError: there is no such format, or it has no values per topic.
    """
    from argue_eval.report import leaderboard

    if format_ not in leaderboard.TABLES:
        load_plugin("outputs", format_, "--format", list(leaderboard.TABLES))
    elif per_topic and format_ not in names():
        hint = "expected trec_eval, ir_measures, auto_argue, json, csv, markdown or lengths"
        raise UsageError(f"-q: --format {format_} has no values per topic; {hint}")


class Printer:
    """Prints scores in a format.

    By default, one run is printed as trec_eval does, and so are several with values per topic;
    otherwise several are one table. A format that can be both follows the same rule.

    Args:
        format_: a view, a table of `argue_eval.report.leaderboard`, or None.
        num_runs: how many are printed.
        per_topic: print the values of each topic too, which tables do not have.
        width: measures the terminal; None for any.

    Attributes:
        is_table: whether all runs are one table.
        view: prints a run, unless all are one table.
        has_intervals: whether `table` needs a leaderboard with intervals.
        has_signatures: whether signatures are printed among the scores.
        bounds: where the bounds stand of values that depend on missing judgments.
    """

    def __init__(
        self,
        format_: str | None,
        num_runs: int,
        *,
        per_topic: bool,
        width: Callable[[], int | None],
    ) -> None:
        self._name = format_ or _TABLE
        self._width = width
        self.has_intervals = False
        self.has_signatures = self._name in _WITH_SIGNATURES
        self.is_table = num_runs > 1 and not per_topic
        is_view = False
        if format_ is not None:
            from argue_eval.report import leaderboard

            is_view = format_ not in leaderboard.TABLES or format_ in names()
            self.is_table = format_ in leaderboard.TABLES and (self.is_table or not is_view)
        view = format_ if format_ and is_view else _BY_RUN
        self.view = cast(TableView, load_plugin("outputs", view))
        self.bounds = self.view.BOUNDS
        if self.is_table:
            from argue_eval.report import leaderboard

            self.has_intervals = self._name in leaderboard.FOR_MACHINES
            self.has_signatures = self._name in leaderboard.WITH_SIGNATURES
            in_columns = "bounds are in _lower and _upper"
            in_cells = "bounds are in the table, as low-high"
            self.bounds = in_columns if self.has_intervals else in_cells

    def table(
        self, systems: Sequence[System], measures: Sequence[str], board: Leaderboard | None
    ) -> Iterator[str]:
        """Yield the table of all runs, when they are scored.

        Args:
            measures: the columns of a table; by default all that are no counts.
            board: with intervals, if the format needs them.
        """
        from argue_eval.analysis.leaderboard import of_systems
        from argue_eval.report import leaderboard

        if not self.has_intervals or board is None:
            board = of_systems(systems, measures)
        if self._name == _TABLE:
            yield from leaderboard.as_text(board, self._width())
        else:
            yield from leaderboard.TABLES[self._name](board)


def number(row: MeasureValue, value: float) -> str:
    """Write a value as trec_eval does: four decimals, counts without; never a negative zero."""
    if row.is_count and value == int(value):
        return str(int(value))
    shown = f"{value:.4f}"
    return "0.0000" if shown == "-0.0000" else shown


def numbers(row: MeasureValue) -> dict[str, str]:
    """Write a value and its bounds, for a line each, by what they add to the measure's name.

    What is undefined is 0; what is unjudged has its bounds alone.
    """
    values = {} if row.value is None and not row.is_undefined else {"": row.value or 0.0}
    if row.lower != row.upper:
        values |= {"_lower": row.lower, "_upper": row.upper}
    return {end: number(row, value) for end, value in values.items()}


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
    if text.isprintable() and " " not in text:
        return text
    return "".join(char if char.isprintable() and not char.isspace() else "_" for char in text)


def rows(table: ScoreTable, per_topic: bool) -> Sequence[MeasureValue]:
    """Select the rows to show: all of them, or the averages alone."""
    return table.rows if per_topic else table.averages()
