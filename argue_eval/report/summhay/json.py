"""JSON: one object with all cells in [0, 1], at full precision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from argue_eval.analysis.summhay import SCORES, Cell, Results
from argue_eval.formats.jsonl import encode
from argue_eval.report.summhay import ORDERS


def render(results: Results) -> Iterator[str]:
    """Yields the object. A value is null where there is none."""
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
                    "joint_score": {ORDERS[order]: cell.value for order, cell in
                                    each.cells.items()},
                    "sensitivity": each.sensitivity.value,
                }
                for each in results.positions()
            ],
        }
    ) + "\n"  # fmt: skip


def _values(cells: Mapping[str, Cell]) -> dict[str, Any]:
    """Returns values by name, and the names of those that depend on missing judgments."""
    return {
        **{name: cell.value for name, cell in cells.items()},
        "open": [name for name, cell in cells.items() if cell.is_open],
    }
