"""What a model is shown of requests and claims, and the JSON objects in its replies."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from argue_eval.judges.llm.delimiters import Block, quoted
from argue_eval.records import ReportRequest

NO_JSON = "the reply holds no JSON object, or a broken one"

_MAX_STARTS = 200


def request_block(request: ReportRequest) -> Block:
    """What a model is shown of a request."""
    lines = (
        ("title", request.title),
        ("problem statement", request.problem_statement),
        ("background", request.background),
    )
    return Block(
        "request", tuple(f"{name}: {quoted(text)}" for name, text in lines if text.strip())
    )


def numbered(name: str, texts: Iterable[str]) -> Block:
    """Texts with numbers from 1, or a block that says that there are none."""
    lines = tuple(f"{number}: {quoted(text)}" for number, text in enumerate(texts, 1))
    return Block(name, lines or ("none",))


def points_schema(name: str, list_name: str, list_type: str) -> dict[str, Any]:
    """The JSON schema of a reply that lists key points, each with a list of its own."""
    item = {
        "type": "object",
        "properties": {
            "point": {"type": "string"},
            list_name: {"type": "array", "items": {"type": list_type}},
        },
        "required": ["point", list_name],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": item}},
        "required": [name],
        "additionalProperties": False,
    }


def object_with(text: str, key: str) -> dict[str, Any] | None:
    """The only JSON object in a reply that has a key; None if there is none, or two.

    >>> object_with('Here it is: {"points": []}', "points")
    {'points': []}
    """
    text = text.rpartition("</think>")[2]
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    at = text.find("{")
    for _ in range(_MAX_STARTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            value, end = None, at + 1
        if isinstance(value, dict) and key in value:
            found.append(value)
        at = text.find("{", end)
    return found[0] if len(found) == 1 else None
