"""Real submissions to TREC RAGTIME 2026, as far as they are at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_eval.validation import Job, check_runs, validate

FOLDER = Path(__file__).parents[2].parent / "shared" / "data" / "ragtime26"
RUNS = ("T1_run_1.jsonl", "T1_run_2.jsonl")

pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason="needs the RAGTIME 2026 runs, which are not in the repository"
)


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Requests for the topics of the first run, with the limit of the track."""
    path = tmp_path_factory.mktemp("ragtime") / "requests.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for line in (FOLDER / RUNS[0]).read_text(encoding="utf-8").splitlines():
            topic_id = json.loads(line)["metadata"]["topic_id"]
            stream.write(json.dumps({"topic_id": topic_id, "title": "t", "limit": 5000}) + "\n")
    return str(path)


@pytest.mark.parametrize("name", RUNS)
def test_a_real_run_is_clean_under_the_strictest_reading(name: str, requests: str) -> None:
    run = str(FOLDER / name)
    assert validate(run, "ragtime26", topics=requests, is_strict=True) == []


def test_their_track_is_guessed(requests: str) -> None:
    paths = [str(FOLDER / name) for name in RUNS]
    checked = list(check_runs(paths, Job(topics=requests)))
    assert [(run.track.name, run.is_guessed, run.num_reports) for run in checked] == [
        ("ragtime26", True, 103)
    ] * 2


def test_a_limit_one_character_shorter_is_noticed(requests: str, tmp_path: Path) -> None:
    tight = tmp_path / "tight.jsonl"
    tight.write_text(Path(requests).read_text().replace("5000", "4999"))
    (found,) = validate(str(FOLDER / RUNS[1]), "ragtime26", topics=str(tight))
    assert found.code == "length"
    assert "has 5,000 characters, 1 more than the limit of 4,999" in found.message
