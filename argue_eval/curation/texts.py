"""What a model is shown of requests and claims, and the JSON objects in its replies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from argue_eval.judges.completions import DECODER
from argue_eval.judges.llm.prompts import Block, quoted, request_lines
from argue_eval.judges.model import NO_OBJECT, is_repeated, objects_in, squeezed
from argue_eval.records import ReportRequest

_SPACE = re.compile(r"[ \t\r\n]+")
_SIGNS = ".,:;!*\"'`"


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


def list_schema(name: str, fields: Mapping[str, str]) -> dict[str, Any]:
    """The JSON schema of a reply that lists objects with these fields, by their JSON types."""
    item = {
        "type": "object",
        "properties": {key: {"type": type_} for key, type_ in fields.items()},
        "required": list(fields),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": item}},
        "required": [name],
        "additionalProperties": False,
    }


def listed(text: str, name: str, fields: Mapping[str, type]) -> list[dict[str, Any]] | str:
    """The objects that a reply lists, whose fields have these types; or why there are none.

    >>> listed('{"found": [{"number": 1}]}', "found", {"number": int})
    [{'number': 1}]
    >>> listed('{"found": [1]}', "found", {"number": int})
    "'found' of the reply is not a list of objects with number"
    """
    value = object_with(text, name)
    if value is None:
        return NO_OBJECT
    found = value[name]
    if isinstance(found, list) and all(_has(each, fields) for each in found):
        return found
    return f"{name!r} of the reply is not a list of objects with {', '.join(fields)}"


def _has(value: Any, fields: Mapping[str, type]) -> bool:
    if not isinstance(value, dict):
        return False
    own = [value.get(key) for key in fields]
    if not all(type(each) is type_ for each, type_ in zip(own, fields.values(), strict=True)):
        return False
    return all(each.strip() for each in own if isinstance(each, str))


def object_with(text: str, key: str) -> dict[str, Any] | None:
    """The only JSON object in a reply that has a key; None if there is none, or two.

    >>> object_with('Here it is: {"points": []}', "points")
    {'points': []}
    """
    objects = objects_in(without_thoughts(text), DECODER) or []
    found = [each.value for each in objects if key in each.value]
    return found[0] if len(found) == 1 else None


def filler(num_words: int, tag: str) -> str:
    """Words that stand for a text of a model where only its length matters.

    >>> filler(3, "w")
    'w1 w2 w3'
    """
    return " ".join(f"{tag}{number}" for number in range(1, num_words + 1))


def first_word(text: str) -> str:
    """The first word of a reply, in small letters, without signs around it.

    >>> first_word(" **YES**, it is.")
    'yes'
    """
    words = _SPACE.split(without_thoughts(text).strip(" \t\r\n"))
    return words[0].strip(_SIGNS).lower()


def repeats(text: str, prompt: str) -> bool:
    """Is what counts of a reply a part of the prompt?

    Args:
        prompt: what the model was told, as `squeezed`.
    """
    text = without_thoughts(text)
    if objects := objects_in(text, DECODER):
        return any(is_repeated(text, each, prompt) for each in objects)
    return len(text.split()) > 1 and squeezed(text) in prompt


def without_thoughts(text: str) -> str:
    """A reply without what the model wrote before it."""
    return text.rpartition("</think>")[2]
