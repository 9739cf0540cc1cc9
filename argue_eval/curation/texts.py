"""What a model is shown of requests and claims, and the JSON objects in its replies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from argue_eval.judges.completions import DECODER
from argue_eval.judges.model import (
    NO_OBJECT,
    Block,
    is_repeated,
    objects_in,
    quoted,
    request_lines,
    squeezed,
)
from argue_eval.records import ReportRequest

if TYPE_CHECKING:
    from argue_eval.curation.model import Kept

_SPACE = re.compile(r"[ \t\r\n]+")
_SIGNS = ".,:;!*\"'`"


def request_block(request: ReportRequest) -> Block:
    """What a model is shown of a request."""
    return Block("request", request_lines(request))


def numbered(name: str, texts: Iterable[str]) -> Block:
    """Texts with numbers from 1, or a block that says that there are none."""
    lines = tuple(f"{number}: {quoted(text)}" for number, text in enumerate(texts, 1))
    return Block(name, lines or ("none",))


def rejections(rejected: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Lines for what was proposed and may not be used: text and reason."""
    for text, reason in rejected:
        yield f"rejected: {quoted(text)}; {reason}"


class ReplyError(Exception):
    """Why a reply cannot be used: for the model, which is asked once more, and for the user."""


def object_schema(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of objects with just these fields: their types in JSON, or schemas.

    >>> object_schema({"name": "string"})["properties"]
    {'name': {'type': 'string'}}
    """
    return {
        "type": "object",
        "properties": {name: _schema(each) for name, each in fields.items()},
        "required": list(fields),
        "additionalProperties": False,
    }


def list_of(item: Any) -> dict[str, Any]:
    """The JSON schema of lists: of a type in JSON, or of what has a schema."""
    return {"type": "array", "items": _schema(item)}


def _schema(each: Any) -> dict[str, Any]:
    return {"type": each} if isinstance(each, str) else each


class Listing:
    """A reply that lists objects.

    Args:
        name: of the list.
        fields: of its objects: their types in JSON, or schemas.
    """

    def __init__(self, name: str, /, **fields: Any) -> None:
        self.schema = object_schema({name: list_of(object_schema(fields))})
        self._name = name
        self._types = {key: _TYPES[_schema(each)["type"]] for key, each in fields.items()}

    def read(self, call: object, kept: Kept) -> list[dict[str, Any]]:
        """The objects that a reply lists, whose fields have their types.

        >>> from argue_eval.curation.model import Kept
        >>> Listing("found", number="integer").read(None, Kept('{"found": [{"number": 1}]}'))
        [{'number': 1}]

        Raises:
            ReplyError: it has no such list.
        """
        found = object_with(kept.text, self._name)[self._name]
        if isinstance(found, list) and all(map(self._fits, found)):
            return found
        fields = ", ".join(self._types)
        raise ReplyError(f"{self._name!r} of the reply is not a list of objects with {fields}")

    def _fits(self, value: Any) -> bool:
        return isinstance(value, dict) and all(
            type(value.get(key)) is type_ and (type_ is not str or value[key].strip())
            for key, type_ in self._types.items()
        )


_TYPES: Mapping[str, type] = {"string": str, "integer": int, "array": list}


def object_with(text: str, key: str) -> dict[str, Any]:
    """The only JSON object in a reply that has a key.

    >>> object_with('Here it is: {"points": []}', "points")
    {'points': []}
    >>> object_with(r'{"points": ["a tug \\ud83d"]}', "points")
    {'points': ['a tug ?']}

    Raises:
        ReplyError: there is none, or two.
    """
    objects = objects_in(without_thoughts(text), DECODER) or []
    found = [each.value for each in objects if key in each.value]
    if len(found) != 1:
        raise ReplyError(NO_OBJECT)
    # Of half a surrogate pair, such as the escape of an emoji that is cut off, a ? is left.
    shown = json.dumps(found[0], ensure_ascii=False).encode("utf-8", "replace")
    value: dict[str, Any] = json.loads(shown)
    return value


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
