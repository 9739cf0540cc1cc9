"""JSON: one object per run with its signature, counts and rows, at full precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from argue_eval.formats.jsonl import encode, visible
from argue_eval.records import MeasureValue, ScoreTable
from argue_eval.report.tables import rows

HEADER = "[\n"
SEPARATOR = ",\n"
FOOTER = "\n]\n"
BOUNDS = "bounds are in lower and upper"


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield one run. `value` is null where it is undefined or nobody could compute it."""
    value = {
        "run_id": table.run_id,
        "team_id": table.team_id,
        "signature": table.signature,
        **table.counts,
        "missing_topics": list(table.missing_topics),
        "scores": [as_object(row) for row in rows(table, per_topic)],
    }
    yield visible(encode(value))


def as_object(row: MeasureValue) -> dict[str, Any]:
    """Turn a row into a JSON object."""
    return {
        "topic_id": row.topic_id,
        "measure": row.measure,
        "value": row.value,
        "lower": row.lower,
        "upper": row.upper,
        "num_units": row.num_units,
        "num_unjudged": row.num_unjudged,
        "is_undefined": row.is_undefined,
        **({"is_count": True} if row.is_count else {}),
        **({"parts": list(row.parts)} if row.parts else {}),
    }
