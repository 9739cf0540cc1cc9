"""SummHay's results tables, as text, as Markdown and as JSON.

Text and Markdown have scores x 100, with one decimal, as the paper prints them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from argue_eval.analysis.summhay import FULL, SCORES, Cell, Results
from argue_eval.formats.jsonl import encode
from argue_eval.report.table_text import Row, aligned, escape, markdown

_TITLES = {"coverage": "Coverage", "citation_score": "Citation", "joint_score": "Joint"}
_NONE = "-"
_OPEN = "* depends on missing judgments, or on documents that the insights do not name"
_ORDERS = {"Top": "Top", "Middle": "Middle", "Bottom": "Bottom", FULL: "Random"}


class Block(NamedTuple):
    """A table for people: names in the first column, numbers in the others."""

    title: str
    head: Row
    rows: list[Row]


def as_text(results: Results) -> Iterator[str]:
    """Yield a table for each score, one below the other; words per bullet beside joint scores."""
    yield _caption(results) + "\n"
    *blocks, last = _score_blocks(results)
    rows = [[*row, each] for row, each in zip(last.rows, (*_words(results), ""), strict=True)]
    blocks.append(Block(title=last.title, head=(*last.head, "#W_b"), rows=[*rows]))
    position = _position_block(results)
    for block in [*blocks, *([position] if position else [])]:
        yield "\n"
        rows = [[row[0], *map(_spaced, row[1:])] for row in block.rows]
        yield from aligned([block.title, *map(_spaced, block.head)], rows)
    if _has_open(results):
        yield f"\n{_OPEN}\n"


def as_markdown(results: Results) -> Iterator[str]:
    """Yield the scores side by side in one table, as in the paper."""
    yield f"{_caption(results)}\n\n"
    blocks = list(_score_blocks(results))
    head = [f"{block.title} {name}" for block in blocks for name in block.head]
    rows = [
        [parts[0][0], *(cell for part in parts for cell in part[1:]), num_words]
        for *parts, num_words in zip(
            *(block.rows for block in blocks), (*_words(results), ""), strict=True
        )
    ]
    yield from markdown(["Summarizer", *head, "#W_b"], rows)
    position = _position_block(results)
    if position:
        yield f"\n{position.title}\n\n"
        yield from markdown(["Summarizer", *position.head], position.rows)
    if _has_open(results):
        yield f"\n{escape(_OPEN)}\n"


def as_json(results: Results) -> Iterator[str]:
    """Yield one object with all cells in [0, 1] at full precision; null where there is no value."""
    retrievers, summarizers = results.retrievers(), results.summarizers()
    yield encode(
        {
            "average": results.average,
            "cells": [
                {
                    "summarizer": combined.summarizer,
                    "retriever": combined.retriever,
                    **_values(cells),
                }
                for combined, cells in results.cells.items()
            ],
            "over_retrievers": [
                {
                    "summarizer": name,
                    **_values({score: results.over_retrievers(name, score) for score in SCORES}),
                    "words_per_bullet": results.words.get(name),
                }
                for name in summarizers
            ],
            "over_summarizers": [
                {
                    "retriever": name,
                    **_values({score: results.over_summarizers(name, score) for score in SCORES}),
                }
                for name in retrievers
            ],
            "positions": [
                {
                    "summarizer": each.summarizer,
                    "joint_score": {_ORDERS[order]: cell.value for order, cell in
                                    each.cells.items()},
                    "sensitivity": each.sensitivity.value,
                }
                for each in results.positions()
            ],
        }
    ) + "\n"  # fmt: skip


FORMATS: dict[str, Callable[[Results], Iterator[str]]] = {
    "json": as_json,
    "markdown": as_markdown,
    "text": as_text,
}


def _caption(results: Results) -> str:
    return f"SummHay, x 100, mean over {results.average}"


def _score_blocks(results: Results) -> Iterator[Block]:
    """Yield a block for each score: summarizers down, retrievers across, and the means."""
    retrievers, summarizers = results.retrievers(), results.summarizers()
    for measure, title in _TITLES.items():
        rows: list[Row] = [
            (
                name,
                *(_cell(results.cell(name, each, measure)) for each in retrievers),
                _cell(results.over_retrievers(name, measure)),
            )
            for name in summarizers
        ]
        means = [_cell(results.over_summarizers(each, measure)) for each in retrievers]
        rows.append(("mean", *means, ""))
        yield Block(title=title, head=(*retrievers, "Mean"), rows=rows)


def _words(results: Results) -> tuple[str, ...]:
    """Look up the words per bullet of each summarizer, in the order of the rows."""
    found = [results.words.get(name) for name in results.summarizers()]
    return tuple(_NONE if each is None else f"{each:.1f}" for each in found)


def _position_block(results: Results) -> Block | None:
    """Lay out the joint scores by document order; None if there is one order only."""
    positions = results.positions()
    orders = [order for order in _ORDERS if any(order in each.cells for each in positions)]
    if not positions:
        return None
    rows: list[Row] = [
        (
            each.summarizer,
            *(_cell(each.cells.get(order)) for order in orders),
            _cell(each.sensitivity),
        )
        for each in positions
    ]
    head = (*(_ORDERS[order] for order in orders), "Sensitivity")
    return Block(title="Joint, by document order", head=head, rows=rows)


def _has_open(results: Results) -> bool:
    return any(cells[name].is_open for cells in results.cells.values() for name in _TITLES)


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return _NONE
    number = _NONE if cell.value is None else f"{100 * cell.value:.1f}"
    return number + "*" * cell.is_open


def _spaced(cell: str) -> str:
    """Pad a number, so that a mark after it does not move it."""
    return f" {cell}" if cell.endswith("*") else f"{cell} "


def _values(cells: Mapping[str, Cell]) -> dict[str, Any]:
    """Collect values by name, and the names of those that depend on missing judgments."""
    return {
        **{name: cell.value for name, cell in cells.items()},
        "open": [name for name, cell in cells.items() if cell.is_open],
    }
