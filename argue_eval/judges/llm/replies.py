"""What a model's reply says: verdicts, and what is wrong with it. Nothing is guessed.

A reply is a JSON object, by itself or within other text. A verdict counts only if its key was asked
for, stands there once, and its value is one of the words of the scale.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from argue_eval.errors import shorten
from argue_eval.judges.clients.completion import Completion
from argue_eval.records import Verdict

VERSION = 1
"""To be raised with whatever makes the same reply count differently."""

CUT_OFF = "the reply was cut off at its greatest length"
FILTERED = "the provider's content filter cut the reply off"
EMPTY = "the reply was empty"
NO_OBJECT = "the reply holds no JSON object, or a broken one"
MISSING = "the reply does not answer this"
TWICE = "the reply answers this twice"
OFF_SCALE = "the reply is not on the scale"
MISCOUNTED = "the reply counts from 0"

_THOUGHTS = re.compile(r"\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL)
"""What a model writes before it replies. Anywhere else such a sign may be a quotation."""

_OPENING = re.compile(r'\{\s*"')
_MAX_STARTS = 200


_DONE = frozenset({"", "stop", "eos", "eos_token", "end_turn", "stop_sequence"})


class Reading(NamedTuple):
    """What a reply says.

    Attributes:
        verdicts: by key.
        problems: by key, why there is no verdict; every key that was asked for is in one of both.
    """

    verdicts: Mapping[str, Verdict]
    problems: Mapping[str, str]


def schema_of(labels: Sequence[str], scale: Sequence[Verdict]) -> dict[str, Any]:
    """Returns the JSON schema of a reply."""
    value = {"type": "string", "enum": [verdict.value for verdict in scale]}
    return {
        "type": "object",
        "properties": dict.fromkeys(labels, value),
        "required": list(labels),
        "additionalProperties": False,
    }


def why_unusable(completion: Completion) -> str:
    """Returns why a reply must not be read; empty if it may be. The text is not looked at."""
    if completion.refusal:
        return f"the model refused: {shorten(completion.refusal)}"
    if completion.finish_reason == "length":
        return CUT_OFF
    if completion.finish_reason == "content_filter":
        return FILTERED
    if completion.finish_reason not in _DONE:
        return f"the model stopped for another reason: {shorten(completion.finish_reason)}"
    return ""


def read(text: str, labels: Sequence[str], scale: Sequence[Verdict]) -> Reading:
    """Returns what a reply says to each key that was asked for.

    >>> reading = read('Here: {"1": "yes", "2": "perhaps"}', ["1", "2"], [Verdict.YES, Verdict.NO])
    >>> reading.verdicts["1"].value, reading.problems["2"]
    ('yes', "the reply is not on the scale: 'perhaps'")
    """
    if not text.strip():
        return Reading({}, dict.fromkeys(labels, EMPTY))
    found = _objects(text[_thoughts_end(text) :], frozenset(labels))
    if not found:
        return Reading({}, dict.fromkeys(labels, NO_OBJECT))
    given: dict[str, list[Any]] = {}
    for pairs in found:
        for key, value in pairs:
            given.setdefault(key, []).append(value)
    if "0" in given and "0" not in labels:
        return Reading({}, dict.fromkeys(labels, MISCOUNTED))
    words = {verdict.value: verdict for verdict in scale}
    verdicts: dict[str, Verdict] = {}
    problems: dict[str, str] = {}
    for label in labels:
        values = given.get(label, [])
        verdict = words.get(_word(values[0])) if len(values) == 1 else None
        if verdict is not None:
            verdicts[label] = verdict
        elif not values:
            problems[label] = MISSING
        else:
            problems[label] = TWICE if len(values) > 1 else f"{OFF_SCALE}: {shorten(values[0])}"
    return Reading(verdicts, problems)


def _thoughts_end(text: str) -> int:
    """Returns where thoughts end, at the start of a text; its end if they do not."""
    match = _THOUGHTS.match(text)
    return match.end() if match else 0


def _word(value: Any) -> str:
    return value.strip().casefold() if isinstance(value, str) else ""


class _Pairs(list[tuple[str, Any]]):
    """An object's keys and values in their order, so that a key which is there twice shows."""


_DECODER = json.JSONDecoder(object_pairs_hook=_Pairs)


def _objects(text: str, labels: frozenset[str]) -> list[_Pairs]:
    """Returns the outermost JSON objects in a text that have a key which was asked for.

    Failing that, the first object, which answers nothing. None at all if one is broken.
    """
    first: list[_Pairs] = []
    found: list[_Pairs] = []
    at = text.find("{")
    for _ in range(_MAX_STARTS):
        if at < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            if _OPENING.match(text, at):
                return []  # broken off, and what it holds inside may be anything
            end = at + 1
        else:
            if isinstance(value, _Pairs):
                first = first or [value]
                if any(key in labels for key, _ in value):
                    found.append(value)
        at = text.find("{", end)
    return found or first
