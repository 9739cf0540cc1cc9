"""How tables are written: aligned, in Markdown, LaTeX and HTML, and with separators."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from argue_eval.errors import plain
from argue_eval.formats.scores import cell_of

if TYPE_CHECKING:
    from argue_eval.analysis.results import Figure

SHAPES = {"reward": "●", "ignore": "○", "penalise": "▲", "unjudged": "?", "by citation": "◐"}
"""What marks a sentence besides its colour, by what it does to the score."""

Row = Sequence[str]
Cells = Sequence[str | float | None]
"""A row for people: whole numbers get separators, others four digits; ``-`` stands for none."""

_Found = TypeVar("_Found")


class Marked(str):
    """A cell that stands out."""

    __slots__ = ()


def aligned(head: Row, rows: Iterable[Cells]) -> Iterator[str]:
    """Yield the lines of a table: the first column to the left, the others to the right."""
    lines = [[plain(_shown(cell)) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *others in lines:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip() + "\n"


def _shown(cell: str | float | None) -> str:
    if isinstance(cell, str):
        return cell
    return f"{cell:,}" if isinstance(cell, int) else fixed(cell)


def markdown(head: Row, rows: Iterable[Cells]) -> Iterator[str]:
    """Yield the lines of a Markdown table; texts in the first column, numbers in the others."""
    yield _markdown_row(head)
    yield f"|---{'|---:' * (len(head) - 1)}|\n"
    yield from map(_markdown_row, rows)


def _markdown_row(cells: Cells) -> str:
    texts = [(escape(_shown(cell)), isinstance(cell, Marked)) for cell in cells]
    shown = [f"**{text}**" if is_marked else text for text, is_marked in texts]
    return f"| {' | '.join(shown)} |\n"


def latex(head: Row, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of a LaTeX table with the rules of booktabs."""
    yield f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}\n\\toprule\n"
    yield _latex_row(head)
    yield "\\midrule\n"
    yield from map(_latex_row, rows)
    yield "\\bottomrule\n\\end{tabular}\n"


def _latex_row(cells: Row) -> str:
    shown = [
        f"\\textbf{{{_latex(cell)}}}" if isinstance(cell, Marked) else _latex(cell)
        for cell in cells
    ]
    return f"{' & '.join(shown)} \\\\\n"


_LATEX = str.maketrans({
    **{char: f"\\{char}" for char in "#$%&_{}"},
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
})  # fmt: skip


def _latex(text: str) -> str:
    return spaced(text).translate(_LATEX)


def html(head: Row, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of an HTML table."""
    yield "<table>\n"
    yield f"<tr>{''.join(f'<th>{_html(cell)}</th>' for cell in head)}</tr>\n"
    for row in rows:
        cells = [
            f"<strong>{_html(cell)}</strong>" if isinstance(cell, Marked) else _html(cell)
            for cell in row
        ]
        yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"
    yield "</table>\n"


def _html(text: str) -> str:
    from html import escape as escaped

    return escaped(spaced(text))


def separated(head: Row, rows: Iterable[Cells], separator: str) -> Iterator[str]:
    """Yield the lines of a table for machines; no spreadsheet takes a text in it for a formula."""
    for row in (head, *rows):
        yield separated_line(row, separator)


def separated_line(row: Cells, separator: str) -> str:
    """Write one line of such a table."""
    line = io.StringIO()
    cells = [cell_of(cell) if isinstance(cell, str) else cell for cell in row]
    csv.writer(line, delimiter=separator, lineterminator="\n").writerow(cells)
    return line.getvalue()


WRITERS: dict[str, Callable[[Row, Iterable[Row]], Iterator[str]]] = {
    "text": aligned,
    "markdown": markdown,
    "latex": latex,
    "html": html,
    "tsv": partial(separated, separator="\t"),
    "csv": partial(separated, separator=","),
}
"""What writes a table of texts, by format."""


def escape(text: str) -> str:
    """Make Markdown and HTML show a text as it is.

    >>> escape("a|b <i>")
    'a\\\\|b &lt;i&gt;'
    """
    text = re.sub(r"([\\`*_{}\[\]|#])", r"\\\1", spaced(text))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def spaced(text: str) -> str:
    """Replace what would break a line or a column by spaces."""
    return "".join(char if char.isprintable() else " " for char in text)


def fixed(value: float | None, digits: int = 4) -> str:
    """Write a number with so many digits, never as a negative zero; ``-`` where there is none."""
    if value is None:
        return "-"
    shown = f"{value:.{digits}f}"
    return shown.removeprefix("-") if not float(shown) else shown


def interval(figure: Figure) -> str:
    """Write the interval of a figure; nothing where it has none."""
    if figure.lower is None:
        return ""
    return f"[{fixed(figure.lower)}, {fixed(figure.upper)}]"


class TextPage:
    """A page for a terminal. The highest level of a heading is 1."""

    def __init__(self) -> None:
        self._is_after_table = False

    def heading(self, level: int, text: str) -> str:
        """Underline it."""
        self._is_after_table = False
        text = plain(text)
        return f"\n{text}\n{('=' if level == 1 else '-') * len(text)}\n"

    def line(self, text: str) -> str:
        """Leave a blank line after a table."""
        start = "\n" if self._is_after_table else ""
        self._is_after_table = False
        return f"{start}{plain(text)}\n"

    def table(self, head: Row, rows: Iterable[Cells]) -> Iterator[str]:
        """Leave a blank line before it."""
        self._is_after_table = True
        yield "\n"
        yield from aligned(head, rows)


class MarkdownPage:
    """A page in Markdown, below its title."""

    def heading(self, level: int, text: str) -> str:
        """Set it one level below the title."""
        return f"{'#' * (level + 1)} {escape(text)}\n\n"

    def line(self, text: str) -> str:
        """Make it a paragraph."""
        return f"{escape(text)}\n\n"

    def table(self, head: Row, rows: Iterable[Cells]) -> Iterator[str]:
        """Leave a blank line after it."""
        yield from markdown(head, rows)
        yield "\n"


Page = TextPage | MarkdownPage


def document(value: Any) -> str:
    """Write one JSON document, at full precision."""
    return json.dumps(value, indent=1, allow_nan=False) + "\n"


def formats(
    page: Callable[[_Found, Page], Iterator[str]],
    title: Callable[[_Found], str],
    as_object: Callable[[_Found], Any] | None = None,
) -> dict[str, Callable[[_Found], Iterator[str]]]:
    """Make the functions that write what was found, by format; text and Markdown say the same.

    Args:
        as_object: the JSON document, if there is one; what is undefined in it is null.
    """

    def as_markdown(found: _Found) -> Iterator[str]:
        yield f"# {title(found)}\n\n"
        yield from page(found, MarkdownPage())

    made = {"markdown": as_markdown, "text": lambda found: page(found, TextPage())}
    if as_object is not None:
        made["json"] = lambda found: iter([document(as_object(found))])
    return made
