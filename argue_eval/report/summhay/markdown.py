"""Markdown, laid out as in the paper: the scores side by side in one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from argue_eval.analysis.summhay import Results
from argue_eval.report.summhay import OPEN, caption, has_open, position_block, score_blocks, words
from argue_eval.report.tables.markdown import escape


def render(results: Results) -> Iterator[str]:
    """Yields the tables. A column is named by its score and its retriever."""
    yield f"{caption(results)}\n\n"
    blocks = list(score_blocks(results))
    head = [f"{block.title} {name}" for block in blocks for name in block.head]
    together = zip(*(block.rows for block in blocks), (*words(results), ""), strict=True)
    rows = [
        [parts[0][0], *(cell for part in parts[:-1] for cell in part[1:]), parts[-1]]
        for parts in together
    ]
    yield from _table(["Summarizer", *head, "#W_b"], rows)
    position = position_block(results)
    if position:
        yield f"\n{position.title}\n\n"
        yield from _table(["Summarizer", *position.head], position.rows)
    if has_open(results):
        yield f"\n{escape(OPEN)}\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield _row(head)
    yield f"|---{'|---:' * (len(head) - 1)}|\n"
    for row in rows:
        yield _row(row)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(escape, cells))} |\n"
