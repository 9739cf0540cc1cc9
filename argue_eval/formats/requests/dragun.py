"""JSON lines with `docid` and `title`: the article that a report is about (DRAGUN 2025)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, as_fields
from argue_eval.formats.requests.canonical import request
from argue_eval.formats.writing import with_further
from argue_eval.records import ReportRequest

SHAPES = (("docid", "title"),)


def read(values: Iterable[Any], check: Check) -> Iterator[ReportRequest]:
    """Yields a request for each value; the article's further keys are kept as `extra`."""
    for value in values:
        fields = as_fields(check, value)
        if fields:
            yield request(fields, "docid")


def encode(request: ReportRequest) -> dict[str, Any]:
    """Returns a request as a JSON value: an article with what else is known of it."""
    value = {"docid": request.topic_id, "title": request.title}
    reserved = ("problem_statement", "background", "limit", "limit_unit", "language")
    return with_further(value, request.extra, reserved)
