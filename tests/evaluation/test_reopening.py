"""Scores that were written to a folder and are opened again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import argue_eval as ae
from tests.cli.conftest import Command
from tests.documented import ROOT

RUNS = sorted(map(str, (ROOT / "runs").glob("*.jsonl")))
NUGGETS = str(ROOT / "qrels" / "example.json")
COLLECTION = str(ROOT / "collection" / "example.jsonl")
WAYS = [
    "",
    "--reading strict --citations micro --weights vital=3,okay=2",
    "--attestation any-document --only-answered -m argue",
    "--judged-only --judge none",
    "--protocol support",
    f"--requests {ROOT}/topics/example.jsonl -m nugget_recall -m P@3 --citation-order confidence",
]


@pytest.fixture
def folder(tmp_path: Path, argue_eval: Command) -> Path:
    """The example, judged by words alone."""
    return written(tmp_path / "scores", argue_eval)


def written(folder: Path, argue_eval: Command, words: str = "") -> Path:
    runs = " ".join(RUNS)
    ran = argue_eval(f"score {runs} {NUGGETS} --collection {COLLECTION} {words} -o {folder}")
    assert ran.code in (0, 4), ran.err
    return folder


@pytest.mark.parametrize("words", WAYS)
def test_scores_are_as_they_were(tmp_path: Path, argue_eval: Command, words: str) -> None:
    folder = written(tmp_path / "scores", argue_eval, words)
    opened = ae.read_scores(folder)
    assert len(opened) == 4
    for run_id, scores in opened.items():
        lines = (folder / f"{run_id}.scores.jsonl").read_text("utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        values = [(row["topic_id"], row["measure"], row["value"], row["upper"]) for row in rows]
        again = [(row.topic_id, row.measure, row.value, row.upper) for row in scores.table.rows]
        assert again == values
        meta = json.loads((folder / f"{run_id}.meta.json").read_text("utf-8"))
        assert scores.signature == meta["signature"]


def test_opened_scores_are_compared_and_reported_as_the_folder_is(folder: Path) -> None:
    opened = ae.read_scores(folder)
    boards = [ae.leaderboard(each, ["nugget_recall"]) for each in (opened, folder)]
    assert boards[0].signatures == boards[1].signatures
    entries = [each.entries["careful"]["nugget_recall"] for each in boards]
    assert entries[0].interval == entries[1].interval
    assert ae.report(opened, folder / "opened.html", title="t") == []
    assert ae.report(folder, folder / "folder.html", title="t") == []
    assert (folder / "opened.html").read_text("utf-8").count("careful") > 10


def test_no_run_takes_the_place_of_another_one_with_its_id(
    tmp_path: Path, argue_eval: Command
) -> None:
    options = f"{NUGGETS} --judge none -o {tmp_path / 'scores'} --allow-unjudged"
    ran = argue_eval(f"score {RUNS[0]} {RUNS[0]} {options}")
    assert ran.code == 1
    assert f"2 runs have the id 'careful': {RUNS[0]}, {RUNS[0]}" in ran.err
    other = tmp_path / "other.jsonl"
    other.write_text(Path(RUNS[0]).read_text("utf-8").replace('"harbour"', '"signpost"'))
    assert argue_eval(f"score {RUNS[0]} {options}").code == 0
    ran = argue_eval(f"score {other} {options}")
    assert ran.code == 1
    assert "careful.meta.json: error [run_id_taken] it is of the run 'careful' of " in ran.err
    assert argue_eval(f"score {other} {options} --clean").code == 0
    assert list(ae.read_scores(tmp_path / "scores")) == ["careful"]


def test_unknown_run_names_those_that_are_there(folder: Path) -> None:
    with pytest.raises(KeyError, match="careful, hallucinating, miscited, sparse"):
        ae.read_scores(folder)["carful"]


def test_runs_that_were_scored_in_different_ways_are_refused(
    folder: Path, argue_eval: Command
) -> None:
    argue_eval(f"score {RUNS[0]} {NUGGETS} --judge none -o {folder}")
    with pytest.raises(ae.InputError, match="different_signatures"):
        ae.read_scores(folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("careful.meta.json", "{}", "not as score -o wrote it"),
        ("careful.meta.json", '{"options": {"weights": 3}}', "not as score -o wrote it"),
        ("careful.meta.json", "{", "json_truncated"),
        ("scored.nuggets.json", None, "it has no scored.nuggets.json"),
        ("careful.meta.json", None, "no such file"),
    ],
)
def test_damaged_folder_is_an_error(
    folder: Path, name: str, content: str | None, message: str
) -> None:
    path = folder / name
    path.unlink()
    if content is not None:
        path.write_text(content)
    with pytest.raises((ae.InputError, ae.MissingResourceError), match=message):
        ae.read_scores(folder)
