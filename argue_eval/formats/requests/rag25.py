"""`id` with `title` as JSON lines, or with `narrative` as a JSON list (TREC RAG 2025)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, as_fields
from argue_eval.formats.requests.canonical import request
from argue_eval.formats.writing import with_further
from argue_eval.records import ReportRequest

SHAPES = (("id", "title"), ("id", "narrative"))


def read(values: Iterable[Any], check: Check) -> Iterator[ReportRequest]:
    """Yields a request for each value; its one text is the problem statement."""
    for value in values:
        fields = as_fields(check, value)
        if fields:
            key = "narrative" if "narrative" in fields else "title"
            if key not in fields:
                fields.missing("narrative", "title")
            yield request(fields, "id", key, or_number=True)


def encode(request: ReportRequest) -> dict[str, Any]:
    """Returns a request as a JSON value, its problem statement being the `title`."""
    value = {"id": request.topic_id, "title": request.problem_statement}
    reserved = ("narrative", "background", "limit", "limit_unit", "language")
    return with_further(value, request.extra, reserved)
