"""Writes files in the formats of tracks, runs commands on them, and looks at what is printed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.cli.conftest import Command, Ran

Json = dict[str, Any]
Scores = dict[str, tuple[float | None, float, float]]
"""Value, lower and upper bound by measure."""


def lines(folder: Path, name: str, values: Sequence[Any]) -> str:
    """Writes JSON lines, or a line of text as it is; returns the path."""
    path = folder / name
    text = [each if isinstance(each, str) else json.dumps(each) for each in values]
    path.write_text("".join(f"{each}\n" for each in text), encoding="utf-8")
    return str(path)


def changed(value: Json, **changes: Any) -> Json:
    """The object with other values; `...` takes a key away."""
    return {key: each for key, each in {**value, **changes}.items() if each is not ...}


def scores(ran: Ran, topic_id: str = "all") -> dict[str, Scores]:
    """What was printed with ``--format json``, by run."""
    return {
        table["run_id"]: {
            row["measure"]: (row["value"], row["lower"], row["upper"])
            for row in table["scores"]
            if row["topic_id"] == topic_id and not row.get("is_count")
        }
        for table in json.loads(ran.out)
    }


class Break(NamedTuple):
    """A way to break a good file.

    Attributes:
        change: changes the good values, or returns others.
        code: of the first finding, with its line and a part of its path and message.
    """

    name: str
    change: Callable[[list[Any]], list[Any] | None]
    code: str
    line: int | None
    shown: str

    def write(self, folder: Path, good: Sequence[Any]) -> str:
        """Writes the broken file."""
        values = copy.deepcopy(list(good))
        return lines(folder, "broken.jsonl", self.change(values) or values)


def check_refused(argue_eval: Command, broken: Break, folder: Path, command: str) -> None:
    """The command ends with 1, says where and what, and leaves nothing behind."""
    before = sorted(folder.rglob("*"))
    ran = argue_eval(*command.split())
    assert (ran.code, ran.out) == (1, ""), ran.err
    place = "broken.jsonl" if broken.line is None else f"broken.jsonl:{broken.line}"
    assert f"{place}: error [{broken.code}]" in ran.err
    assert broken.shown in ran.err
    assert sorted(folder.rglob("*")) == before
