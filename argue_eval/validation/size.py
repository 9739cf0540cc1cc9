"""Tells lines that would take too much memory from those that are only long."""

from __future__ import annotations

from argue_eval.errors import InputError
from argue_eval.formats.jsonl import Source

MAX_VALUES = 100_000
"""No report has so many texts, ids and numbers. In memory, each takes a hundred bytes and more."""

_SIGNS = (b",", b"{", b"[")
_TOKEN = rb'\\.|[",{\[]'


def has_too_many_values(raw: bytes) -> bool:
    """Returns whether a JSON text has more values than any report; costs little if it is short.

    >>> has_too_many_values(b"{}," * 100_000), has_too_many_values(b'"' + b"," * 500_000 + b'"')
    (True, False)
    """
    if len(raw) <= MAX_VALUES or sum(map(raw.count, _SIGNS)) <= MAX_VALUES:
        return False
    import re

    num_signs, is_text = 0, False
    for token in re.finditer(_TOKEN, raw):  # one by one: all together take more memory than JSON
        if token.group() == b'"':
            is_text = not is_text
        elif not is_text:
            num_signs += 1
            if num_signs > MAX_VALUES:
                return True
    return False


def too_many_values(source: Source, line: int) -> InputError:
    """Returns the error for a line with too many values."""
    message = f"the line has more than {MAX_VALUES:,} values, which no report has"
    hint = "check the step that wrote it: a report has some hundred sentences at most"
    return source.error("too_large", message, line=line, hint=hint)
