"""JSON lines with `topic_id`, `title`, `problem_statement`, `background`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, Fields, as_fields
from argue_eval.formats.writing import with_further
from argue_eval.records import ReportRequest

SHAPES = (("topic_id", "problem_statement"), ("topic_id", "title"))

OPTIONAL = ("limit", "limit_unit", "collection_ids", "language")
"""Keys that mean something and may be absent."""

_UNITS = {"characters": "characters", "words": "words"}


def read(values: Iterable[Any], check: Check) -> Iterator[ReportRequest]:
    """Yields a request for each value."""
    for value in values:
        plain = plain_request(value, "topic_id", check)
        if plain:
            yield plain
            continue
        fields = as_fields(check, value)
        if fields:
            yield request(fields, "topic_id", collection_ids=collections(fields))


def plain_request(value: Any, topic_key: str, check: Check) -> ReportRequest | None:
    """Returns the request of an object with the usual keys alone; None if it is any other.

    A short cut for files of many thousand requests: `request` reads such an object as well.
    """
    if type(value) is not dict or topic_key not in value:
        return None
    left = dict(value)
    topic_id, limit = left.pop(topic_key), left.pop("limit", None)
    title, problem = left.pop("title", ""), left.pop("problem_statement", "")
    background = left.pop("background", "")
    if left or not (type(topic_id) is str and topic_id.isprintable() and topic_id.strip()):
        return None
    is_limit = limit is None or (type(limit) is int and limit > 0)
    is_text = type(title) is str and type(problem) is str and type(background) is str
    if not is_limit or not is_text or topic_id.strip() != topic_id:
        return None
    check.new_topic(topic_id, ())
    return ReportRequest(topic_id, title, problem, background, limit)


def request(
    fields: Fields,
    topic_key: str,
    problem_key: str = "problem_statement",
    *,
    or_number: bool = False,
    collection_ids: tuple[str, ...] = (),
) -> ReportRequest:
    """Returns the request that an object describes; errors in it are noted.

    Args:
        topic_key: the form's name for the topic id.
        problem_key: the form's name for what the report must contain.
        or_number: the form writes topic ids as numbers too.
    """
    topic_id = fields.identifier(topic_key, or_number=or_number)
    if topic_id:
        fields.check.new_topic(topic_id, fields.path)
    problem_statement = fields.text(problem_key, required=False)
    return ReportRequest(
        topic_id,
        fields.text("title", required=False),
        problem_statement,
        fields.text("background", required=False),
        fields.whole("limit", least=1),
        fields.choice("limit_unit", _UNITS, "characters"),
        collection_ids,
        fields.text("language", required=False) or None,
        fields.rest(),
    )


def collections(fields: Fields) -> tuple[str, ...]:
    """Returns the collections that may be cited."""
    return fields.identifiers("collection_ids", required=False)


def encode(request: ReportRequest) -> dict[str, Any]:
    """Returns a request as a JSON value."""
    value: dict[str, Any] = {
        "topic_id": request.topic_id,
        "title": request.title,
        "problem_statement": request.problem_statement,
        "background": request.background,
    }
    if request.limit is not None:
        value["limit"] = request.limit
    if request.limit_unit != "characters":
        value["limit_unit"] = request.limit_unit
    if request.collection_ids:
        value["collection_ids"] = request.collection_ids
    if request.language is not None:
        value["language"] = request.language
    return with_further(value, request.extra, OPTIONAL)
