"""Figures 3 and 4 of the ARGUE paper: one report of 16 sentences, five nuggets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_eval.cli.app import run

FOLDER = Path(__file__).parent.parent / "data" / "worked_example"
OUTCOMES = [4, 2, 3, 4, 6, 2, 3, 6, 4, 3, 3, 3, 4, 6, 6, 4]
SCORES = {"sentence_precision": 1.0, "nugget_recall": 0.6, "argue_f1": 0.75}


@pytest.mark.parametrize("citations", ["all", "any", "macro", "micro"])
@pytest.mark.parametrize("reading", ["argue", "strict"])
def test_the_outcomes_and_scores_are_those_of_the_paper(
    reading: str, citations: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ["score", str(FOLDER / "run.jsonl"), str(FOLDER / "nuggets.json")]
    args += ["--requests", str(FOLDER / "request.jsonl")]
    args += ["--judgments", str(FOLDER / "judgments.jsonl"), "--judge", "none"]
    args += ["--reading", reading, "--citations", citations, "-m", "argue"]
    assert run([*args, "-o", str(tmp_path / "out")]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    printed = {name: value for name, topic_id, value in lines if topic_id == "all"}
    assert printed["num_unjudged"] == "0"
    assert {name: float(printed[name]) for name in SCORES} == SCORES
    (path,) = tmp_path.glob("out/*.outcomes.jsonl")
    written = [json.loads(line) for line in path.read_text().splitlines()]
    assert [each["outcome"] for each in written] == OUTCOMES
    for number in range(1, 9):
        assert float(printed[f"outcome_{number}"]) == OUTCOMES.count(number)
