"""The command: exit codes, streams, options."""

from __future__ import annotations

from pathlib import Path

import pytest

from argue_eval.cli import app
from tests.validation.samples import run_of, sentences_of, write_requests, write_run

Capsys = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_run(Path("good.jsonl"), run_of("ragtime26"))
    write_requests(Path("requests.jsonl"), run_of("ragtime26"))
    warned = run_of("ragtime26")
    sentences_of(warned[0])[0]["text"] = "The <b>bridge</b>."
    for report in warned:
        report["metadata"]["run_id"] = "run-2"
    write_run(Path("warned.jsonl"), warned)
    wrong = run_of("ragtime26")
    wrong[0]["metadata"]["run_id"] = "much too long for a run id"
    write_run(Path("wrong.jsonl"), wrong)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("good.jsonl", 0),
        ("warned.jsonl", 0),
        ("warned.jsonl --strict", 1),
        ("good.jsonl wrong.jsonl", 1),
        ("good.jsonl --track ragtime27", 2),
        ("good.jsonl --format xml", 2),
        ("- --requests -", 2),
        ("none.jsonl", 3),
        ("good.jsonl --requests none.jsonl", 3),
        ("good.jsonl --rules none.toml", 3),
        ("good.jsonl --collection irds:none/such", 3),
        ("good.jsonl --rules good.jsonl", 1),
    ],
)
def test_exit_codes(command: str, code: int, capsys: Capsys) -> None:
    assert app.run(["validate", *command.split()]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert bool(out) == (code < 2 and "--rules" not in command)


def test_verdicts_come_last_and_go_to_stdout(capsys: Capsys) -> None:
    app.run(["validate", "good.jsonl", "warned.jsonl", "--requests", "requests.jsonl"])
    out, err = capsys.readouterr()
    assert out.splitlines()[-2:] == [
        "good.jsonl: ok, 2 reports, checked against ragtime26 (guessed), revision 2026-08-07",
        "warned.jsonl: ok, 2 reports, 1 warning, checked against ragtime26 (guessed), "
        "revision 2026-08-07",
    ]
    assert "not checked without --collection: unknown_document" in err
    assert "--requests" not in err


def test_a_track_is_explained_with_its_rules_sources_and_dates(capsys: Capsys) -> None:
    assert app.run(["explain", "track", "ragtime26"]) == 0
    out = capsys.readouterr().out
    assert "revision    2026-08-07" in out
    assert "a sentence has at most 3 citations" in out
    assert "those for nugget banks say 25" in out
    Path("mine.toml").write_text('extends = "rag26"\ntitle = "Mine"\n')
    assert app.run(["explain", "track", "mine.toml"]) == 0
    assert capsys.readouterr().out.startswith("mine: Mine\n")
    assert app.run(["explain", "track"]) == 2
    assert app.run(["explain", "track", "ragtime62"]) == 2
    assert "ragtime26" in capsys.readouterr().err
