"""Views of SummHay's results tables: one file per layout, each with

* ``render(results) -> Iterator[str]``: the lines.

Scores are x 100, with one decimal, as the paper prints them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from argue_eval.analysis.summhay import FULL, Cell, Results

TITLES = {"coverage": "Coverage", "citation_score": "Citation", "joint_score": "Joint"}
NONE = "-"
OPEN = "* depends on missing judgments, or on documents that the insights do not name"
ORDERS = {"Top": "Top", "Middle": "Middle", "Bottom": "Bottom", FULL: "Random"}


class Block(NamedTuple):
    """A table for people: names in the first column, numbers in the others."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def caption(results: Results) -> str:
    """Returns what the numbers are, in one line."""
    return f"SummHay, x 100, mean over {results.average}"


def score_blocks(results: Results) -> Iterator[Block]:
    """Yields a block for each score: summarizers down, retrievers across, and the means."""
    retrievers, summarizers = results.retrievers(), results.summarizers()
    for measure, title in TITLES.items():
        rows = [
            (
                name,
                *(_cell(results.cell(name, each, measure)) for each in retrievers),
                _cell(results.over_retrievers(name, measure)),
            )
            for name in summarizers
        ]
        means = [_cell(results.over_summarizers(each, measure)) for each in retrievers]
        rows.append(("mean", *means, ""))
        yield Block(title, (*retrievers, "Mean"), tuple(rows))


def words(results: Results) -> tuple[str, ...]:
    """Returns the words per bullet of each summarizer, in the order of the rows."""
    found = [results.words.get(name) for name in results.summarizers()]
    return tuple(NONE if each is None else f"{each:.1f}" for each in found)


def position_block(results: Results) -> Block | None:
    """Returns the joint scores by the order of the documents; None if there is one order only."""
    positions = results.positions()
    orders = [order for order in ORDERS if any(order in each.cells for each in positions)]
    if not positions:
        return None
    rows = [
        (
            each.summarizer,
            *(_cell(each.cells.get(order)) for order in orders),
            _cell(each.sensitivity),
        )
        for each in positions
    ]
    head = (*(ORDERS[order] for order in orders), "Sensitivity")
    return Block("Joint, by document order", head, tuple(rows))


def has_open(results: Results) -> bool:
    """Returns whether some score depends on missing judgments."""
    return any(cells[name].is_open for cells in results.cells.values() for name in TITLES)


def _cell(cell: Cell | None) -> str:
    return NONE if cell is None else _number(cell.value) + "*" * cell.is_open


def _number(value: float | None) -> str:
    return NONE if value is None else f"{100 * value:.1f}"
