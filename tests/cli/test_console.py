"""Notes and progress: on stderr, bounded, and on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from argue_eval.cli import console
from argue_eval.cli.app import run
from argue_eval.errors import Finding, Severity
from tests.tiny_track import write_lines


@pytest.mark.parametrize("number", [3, 22, 23, 5_000])
def test_a_screenful_of_warnings_is_shown(capsys: pytest.CaptureFixture[str], number: int) -> None:
    found = [Finding("odd", str(each), severity=Severity.WARNING) for each in range(number)]
    found.append(Finding("rare", "last", severity=Severity.WARNING))
    console.warn(found)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert "warning [rare] last" in lines
    if number < 22:
        assert lines == [f"warning [odd] {each}" for each in range(number)] + lines[-1:]
    else:
        assert len(lines) <= 24
        hidden = number - len(lines) + 2
        assert lines[-1] == f"… and {hidden:,} more: {hidden:,} odd (--all lists them)"


def test_what_explains_others_is_shown_first(capsys: pytest.CaptureFixture[str]) -> None:
    found = [Finding("unknown_document", f"d{each}") for each in range(50)]
    console.warn([*found, Finding("other_collection", "none of them")])
    assert capsys.readouterr().err.startswith("error [other_collection] none of them\n")


def _long_run(folder: Path) -> list[str]:
    reports = (
        {
            "metadata": {"topic_id": str(each), "run_id": "r", "team_id": "t"},
            "responses": [{"text": each, "citations": []}],
        }
        for each in range(200)
    )
    return [write_lines(folder / "run.jsonl", reports)]


def _long_bank(folder: Path) -> list[str]:
    item = {"question_text": "Why?", "gold_answers": ["unknown"], "importance": "high"}
    banks = ({"query_id": str(each), "items": [item]} for each in range(200))
    return [write_lines(folder / "bank.jsonl", banks)]


def _long_claims(folder: Path) -> list[str]:
    banks = ({"qid": str(each), "nuggets": [{"text": ""}]} for each in range(200))
    return [write_lines(folder / "claims.jsonl", banks)]


def _long_judgments(folder: Path) -> list[str]:
    line = {"topic_id": "1", "kind": "relevant", "verdict": "maybe", "judge": "j", "doc_id": "d"}
    return [write_lines(folder / "judgments.jsonl", [line] * 200)]


def _texts(folder: Path) -> list[str]:
    paths = [folder / f"{each}.md" for each in range(200)]
    for path in paths:
        path.write_text("It fell.\n", encoding="utf-8")
    return [*map(str, paths), "-o", str(folder / "out.jsonl")]


@pytest.mark.parametrize(
    ("command", "make"),
    [
        ("validate", _long_run),
        ("ingest qrels", _long_bank),
        ("score", lambda folder: [*_long_run(folder), *_long_claims(folder)]),
        ("judge", lambda folder: [*_long_run(folder), *_long_claims(folder)]),
        ("convert --to rag", _long_run),
        ("segment", _texts),
        ("curate dedupe -o out.json", _long_claims),
        ("store import new.store", _long_judgments),
        ("meta-eval --truth judgments.jsonl", _long_judgments),
    ],
)
def test_no_list_of_findings_exceeds_a_screen_unless_all_are_asked_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    make: Callable[[Path], list[str]],
) -> None:
    monkeypatch.chdir(tmp_path)
    args = [*command.split(), *make(tmp_path)]
    run(args)
    brief = "".join(capsys.readouterr())
    run([*args, "--all"])
    whole = "".join(capsys.readouterr())
    assert len(brief.splitlines()) <= 45  # with a summary
    assert "(--all" in brief
    assert len(whole.splitlines()) >= 200
    assert "--all" not in whole


def test_progress_is_one_line_that_leaves_nothing_behind(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = console.Progress(after=-1.0, every=-1.0)
    progress("scoring runs", 10, 20)
    progress("scoring", 9, 9)
    progress.clear()
    out, err = capsys.readouterr()
    assert out == ""
    first, second, blank, end = err.split("\r")[1:]
    assert first == "scoring runs: 10 of 20"
    assert second == "scoring: 9 of 9".ljust(len(first))
    assert (blank.strip(), end) == ("", "")


def test_progress_is_silent_where_stderr_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for is_terminal in (True, False):
        monkeypatch.setattr(sys.stderr, "isatty", lambda is_one=is_terminal: is_one)
        with console.following() as (_, progress):
            assert (progress is not None) is is_terminal
    assert capsys.readouterr() == ("", "")
