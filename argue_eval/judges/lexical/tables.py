"""The tables of words, units and cues: JSON files beside this module."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def read(name: str) -> dict[str, Any]:
    """The tables of a file."""
    table: dict[str, Any] = json.loads(Path(__file__).with_name(f"{name}.json").read_bytes())
    return table


def words(rows: str | Iterable[str]) -> list[str]:
    """The words of a text or of several."""
    return [word for row in ([rows] if isinstance(rows, str) else rows) for word in row.split()]
