"""Notes and progress: on stderr, bounded, and on a terminal only."""

from __future__ import annotations

import sys

import pytest

from argue_eval.cli import console
from argue_eval.errors import Finding, Severity


def test_only_the_first_dozen_warnings_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    found = [Finding("odd", str(number), severity=Severity.WARNING) for number in range(15)]
    console.warn(found)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-2:] == ["warning [odd] 11", "… and 3 more warnings"]


def _told(is_terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    progress = console.Progress(after=-1.0, every=-1.0)
    progress("scoring runs", 10, 20)
    progress("scoring", 9, 9)
    progress.clear()


def test_progress_is_one_line_that_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _told(True, monkeypatch)
    out, err = capsys.readouterr()
    assert out == ""
    first, second, blank, end = err.split("\r")[1:]
    assert first == "scoring runs: 10 of 20"
    assert second == "scoring: 9 of 9".ljust(len(first))
    assert (blank.strip(), end) == ("", "")


def test_progress_is_silent_where_stderr_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _told(False, monkeypatch)
    assert capsys.readouterr() == ("", "")
