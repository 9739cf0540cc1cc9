"""For machines: one JSON document, at full precision; what is undefined is null, with a reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from argue_eval.analysis.results import Agreement, Comparison, Figure, Ranking


def render(comparison: Comparison) -> Iterator[str]:
    """Yields the document."""
    table = {
        "format": "argue-eval/agreement/1",
        "truth": list(comparison.truth),
        "num_resamples": comparison.num_resamples,
        "notes": list(comparison.notes),
        "agreements": [_agreement(each) for each in comparison.agreements],
        "rankings": [_ranking(each) for each in comparison.rankings],
    }
    yield json.dumps(table, indent=1, allow_nan=False) + "\n"


def _agreement(each: Agreement) -> dict[str, Any]:
    return {
        "kind": each.kind.value,
        "judge": each.judge,
        "by_report": each.by_report,
        "num_topics": each.num_topics,
        "counts": each.counts._asdict(),
        "figures": _figures(each.figures),
        "confusion": [
            {"truth": cell.truth.value, "judge": cell.judge.value, "num": cell.num}
            for cell in each.confusion
        ],
        "reliability": [row._asdict() for row in each.reliability],
        "systems": [row._asdict() | {"bias": _figure(row.bias)} for row in each.systems],
        "ranking": None if each.ranking is None else _ranking(each.ranking),
    }


def _ranking(each: Ranking) -> dict[str, Any]:
    return {
        "measure": each.measure,
        "num_systems": each.num_systems,
        "num_topics": each.num_topics,
        "figures": _figures(each.figures),
        "pairs": None if each.pairs is None else each.pairs._asdict(),
    }


def _figures(figures: tuple[Figure, ...]) -> dict[str, Any]:
    return {each.name: _figure(each) for each in figures}


def _figure(each: Figure) -> dict[str, Any]:
    return {
        "value": each.value,
        "lower": each.lower,
        "upper": each.upper,
        "num": each.num,
        "num_resamples": each.num_resamples,
        **({"reason": each.reason} if each.value is None else {}),
    }
