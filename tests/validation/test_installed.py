"""Runs that were read, and tracks that other packages install."""

from __future__ import annotations

from pathlib import Path

import pytest

import argue_eval as ae
from argue_eval.cli import app
from argue_eval.errors import MissingResourceError
from argue_eval.validation import tracks
from tests.validation.samples import codes, run_of, write_requests, write_run

TRACK = """
title = "Made up"
revision = 2027-01-02
source = "nobody"
[form]
sentences = ["passages"]
topic_id = ["theme"]
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package with two tracks, of which one extends the other."""
    site = tmp_path / "site"
    folder = site / "made_up"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise AssertionError('there is no need to import it')\n")
    (folder / "madeup27.toml").write_text(TRACK)
    other = 'extends = "madeup27"\nform.topics = "x"\nrules.new_topics = "error"\n'
    (folder / "strict.toml").write_text(other)
    metadata = site / "made_up-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: made-up\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[argue_eval.tracks]\n"
        "madeup27 = made_up\nmadeup28 = made_up:strict.toml\nlost = nowhere_at_all\n"
    )
    monkeypatch.syspath_prepend(site)
    return site


def test_an_installed_track_is_used_by_its_name(
    package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = {"text": "One.", "citations": ["d"]}
    report = {"metadata": {"run_id": "r", "theme": "t"}, "passages": [sentence]}
    run = write_run(tmp_path / "run.jsonl", [report])
    assert app.run(["validate", run, "--track", "madeup27"]) == 0
    assert app.run(["explain", "track", "madeup28"]) == 0
    assert "madeup28: Made up" in capsys.readouterr().out
    assert tracks.load("madeup28").layout.sentences == ("passages",)
    assert app.run(["validate", run]) == 0
    assert "madeup27 (guessed)" in capsys.readouterr().out
    assert app.run(["validate", run, "--track", "madeup26"]) == 2
    assert "Did you mean 'madeup28'?" in capsys.readouterr().err
    with pytest.raises(MissingResourceError, match="nowhere_at_all"):
        tracks.load("lost")


@pytest.mark.usefixtures("package")
def test_all_tracks_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["list", "tracks"]) == 0
    printed = capsys.readouterr().out
    assert "madeup27  Made up (rules of 2027-01-02)" in printed
    assert "lost  error: the track 'lost' is in 'nowhere_at_all', which is not inst" in printed


def test_a_run_that_was_read_is_checked_in_its_file(tmp_path: Path) -> None:
    reports = run_of("ragtime26")
    del reports[1]["metadata"]["run_desc"]
    path = write_run(tmp_path / "run.jsonl", reports)
    (run,) = ae.read_runs(path)
    topics = ae.read_topics(write_requests(tmp_path / "topics.jsonl", reports))
    (finding,) = ae.validate(run, track="ragtime26", topics=topics)
    assert (finding.code, finding.file, finding.line) == ("metadata_recommended", path, 2)
    found = ae.validate(run, "ragtime26", topics=topics[:1])
    assert codes(found) == ["new_topics", "metadata_recommended"]


def test_a_run_without_a_file_is_checked_as_it_would_be_written() -> None:
    sentence = ae.Sentence(text="One.", citations=(ae.Citation(doc_id="d"),))
    report = ae.Report(topic_id="2001", run_id="r", team_id="t", sentences=(sentence,))
    found = ae.validate(ae.Run(run_id="r", reports=(report,)), "ragtime26")
    assert [(each.code, each.file, each.line) for each in found] == [
        ("metadata_recommended", "r", 1),
        ("docid_pattern", "r", 1),
    ]
