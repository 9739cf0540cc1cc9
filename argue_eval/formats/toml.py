"""Reads TOML files."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from argue_eval.errors import Finding, InputError, MissingResourceError, shorten

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
        table: dict[str, Any] = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as exc:
        raise MissingResourceError(f"{path}: cannot be read: {exc.strerror}") from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as exc:
        found = _AT_LINE.search(str(exc))
        line = int(found.group(1)) if found else None
        message = f"not TOML: {shorten(str(exc), 120)[1:-1]}"
        raise InputError(Finding(code, message, hint, path, line)) from None
    return table
