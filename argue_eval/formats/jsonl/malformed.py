"""What is wrong with a text that is not strict JSON, and where."""

from __future__ import annotations

import json
import re
from typing import Any

from argue_eval.errors import Finding, InputError, shorten
from argue_eval.formats.jsonl.source import fast_decoder

_ESCAPED_BACKSLASH = r"\\\\"
_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HALF = r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
_TOKEN = r'("[^"\\]*(?:\\.[^"\\]*)*")([ \t\r\n]*:)?|[\[\]{}]'
_BYTE = r"\(byte (\d+)\)"


def decode(raw: bytes, wrong: Exception) -> Any:
    """Decodes a JSON text that another decoder refused.

    Args:
        wrong: why it did. The faster decoder takes some of them, and says more of the others.

    Raises:
        InputError: it is not strict JSON. Its finding has the line in the text, from 0.
    """
    if isinstance(wrong, json.JSONDecodeError):
        before, after = wrong.doc[: wrong.pos], wrong.doc[wrong.pos :]
        if wrong.msg == "Extra data" and after.startswith("{"):  # many a file has such lines
            raise InputError(_broken_off(raw, len(before.encode()) + 1, "trailing characters"))
    try:
        return fast_decoder()(raw)
    except (ValueError, RecursionError) as exc:
        raise InputError(_explained(raw, exc)) from None


def check_keys(raw: bytes) -> None:
    """Checks that no object has a key twice.

    Raises:
        InputError: one has.
    """
    duplicates: list[int] = []

    def pairs(items: list[tuple[str, Any]]) -> None:
        if len(dict(items)) != len(items):
            duplicates.append(1)

    try:
        json.loads(raw, object_pairs_hook=pairs)
    except RecursionError:
        raise InputError(_too_deep()) from None
    if duplicates:
        text = raw.decode("utf-8")
        key, offset = _second_key(text)
        message = f"the key {shorten(key)} occurs twice in one object"
        hint = "keep one of the two, or rename one"
        line = text.count("\n", 0, offset)
        raise InputError(Finding("duplicate_key", message, hint, line=line))


def _second_key(text: str) -> tuple[str, int]:
    seen: list[set[str]] = [set()]
    for match in re.finditer(_TOKEN, text):
        token, colon = match.group(1, 2)
        if colon:
            key = json.loads(token)
            if key in seen[-1]:
                return key, match.start()
            seen[-1].add(key)
        elif token is None and match.group() in "{[":
            seen.append(set())
        elif token is None:
            seen.pop()
    return "", 0


def _explained(raw: bytes, exc: Exception) -> Finding:
    if isinstance(exc, RecursionError):
        return _too_deep()
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return Finding("encoding", "it is not UTF-8")  # the source knows about all of its lines
    found = re.search(_BYTE, str(exc))
    offset = min(int(found.group(1)), len(raw)) if found else len(raw.rstrip())
    return _broken_off(raw, offset, str(exc))


def _too_deep() -> Finding:
    hint = "no format nests this deep: check the step that wrote it"
    return Finding("too_deep", "the JSON is nested too deeply", hint, line=0)


def _broken_off(raw: bytes, offset: int, what: str) -> Finding:
    """What is wrong at an offset, where a decoder said what."""
    part = raw[max(0, offset - 20) : offset + 20].rstrip(b"\r\n")
    near = part.decode("utf-8", "replace")
    line = raw.count(b"\n", 0, offset)
    for word in ("NaN", "Infinity"):
        if word in near:
            hint = "write a number, or leave the key out"
            return Finding("not_a_number", f"{word} is not JSON", hint, line=line)
    if b"\x00" in raw:
        hint = "the file is damaged or not text: write it again"
        return Finding("null_byte", "the line has a null byte", hint, line=line)
    if _has_lone_surrogate(raw):
        message = "half of a surrogate pair (\\ud800 to \\udfff) is no character"
        hint = "write the character itself, or both halves of the pair"
        return Finding("lone_surrogate", message, hint, line=line)
    if "out of range" in what:
        message = "a number is too large for JSON readers"
        return Finding("json_syntax", message, "check the number", line=line)
    if "truncated" in what:
        hint = "the file was cut off, or an object was spread over several lines"
        message = "the JSON ends before it is complete"
        return Finding("json_truncated", message, hint, line=line)
    if "trailing characters" in what:
        message = f"something follows the end of the JSON value, near {shorten(near)}"
        hint = "put each object on a line of its own"
        return Finding("run_together", message, hint, line=line)
    message = f"not valid JSON: {what.removeprefix('JSON is malformed: ')}, near {shorten(near)}"
    hint = "write strict JSON: one complete object per line, or one document"
    if "trailing comma" in what:
        hint = "remove the comma before the closing bracket"
    elif raw[offset : offset + 1] == b"'":
        hint = "put texts and keys in double quotes, as JSON libraries do"
    return Finding("json_syntax", message, hint, line=line)


def _has_lone_surrogate(raw: bytes) -> bool:
    """Whether an escape stands for half a character."""
    text = re.sub(_ESCAPED_BACKSLASH, "", raw.decode("utf-8", "replace"))
    return re.search(_HALF, re.sub(_PAIR, "", text)) is not None
