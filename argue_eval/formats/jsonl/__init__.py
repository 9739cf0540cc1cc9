"""Bytes to JSON values with line numbers, and text to files that are whole or absent.

Every reader goes through `Source`: plain or gzip files and standard input, in bounded memory,
with an error for whatever is not UTF-8 JSON. JSON is decoded strictly: NaN, duplicate keys and
lone surrogates are errors.
"""

from __future__ import annotations

from argue_eval.errors import shorten
from argue_eval.formats.jsonl.source import (
    MAX_DOCUMENT_BYTES,
    MAX_LINE_BYTES,
    ForeignError,
    Source,
)
from argue_eval.formats.jsonl.strict import count_decoded, decode_plain
from argue_eval.formats.jsonl.writing import (
    atomic_writer,
    check_outputs,
    encode,
    is_same_file,
    visible,
    whole_or_absent,
)

__all__ = [
    "MAX_DOCUMENT_BYTES",
    "MAX_LINE_BYTES",
    "ForeignError",
    "JsonPath",
    "Source",
    "atomic_writer",
    "check_outputs",
    "count_decoded",
    "decode_plain",
    "encode",
    "is_same_file",
    "json_path",
    "visible",
    "whole_or_absent",
]

JsonPath = tuple[str | int, ...]
_MAX_STEP = 60


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
