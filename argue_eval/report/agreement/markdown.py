"""A Markdown page: a table of judges for every kind of question, then all figures of each."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.analysis.results import Comparison
from argue_eval.report.agreement import Heading, Line, Table, parts
from argue_eval.report.tables.markdown import escape


def render(comparison: Comparison) -> Iterator[str]:
    """Yields the page."""
    yield "# Agreement of judges with assessors\n\n"
    for part in parts(comparison):
        if isinstance(part, Heading):
            yield f"{'#' * (part.level + 1)} {escape(part.text)}\n\n"
        elif isinstance(part, Line):
            yield f"{escape(part.text)}\n\n"
        else:
            yield from _table(part)


def _table(table: Table) -> Iterator[str]:
    yield _row(table.head)
    yield f"|---{'|---:' * (len(table.head) - 1)}|\n"
    for row in table.rows:
        yield _row(row)
    yield "\n"


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(map(escape, cells))} |\n"
