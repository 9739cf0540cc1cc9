"""Figures 3 and 4 of the ARGUE paper: one report of 16 sentences, five nuggets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval.cli.app import run
from argue_eval.evaluation.inputs import Job
from argue_eval.evaluation.judging import JudgeNames
from argue_eval.evaluation.pipeline import evaluate
from argue_eval.evaluation.results import RunScores
from argue_eval.records import ScoringOptions

FOLDER = Path(__file__).parent.parent / "data" / "worked_example"
OUTCOMES = [4, 2, 3, 4, 6, 2, 3, 6, 4, 3, 3, 3, 4, 6, 6, 4]
SCORES = {"sentence_precision": 1.0, "nugget_recall": 0.6, "argue_f1": 0.75}


def scores_of(**options: Any) -> RunScores:
    """The scores of the report; they are those of the paper, whatever the options."""
    job = Job(
        [str(FOLDER / "run.jsonl")],
        str(FOLDER / "nuggets.json"),
        str(FOLDER / "request.jsonl"),
        judgments=[str(FOLDER / "judgments.jsonl")],
        judges=JudgeNames("none", "none", "none"),
        measures=["argue"],
        options=ScoringOptions(**options),
    )
    (scores,) = evaluate(job)
    for name, value in SCORES.items():
        assert scores.table.value(name) == pytest.approx(value, abs=1e-15)
    return scores


@pytest.mark.parametrize("citations", ["all", "any"])
@pytest.mark.parametrize("reading", ["argue", "strict"])
def test_library_gives_the_outcomes_and_scores_of_the_paper(reading: str, citations: str) -> None:
    scores = scores_of(reading=reading, citations=citations)
    (evidence,) = scores.evidence
    assert [each.outcome for each in evidence.outcomes["argue"].sentences] == OUTCOMES
    for number in range(1, 9):
        assert scores.table.value(f"outcome_{number}") == OUTCOMES.count(number)
    assert scores.table.counts["num_unjudged"] == 0


@pytest.mark.parametrize("citations", ["macro", "micro"])
def test_one_citation_a_sentence_makes_counting_citations_the_same(citations: str) -> None:
    scores_of(citations=citations)


@pytest.mark.parametrize("reading", ["argue", "strict"])
def test_command_line_gives_the_outcomes_and_scores_of_the_paper(
    reading: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ["score", str(FOLDER / "run.jsonl"), str(FOLDER / "nuggets.json")]
    args += ["--requests", str(FOLDER / "request.jsonl")]
    args += ["--judgments", str(FOLDER / "judgments.jsonl"), "--judge", "none"]
    assert run([*args, "--reading", reading, "-m", "argue", "-o", str(tmp_path / "out")]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    printed = {name: value for name, topic_id, value in lines if topic_id == "all"}
    assert printed["num_unjudged"] == "0"
    assert {name: float(printed[name]) for name in SCORES} == SCORES
    (path,) = tmp_path.glob("out/*.outcomes.jsonl")
    written = [json.loads(line) for line in path.read_text().splitlines()]
    assert [each["outcome"] for each in written] == OUTCOMES
