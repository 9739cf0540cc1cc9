"""Bytes to JSON values with line numbers, and text to files that are whole or absent.

Every reader goes through `Source`: plain or gzip files and standard input, in bounded memory,
with an error for whatever is not UTF-8 JSON. JSON is decoded strictly: NaN, duplicate keys and
lone surrogates are errors.
"""

from __future__ import annotations

from argue_eval.formats.jsonl.source import (
    JSON,
    MAX_DOCUMENT_BYTES,
    MAX_LINE_BYTES,
    STORE,
    ForeignError,
    JsonPath,
    Source,
    decode_plain,
    json_path,
)
from argue_eval.formats.jsonl.writing import (
    atomic_writer,
    check_outputs,
    encode,
    encode_lines,
    is_same_file,
    visible,
    whole_or_absent,
)

__all__ = [
    "JSON",
    "MAX_DOCUMENT_BYTES",
    "MAX_LINE_BYTES",
    "STORE",
    "ForeignError",
    "JsonPath",
    "Source",
    "atomic_writer",
    "check_outputs",
    "decode_plain",
    "encode",
    "encode_lines",
    "is_same_file",
    "json_path",
    "visible",
    "whole_or_absent",
]
