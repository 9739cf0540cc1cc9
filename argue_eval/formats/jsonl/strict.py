"""Strict JSON: NaN, duplicate keys and lone surrogates are errors that say where and why."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from math import isinf
from typing import Any

from argue_eval.errors import shorten

SMALL_BYTES = 1 << 20
"""So much is decoded by the standard library: to import a faster decoder takes longer."""

MAX_VALUES = 4_000_000
"""In one text, by its commas and brackets. What takes two bytes there can take 200 in memory."""

JsonPath = tuple[str | int, ...]
_MAX_STEP = 60

num_decoded = 0
"""How many bytes the process has decoded: many are worth an import."""

_SPACED_KEY = re.compile(rb'"[ \t\r\n]+:')

# Compiled when they are needed, which is for errors alone.
_ESCAPED_BACKSLASH = r"\\\\"
_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HALF = r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
_TOKEN = r'("[^"\\]*(?:\\.[^"\\]*)*")([ \t\r\n]*:)?|[\[\]{}]'
_BYTE = r"\(byte (\d+)\)"


class MalformedError(Exception):
    """What is wrong with a JSON text.

    Attributes:
        line: how many lines into the text it is.
    """

    def __init__(self, code: str, message: str, hint: str, line: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.line = line


def json_path(path: JsonPath) -> str:
    """A path as people write it.

    >>> json_path(("topics", 3, "nuggets", "a b"))
    "$.topics[3].nuggets['a b']"
    """
    parts = ["$"]
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif step.isidentifier() and len(step) <= _MAX_STEP:
            parts.append(f".{step}")
        else:
            parts.append(f"[{shorten(step)}]")
    return "".join(parts)


def decode_strict(raw: bytes) -> Any:
    """Decodes a JSON text.

    Raises:
        MalformedError: it is not strict JSON.
    """
    global num_decoded
    num_decoded += len(raw)
    if len(raw) > MAX_VALUES and sum(map(raw.count, (b",", b"[", b"{"))) > MAX_VALUES:
        message = f"more than {MAX_VALUES:,} values in one JSON text"
        raise MalformedError("too_large", message, "put one object on each line")
    is_decoded = False
    if num_decoded < SMALL_BYTES:
        try:
            value = decode_plain(raw)
            is_decoded = True
        except json.JSONDecodeError as exc:
            if exc.msg == "Extra data" and exc.doc[exc.pos] == "{":  # many a file has such lines
                place = len(exc.doc[: exc.pos].encode()) + 1
                raise _broken_off(raw, place, "trailing characters") from None
        except (ValueError, RecursionError):
            pass  # the faster decoder tells more of what is wrong
    if not is_decoded:
        decode, errors = _fast_decoder()
        try:
            value = decode(raw)
        except errors as exc:
            raise _explained(raw, exc) from None
    # Every key leaves a quote and a colon in the text. With fewer keys than those, one may
    # have been there twice (or a text has a quote and a colon too): then it is looked at.
    num_colons = raw.count(b'":')
    if _SPACED_KEY.search(raw) is not None:
        num_colons += len(_SPACED_KEY.findall(raw))
    is_flat = type(value) is dict and len(value) == num_colons
    if not is_flat and _num_keys(value) != num_colons:
        _check_keys(raw)
    return value


def decode_plain(raw: bytes) -> Any:
    """Decodes a JSON text with the standard library. A key may have been there twice.

    Raises:
        ValueError: there may be something wrong with the text.
        RecursionError: it is nested too deeply.
    """
    text = raw.decode("utf-8")
    if "\\u" in text and ("\\ud" in text or "\\uD" in text):
        raise ValueError("perhaps half of a surrogate pair")
    return _decode_plain(text)


def _refused(word: str) -> Any:
    raise ValueError(word)


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise ValueError(digits)
    return number


_decode_plain = json.JSONDecoder(parse_constant=_refused, parse_float=_finite).decode


@cache
def _fast_decoder() -> tuple[Callable[[bytes], Any], tuple[type[Exception], ...]]:
    import msgspec

    return msgspec.json.decode, (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def _explained(raw: bytes, exc: Exception) -> MalformedError:
    if isinstance(exc, RecursionError):
        return _too_deep()
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as bad:
        message = f"byte 0x{raw[bad.start]:02x} is not UTF-8"
        return MalformedError(
            "encoding", message, "save the file as UTF-8", raw.count(b"\n", 0, bad.start)
        )
    found = re.search(_BYTE, str(exc))
    offset = min(int(found.group(1)), len(raw)) if found else len(raw.rstrip())
    return _broken_off(raw, offset, str(exc))


def _broken_off(raw: bytes, offset: int, what: str) -> MalformedError:
    return MalformedError(*_syntax(raw, offset, what), raw.count(b"\n", 0, offset))


def _too_deep() -> MalformedError:
    hint = "no format nests this deep: check the step that wrote it"
    return MalformedError("too_deep", "the JSON is nested too deeply", hint)


def _syntax(raw: bytes, offset: int, what: str) -> tuple[str, str, str]:
    part = raw[max(0, offset - 20) : offset + 20].rstrip(b"\r\n")
    near = part.decode("utf-8", "replace")
    for word in ("NaN", "Infinity"):
        if word in near:
            return "not_a_number", f"{word} is not JSON", "write a number, or leave the key out"
    if b"\x00" in raw:
        hint = "the file is damaged or not text: write it again"
        return "null_byte", "the line has a null byte", hint
    if _lone_surrogate(raw):
        hint = "write the character itself, or both halves of the pair"
        return (
            "lone_surrogate",
            "half of a surrogate pair (\\ud800 to \\udfff) is no character",
            hint,
        )
    if "out of range" in what:
        return "json_syntax", "a number is too large for JSON readers", "check the number"
    if "truncated" in what:
        hint = "the file was cut off, or an object was spread over several lines"
        return "json_truncated", "the JSON ends before it is complete", hint
    if "trailing characters" in what:
        message = f"something follows the end of the JSON value, near {shorten(near)}"
        return "run_together", message, "put each object on a line of its own"
    message = f"not valid JSON: {what.removeprefix('JSON is malformed: ')}, near {shorten(near)}"
    if raw[offset : offset + 1] == b"'":
        return "json_syntax", message, "put texts and keys in double quotes, as JSON libraries do"
    return (
        "json_syntax",
        message,
        "write strict JSON: one complete object per line, or one document",
    )


def _lone_surrogate(raw: bytes) -> bool:
    """Whether an escape stands for half a character."""
    text = re.sub(_ESCAPED_BACKSLASH, "", raw.decode("utf-8", "replace"))
    return re.search(_HALF, re.sub(_PAIR, "", text)) is not None


def _num_keys(value: Any) -> int:
    count = 0
    stack = [value]
    while stack:
        item = stack.pop()
        if type(item) is dict:
            count += len(item)
            item = item.values()
        elif type(item) is not list:
            continue
        for inner in item:
            if type(inner) is dict or type(inner) is list:
                stack.append(inner)
    return count


def _check_keys(raw: bytes) -> None:
    duplicates: list[int] = []

    def pairs(items: list[tuple[str, Any]]) -> None:
        if len(dict(items)) != len(items):
            duplicates.append(1)

    try:
        json.loads(raw, object_pairs_hook=pairs)
    except RecursionError:
        raise _too_deep() from None
    if duplicates:
        text = raw.decode("utf-8")
        key, offset = _second_key(text)
        message = f"the key {shorten(key)} occurs twice in one object"
        hint = "keep one of the two, or rename one"
        raise MalformedError("duplicate_key", message, hint, text.count("\n", 0, offset))


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
