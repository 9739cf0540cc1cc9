"""What the tests of the tracks' files and protocols share: commands, and files that are refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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


def refused(args: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says that must fail with findings and leave nothing behind."""
    before = sorted(folder.iterdir())
    assert app.run([*args, "-o", str(folder / "out")]) == 1
    assert sorted(folder.iterdir()) == before
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return out + err
