"""JSON lines with `request_id`, or `topic_id` and `collection_id` (NeuCLIR 2024, RAGTIME)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, Fields, as_fields
from argue_eval.formats.requests.canonical import OPTIONAL, collections, plain_request, request
from argue_eval.formats.writing import with_further
from argue_eval.records import ReportRequest

SHAPES = (
    ("request_id", "problem_statement"),
    ("topic_id", "collection_id", "problem_statement"),
    ("request_id", "background"),
    ("request_id", "title"),
)


def read(values: Iterable[Any], check: Check) -> Iterator[ReportRequest]:
    """Yields a request for each value."""
    for value in values:
        plain = plain_request(value, "request_id", check)
        if plain:
            yield plain
            continue
        fields = as_fields(check, value)
        if fields:
            key = "topic_id" if "request_id" not in fields else "request_id"
            yield request(fields, key, collection_ids=_collections(fields))


def _collections(fields: Fields) -> tuple[str, ...]:
    if "collection_id" not in fields:
        return collections(fields)
    collection_id = fields.identifier("collection_id", required=False)
    return (collection_id,) if collection_id else ()


def encode(request: ReportRequest) -> dict[str, Any]:
    """Returns a request as a JSON value, with `request_id`."""
    value: dict[str, Any] = {
        "request_id": request.topic_id,
        "title": request.title,
        "background": request.background,
        "problem_statement": request.problem_statement,
    }
    if request.limit is not None:
        value["limit"] = request.limit
    if request.collection_ids:
        value["collection_ids"] = request.collection_ids
    return with_further(value, request.extra, (*OPTIONAL, "collection_id"))
