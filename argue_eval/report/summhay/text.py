"""For people: a block for each score, one below the other."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.analysis.summhay import Results
from argue_eval.report.summhay import (
    OPEN,
    Block,
    caption,
    has_open,
    position_block,
    score_blocks,
    words,
)


def render(results: Results) -> Iterator[str]:
    """Yields the tables; words per bullet stand beside the joint scores."""
    yield caption(results) + "\n"
    *first, last = score_blocks(results)
    numbers = (*words(results), "")
    rows = [(*row, number) for row, number in zip(last.rows, numbers, strict=True)]
    last = Block(last.title, (*last.head, "#W_b"), tuple(rows))
    position = position_block(results)
    for block in [*first, last, *([position] if position else [])]:
        yield "\n"
        yield from _lines(block)
    if has_open(results):
        yield f"\n{OPEN}\n"


def _lines(block: Block) -> Iterator[str]:
    lines = [(block.title, *block.head), *block.rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    for line in lines:
        cells = [line[0].ljust(widths[0])]
        # A mark after a number must not move the number.
        cells += [
            (cell if cell.endswith("*") else f"{cell} ").rjust(width + 1)
            for cell, width in zip(line[1:], widths[1:], strict=True)
        ]
        yield "  ".join(cells).rstrip() + "\n"
