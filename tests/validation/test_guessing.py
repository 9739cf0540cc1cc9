"""The track of a run is guessed where it can't be another."""

from __future__ import annotations

from pathlib import Path

import pytest

from argue_eval.validation.runs import Job, check_runs
from tests.validation.samples import run_of, sentences_of, write_run


@pytest.mark.parametrize("name", ["ragtime26", "rag26", "rag25", "rag24", "neuclir24", "dragun25"])
def test_a_track_is_guessed_from_the_form_and_the_ids(name: str, tmp_path: Path) -> None:
    (run,) = check_runs([write_run(tmp_path / "run.jsonl", run_of(name))], Job())
    assert (run.track.name, run.is_guessed, run.findings) == (name, True, ())


def test_a_run_that_fits_no_one_track_is_checked_against_what_holds_everywhere(
    tmp_path: Path,
) -> None:
    run = run_of("ragtime26")
    run[0]["metadata"]["topic_id"] = "topic A"
    for sentence in sentences_of(run[0]):
        sentence["citations"] = ["page 3"]
    (checked,) = check_runs([write_run(tmp_path / "run.jsonl", run)], Job())
    assert checked.track.name == "generic"


def test_a_given_track_is_not_guessed(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run.jsonl", run_of("ragtime26"))
    (checked,) = check_runs([run], Job(track="ragtime25"))
    assert (checked.track.name, checked.is_guessed) == ("ragtime25", False)
