"""A bank and its history agree, at whatever moment the command that writes them is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.curation.banks import bank, nugget

FIRE, GRAIN, OWNER = "When did the mill burn down?", "What was ground?", "Who owned the mill?"

KILLER = """
import os, pathlib, signal, sys
wanted, is_before = int(sys.argv[1]), sys.argv[2] == "before"
rename, renamed = os.replace, []
def replace(*args, **more):
    renamed.append(args)
    if len(renamed) == wanted and is_before:
        os.kill(os.getpid(), signal.SIGKILL)
    rename(*args, **more)
    if len(renamed) == wanted:
        os.kill(os.getpid(), signal.SIGKILL)
os.replace = os.rename = pathlib.Path.replace = replace
from argue_eval.cli import app
sys.exit(app.run(sys.argv[3:]))
"""
"""Runs a command that is killed before or after it renames a file for the n-th time."""

MERGE = "curate merge a.json b.json c.json -o all.json"
VERSION = "curate version c.json --since a.json -o all.json"
EDIT = {
    "format": "argue-eval/nugget-edits/1",
    "topic_id": "t",
    "kind": "added",
    "replaces": [],
    "by": [nugget("x1", "Why was it never rebuilt?", "no loan")],
    "judge": "assessor:A",
    "time": "2026-01-01T10:00:00.000Z",
}


def killed(command: str, number: int, moment: str) -> int:
    """The exit status of a command that is killed at the n-th renaming."""
    words = [sys.executable, "-c", KILLER, str(number), moment, *command.split()]
    return subprocess.run(
        words, stderr=subprocess.PIPE, env=dict(os.environ), timeout=60
    ).returncode


def stated() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(Path("all.json").read_text())["topics"][0]["bank_version"]
    return value


def history() -> list[dict[str, Any]]:
    lines = Path("all.json.history.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(autouse=True)
def banks(argue_eval: Command) -> None:
    """Three banks, and an earlier all.json with its history."""
    bank("a.json", nugget("n1", FIRE, "1912"))
    bank("b.json", nugget("m1", GRAIN, "rye"))
    bank("c.json", nugget("k1", OWNER, "the miller"))
    assert argue_eval("curate merge a.json b.json -o all.json --note first").code == 0


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("command", [MERGE, VERSION])
def test_a_bank_and_its_history_agree_after_a_kill(
    argue_eval: Command, command: str, number: int, moment: str
) -> None:
    """Renamed are, in this order, the waiting history, the bank, and the history."""
    before, lines = stated(), history()
    assert killed(command, number, moment) == -signal.SIGKILL
    place = 2 * number + (moment == "after")
    is_written = place >= 5
    assert (stated() != before) is is_written
    ran = argue_eval("curate diff all.json.history.jsonl --json")
    assert ran.json["new"] == stated() == history()[-1]["new"]
    assert (history() != lines) is is_written
    assert not Path("all.json.history.jsonl.pending").exists()
    said = "added" if place in (5, 6) else "removed" if place in (3, 4) else ""
    assert ("was missing, since a command was stopped; it is added" in ran.err) is (said == "added")
    assert ("stopped before it wrote the bank" in ran.err) is (said == "removed")
    assert argue_eval("curate diff all.json.history.jsonl --json").err == ""


@pytest.mark.parametrize(
    "command",
    [
        "curate merge all.json c.json -o next.json",
        "curate version c.json --since all.json -o next.json",
        "curate version all.json --since all.json -o next.json",
        "curate collect edits.jsonl --bank all.json -o next.json",
        "curate merge a.json b.json -o all.json",
    ],
)
def test_the_next_command_mends_what_a_kill_left(argue_eval: Command, command: str) -> None:
    Path("edits.jsonl").write_text(json.dumps(EDIT) + "\n")
    assert killed(MERGE, 2, "after") == -signal.SIGKILL
    assert history()[-1]["new"] != stated()
    ran = argue_eval(command)
    assert ran.code == 0, ran.err
    assert "was missing, since a command was stopped; it is added" in ran.err
    assert history()[-1]["new"] == stated()


def test_a_bank_that_cannot_be_written_keeps_its_history(argue_eval: Command) -> None:
    lines = history()
    Path("all.json").unlink()
    Path("all.json").mkdir()
    assert argue_eval(MERGE).code == 3
    assert history() == lines
    assert not Path("all.json.history.jsonl.pending").exists()
