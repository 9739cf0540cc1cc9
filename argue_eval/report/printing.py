"""How the scores of runs are printed: one run after the other, or all in one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from argue_eval.analysis.leaderboard import of_systems
from argue_eval.errors import UsageError
from argue_eval.report import leaderboard
from argue_eval.report.tables import load, names

if TYPE_CHECKING:
    from argue_eval.analysis.leaderboard import Leaderboard
    from argue_eval.analysis.systems import System
    from argue_eval.records import ScoreTable

_BY_RUN = "trec_eval"
_TABLE = "text"


class Printer:
    """Prints scores in a format.

    By default, one run is printed as trec_eval does, and so are several with values per topic;
    otherwise several are one table. A format that can be both follows the same rule.

    Args:
        format_: a view of `argue_eval.report.tables`, a table of `argue_eval.report.leaderboard`,
            or None.
        per_topic: print the values of each topic too, which tables do not have.
        width: of the terminal; None for any.

    Raises:
        UsageError: there is no such format, or it has no values per topic.
    """

    def __init__(self, format_: str | None, *, per_topic: bool, width: int | None = None) -> None:
        tables = leaderboard.TABLES
        self._can_be_table = format_ is None or format_ in tables
        self._can_be_by_run = format_ is None or format_ in names() or format_ not in tables
        if per_topic and not self._can_be_by_run:
            hint = "expected trec_eval, ir_measures, auto_argue, json, csv, markdown or lengths"
            raise UsageError(f"-q: --format {format_} has no values per topic; {hint}")
        self._view = load(format_ or _BY_RUN, tables) if self._can_be_by_run else load(_BY_RUN)
        self._name = format_ or _TABLE
        self._per_topic = per_topic
        self._width = width
        self.is_table = not self._can_be_by_run

    def settle(self, num_runs: int) -> None:
        """Choose between a table and the runs one after the other; to be called first."""
        is_over_runs = num_runs > 1 and not self._per_topic
        self.is_table = not self._can_be_by_run or (self._can_be_table and is_over_runs)

    @property
    def has_intervals(self) -> bool:
        """Whether `last_lines` needs a leaderboard with intervals."""
        return self.is_table and self._name in leaderboard.FOR_MACHINES

    @property
    def has_signatures(self) -> bool:
        """Whether signatures are printed among the scores."""
        return self._name in (leaderboard.WITH_SIGNATURES if self.is_table else _WITH_SIGNATURES)

    @property
    def bounds(self) -> str:
        """Where the bounds stand of values that depend on missing judgments."""
        if not self.is_table:
            return self._view.BOUNDS
        if self.has_intervals:
            return "bounds are in _lower and _upper"
        return "bounds are in the table, as low-high"

    def lines(self, number: int, table: ScoreTable) -> list[str]:
        """What is printed of a run, given its place, as soon as it is scored."""
        if self.is_table:
            return []
        start = self._view.SEPARATOR if number else self._view.HEADER
        return [start, *self._view.render(table, self._per_topic)]

    def last_lines(self, systems: Sequence[System], board: Leaderboard | None) -> Iterator[str]:
        """Yield what is printed when all runs are scored.

        Args:
            board: with intervals, if the format needs them.
        """
        if not self.is_table:
            yield self._view.FOOTER
        elif self.has_intervals and board is not None:
            yield from leaderboard.TABLES[self._name](board)
        elif self._name == _TABLE:
            yield from leaderboard.as_text(of_systems(systems), self._width)
        else:
            yield from leaderboard.TABLES[self._name](of_systems(systems))


_WITH_SIGNATURES = ("json", "markdown")
