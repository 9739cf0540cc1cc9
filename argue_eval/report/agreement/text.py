"""For people, on a terminal: aligned tables, the judge that agrees best first."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.analysis.results import Comparison
from argue_eval.errors import ascii_controls
from argue_eval.report.agreement import Heading, Line, Table, parts


def render(comparison: Comparison) -> Iterator[str]:
    """Yields the lines."""
    is_after_table = False
    for part in parts(comparison):
        if isinstance(part, Line):
            yield ("\n" if is_after_table else "") + f"{_plain(part.text)}\n"
        elif isinstance(part, Heading):
            text = _plain(part.text)
            yield f"\n{text}\n{('=' if part.level == 1 else '-') * len(text)}\n"
        else:
            yield "\n"
            yield from _table(part)
        is_after_table = isinstance(part, Table)


def _table(table: Table) -> Iterator[str]:
    lines = [tuple(map(_plain, line)) for line in (table.head, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *others in lines:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join(cells).rstrip() + "\n"


def _plain(text: str) -> str:
    """Returns text that can't do anything to a terminal."""
    return text if text.isprintable() else ascii_controls(text)[1:-1]
