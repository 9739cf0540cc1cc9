"""Writes files in the formats of tracks, runs commands on them, and looks at what is printed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.conftest import Command

Json = dict[str, Any]
Scores = dict[str, tuple[float | None, float, float]]
"""Value, lower and upper bound by measure."""


def lines(folder: Path, name: str, values: Iterable[Any]) -> str:
    """Writes JSON lines, or a line of text as it is; returns the path."""
    path = folder / name
    text = [each if isinstance(each, str) else json.dumps(each) for each in values]
    path.write_text("".join(f"{each}\n" for each in text), encoding="utf-8")
    return str(path)


def changed(value: Json, **changes: Any) -> Json:
    """The object with other values; `...` takes a key away."""
    return {key: each for key, each in {**value, **changes}.items() if each is not ...}


def scored(argue_eval: Command, protocol: str, *args: str, code: int = 0) -> str:
    """What a score under a protocol prints of all topics, as JSON."""
    ran = argue_eval("score", *args, "--protocol", protocol, "-q", "--format", "json")
    assert ran.code == code, ran.err
    return ran.out


def scores(out: str, topic_id: str = "all") -> dict[str, Scores]:
    """What ``--format json`` printed, by run."""
    return {
        table["run_id"]: {
            row["measure"]: (row["value"], row["lower"], row["upper"])
            for row in table["scores"]
            if row["topic_id"] == topic_id and not row.get("is_count")
        }
        for table in json.loads(out)
    }


def values(out: str) -> dict[tuple[str, str, str], float | None]:
    """What ``--format json`` printed, by run, measure and topic."""
    return {
        (table["run_id"], row["measure"], row["topic_id"]): row["value"]
        for table in json.loads(out)
        for row in table["scores"]
    }


def bounds(out: str, run_id: str, topic_id: str) -> dict[str, tuple[float, float]]:
    """The bounds of a run's measures for a topic."""
    (rows,) = [each["scores"] for each in json.loads(out) if each["run_id"] == run_id]
    return {row["measure"]: (row["lower"], row["upper"])
            for row in rows if row["topic_id"] == topic_id}  # fmt: skip


def check_bounds(out: str, topic_id: str, ways: Sequence[str], open_: Mapping[str, str]) -> None:
    """The bounds of a run in which something is open are reached by runs that are complete.

    Args:
        ways: the complete runs, a sign for each verdict; the run has the name of its signs.
        open_: the signs of the other runs by name, ``?`` where nobody judged.
    """
    complete = {each: bounds(out, each, topic_id) for each in ways}
    for run_id, signs in open_.items():
        for measure, (lower, upper) in bounds(out, run_id, topic_id).items():
            reached = [
                found[measure][0]
                for each, found in complete.items()
                if all(want in ("?", got) for want, got in zip(signs, each, strict=True))
            ]
            assert (lower, upper) == pytest.approx((min(reached), max(reached))), (run_id, measure)


class Break(NamedTuple):
    """A way to break a good file.

    Attributes:
        change: changes the good values, or returns others.
        code: of the first finding, with its line and a part of its path and message.
    """

    name: str
    change: Callable[[list[Any]], list[Any] | None]
    code: str
    line: int
    shown: str

    def write(self, folder: Path, good: Sequence[Any]) -> str:
        """Writes the broken file."""
        values = copy.deepcopy(list(good))
        return lines(folder, "broken.jsonl", self.change(values) or values)

    def check(self, argue_eval: Command, folder: Path, command: str) -> None:
        """The command says where the file is broken, and what is wrong."""
        place = f"broken.jsonl:{self.line}: error [{self.code}]"
        check_refused(argue_eval, folder, command.split(), place, self.shown)


def at(*path: str | int, **changes: Any) -> Callable[[list[Any]], None]:
    """Changes the object at a path of the values; `...` takes a key away."""

    def change(values: Any) -> None:
        for step in path:
            values = values[step]
        for key, value in changes.items():
            values[key] = value
            if value is ...:
                del values[key]

    return change


def check_refused(argue_eval: Command, folder: Path, command: Sequence[str], *shown: str) -> None:
    """The command ends with 1, says why, and leaves nothing behind."""
    before = sorted(folder.rglob("*"))
    ran = argue_eval(*command, "-o", f"{folder}/out")
    assert ran.code == 1, ran.err
    assert ran.out == "" or command[0] == "ingest"
    for each in shown:
        assert each in ran.out + ran.err
    assert sorted(folder.rglob("*")) == before
