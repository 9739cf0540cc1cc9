"""What a model is shown of requests and claims, and the JSON objects in its replies."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from argue_eval.judges.llm.prompts import Block, quoted, request_lines
from argue_eval.judges.llm.replies import outermost
from argue_eval.records import ReportRequest


def request_block(request: ReportRequest) -> Block:
    """What a model is shown of a request."""
    return Block("request", request_lines(request))


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
    found = [
        value
        for _, value in outermost(text.rpartition("</think>")[2], json.JSONDecoder())
        if isinstance(value, dict) and key in value
    ]
    return found[0] if len(found) == 1 else None
