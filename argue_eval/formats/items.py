"""The items of a file: its lines or rows, the elements of its one list, or its one document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any

from argue_eval.errors import InputError
from argue_eval.formats.checking import Check
from argue_eval.formats.jsonl import ForeignError

Explain = Callable[[bytes, InputError], InputError]


def json_items(
    check: Check,
    lines: Iterable[tuple[int, bytes]] | None = None,
    *,
    is_split: bool = False,
    explain: Explain | None = None,
) -> Iterator[Any]:
    """Yields the JSON values of a source; `check` knows where the value at hand stands.

    The rows of a table of requests, nuggets or assessments, with a header, are objects of texts. A
    file whose first line is a complete JSON value is read line by line in bounded memory. A line
    that is malformed is noted, and the next one is read.

    Args:
        lines: numbered lines of the source, each a value; None for the whole source, whatever it
            has in it.
        is_split: read objects that stand on one line (and warn), rather than note an error.
        explain: may replace the error of a malformed text by a better one.
    """
    start: list[tuple[int, bytes]] = []
    if lines is None:
        is_json = check.source.is_json()
        if not is_json:
            from argue_eval.formats import tables

            if tables.has_header(check.source):
                yield from tables.items(check)
                return
        rest = check.source.lines()
        start.append(next(rest))
        raw = start[0][1]
        is_object = raw[:1] == b"{" and raw.rstrip()[-1:] == b"}"
        others = None
        if not is_json and tables.is_of_assessments(raw):
            others = tables.assessments(check, chain(start, rest))
        elif not is_object or raw.count(b"{") != raw.count(b"}"):
            others = _as_document(check, start, rest, explain)
        if others is not None:
            yield from others
            return
        lines = chain(start, rest)
    decode = check.source.decode
    for number, raw in lines:
        check.line = number
        try:
            value = decode(raw, number)
        except ForeignError:
            raise
        except InputError as wrong:
            if wrong.findings[0].code == "json_truncated" and [(number, raw)] == start:
                # A brace in a text closes the first line of a document.
                check.line = None
                others = _as_document(check, start, rest, explain)
                if others is not None:
                    yield from others
                    return
                check.line = number
            if is_split and wrong.findings[0].code == "run_together":
                yield from _split(check, number, raw)
            else:
                check.add(*(explain(raw, wrong) if explain else wrong).findings)
            continue
        yield value


def _as_document(
    check: Check,
    start: list[tuple[int, bytes]],
    rest: Iterator[tuple[int, bytes]],
    explain: Explain | None,
) -> Iterator[Any] | None:
    """The items of a file that is one JSON document; None if it is JSON lines.

    Args:
        start: the first line; the second is added if it is looked at.
    """
    number, raw = start[0]
    try:
        value = check.source.decode(raw, number)
    except ForeignError:
        raise
    except InputError as exc:
        start += islice(rest, 1 if exc.findings[0].code == "json_truncated" else 0)
        if len(start) == 1:
            return None
    else:
        start += islice(rest, 1 if type(value) is list else 0)
        is_list = type(value) is list and len(start) == 1
        return _elements(check, value, b"\n" * (number - 1) + raw) if is_list else None
    raw = b""
    try:
        raw = check.source.read()
        value = check.source.decode(raw)
    except ForeignError:
        raise
    except InputError as exc:
        with suppress(InputError):
            if type(check.source.decode(start[1][1])) is dict:
                return None
        check.add(*(explain(raw, exc) if explain else exc).findings)
        return iter(())
    if type(value) is list:
        return _elements(check, value, raw)
    check.document = raw
    return iter([value])


def _split(check: Check, number: int, raw: bytes) -> Iterator[Any]:
    text = raw.decode("utf-8").rstrip()
    decoder = json.JSONDecoder()
    at = 0
    parts: list[bytes] = []
    while at < len(text):
        start = at
        try:
            _, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = len(text)
        parts.append(text[start:at].encode())
        at += len(text[at:]) - len(text[at:].lstrip())
    message = f"{len(parts)} JSON objects run together on one line"
    check.warn("run_together", message, hint="put each object on a line of its own", once=True)
    for part in parts:
        try:
            value = check.source.decode(part, number)
        except InputError as exc:
            check.add(*exc.findings)
            return
        yield value


def _elements(check: Check, values: list[Any], raw: bytes) -> Iterator[Any]:
    check.document = raw
    if not values:
        check.error("empty_file", "the list is empty", hint="check the step that wrote it")
    for index, value in enumerate(values):
        check.base = (index,)
        yield value
    check.base = ()


def text_lines(check: Check) -> Iterator[str]:
    """Yields the lines of a text file without their ends; notes an error for other encodings."""
    for number, raw in check.source.lines():
        check.line = number
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            check.add(*check.source.encoding_error(raw, number).findings)
            continue
        if "\x00" in line:
            hint = "the file is damaged or not text: write it again"
            check.error("null_byte", "the line has a null byte", hint=hint)
            continue
        yield line.rstrip("\r\n")
