"""Reads TOML files."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from argue_eval.errors import Finding, InputError, MissingResourceError, shorten

MAX_CHARS = 1_000_000
MAX_DEPTH = 20

_AT_LINE = re.compile(r"\(at line (\d+)")


def read(path: str, code: str, hint: str) -> dict[str, Any]:
    """Reads the tables of a TOML file.

    Args:
        code: the code of the finding if it is not TOML.
        hint: what to do then.

    Raises:
        InputError: it is not TOML.
        MissingResourceError: it cannot be read.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        with Path(path).open(encoding="utf-8") as stream:
            text = stream.read(MAX_CHARS + 1)
        if len(text) > MAX_CHARS:
            raise ValueError(f"longer than {MAX_CHARS:,} characters")
        table: dict[str, Any] = tomllib.loads(text)
        values: list[Any] = [table]  # without recursion, since a key may have 20,000 parts
        for _ in range(MAX_DEPTH):
            if any(type(value) is int and value.bit_length() > 63 for value in values):
                raise ValueError("a number has more than 64 bits")
            inner = [each.values() if isinstance(each, dict) else each
                     for each in values if isinstance(each, (dict, list))]  # fmt: skip
            values = [value for each in inner for value in each]
        if values:
            raise ValueError(f"nested more than {MAX_DEPTH} deep")
    except OSError as exc:
        raise MissingResourceError(f"{path}: cannot be read: {exc.strerror}") from exc
    except (ValueError, RecursionError) as exc:
        found = _AT_LINE.search(str(exc))
        line = int(found.group(1)) if found else None
        message = f"not TOML: {shorten(str(exc), 120)[1:-1]}"
        raise InputError(Finding(code, message, hint, path, line)) from None
    return table
