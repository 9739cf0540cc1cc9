"""One report in the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_eval.cli import app
from tests.cli.conftest import Command
from tests.tiny_track import Files

JUDGED = "--judgments assessors.judgments.jsonl --judge none"


def test_a_report_shows_its_outcomes_citations_and_nuggets(
    argue_eval: Command, files: Files
) -> None:
    ran = argue_eval(f"show alpha.jsonl nuggets.json {JUDGED} --topic t1")
    assert ran.code == 0
    outcomes = argue_eval(f"score alpha.jsonl nuggets.json {JUDGED} -m argue -o out")
    assert outcomes.code in (0, 4)
    lines = Path("out/alpha.outcomes.jsonl").read_text("utf-8").splitlines()
    for record in (each for each in map(json.loads, lines) if each["topic_id"] == "t1"):
        shape = {"reward": "●", "ignore": "○", "penalise": "▲"}[record["effect"]]
        start = f"{record['sentence_index'] + 1:>3} {shape}{record['outcome']} "
        (shown,) = [line for line in ran.out.splitlines() if line.startswith(start)]
        assert record["text"][:40] in shown
    assert "● When was the mill built? (vital): answered in sentence" in ran.out


def test_a_folder_of_scores_shows_the_same(argue_eval: Command, files: Files) -> None:
    assert argue_eval(f"score alpha.jsonl nuggets.json {JUDGED} -m argue -o out").code in (0, 4)
    kept = argue_eval("show out alpha --topic t1")
    assert kept.out == argue_eval(f"show alpha.jsonl nuggets.json {JUDGED} --topic t1").out


def test_a_missing_report_misses_all_nuggets(argue_eval: Command, files: Files) -> None:
    ran = argue_eval(f"show beta.jsonl nuggets.json {JUDGED} --topic t3")
    assert "The run has no report for the topic." in ran.out
    assert "○ What came back?: missed" in ran.out


def test_nuggets_are_left_out_where_the_protocol_asks_about_none(
    argue_eval: Command, files: Files
) -> None:
    ran = argue_eval("show alpha.jsonl nuggets.json --judge none --topic t1 --protocol support")
    assert ran.code == 0
    assert "Nuggets" not in ran.out


def test_what_controls_a_terminal_is_escaped(argue_eval: Command, files: Files) -> None:
    text = "\x1b[2J[bold red]x[/] \u202eevil\x07"
    report = {
        "metadata": {"team_id": "t", "run_id": "r", "topic_id": "t1"},
        "responses": [{"text": text, "citations": ["d1"]}],
    }
    Path("r.jsonl").write_text(json.dumps(report), "utf-8")
    ran = argue_eval(f"show r.jsonl nuggets.json {JUDGED}")  # which refuses any escape sequence
    assert "[bold red]x[/]" in ran.out
    assert "\\u202e" in ran.out


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("show alpha.jsonl nuggets.json --topic t9", 2, "t9"),
        ("show out nobody", 2, "nobody"),
        ("show nobody out", 2, "Choices: alpha"),
        ("show out", 2, "name one of the runs in out: alpha"),
        ("show alpha.jsonl beta.jsonl nuggets.json", 2, "one run"),
        ("show nowhere.jsonl nuggets.json", 3, "nowhere.jsonl"),
    ],
)
def test_mistakes_are_explained(
    argue_eval: Command, files: Files, command: str, code: int, said: str
) -> None:
    assert argue_eval(f"score alpha.jsonl nuggets.json {JUDGED} -m argue -o out").code in (0, 4)
    ran = argue_eval(f"{command} --judge none" if "nuggets" in command else command)
    assert ran.code == code
    assert said in ran.err


def test_colours_are_for_terminals(
    files: Files, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert app.run(f"show alpha.jsonl nuggets.json {JUDGED} --topic t1".split()) == 0
    assert "\x1b[1;32m●3" in capsys.readouterr().out
