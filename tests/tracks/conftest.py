"""What the tests of the tracks' files and protocols share: commands, and files that are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_eval.cli import app
from tests.cli.conftest import argue_eval, stdin

__all__ = ["argue_eval", "stdin"]

Values = dict[tuple[str, str, str], float | None]


def values(out: str) -> Values:
    """What ``--format json`` prints, by run, measure and topic."""
    return {
        (table["run_id"], row["measure"], row["topic_id"]): row["value"]
        for table in json.loads(out)
        for row in table["scores"]
    }


def bounds(out: str, run_id: str, topic_id: str) -> dict[str, tuple[float, float]]:
    """The bounds of a run's measures for a topic, as ``--format json`` prints them."""
    (table,) = [each for each in json.loads(out) if each["run_id"] == run_id]
    rows = [row for row in table["scores"] if row["topic_id"] == topic_id]
    return {row["measure"]: (row["lower"], row["upper"]) for row in rows}


def refused(args: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says that must fail with findings and leave nothing behind."""
    before = sorted(folder.iterdir())
    assert app.run([*args, "-o", str(folder / "out")]) == 1
    assert sorted(folder.iterdir()) == before
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return out + err
