"""What we write, read by the tools that people use: equal values. See differences.md."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argue_eval.evaluation.inputs import Job
from argue_eval.evaluation.judging import NOBODY
from argue_eval.evaluation.pipeline import evaluate
from argue_eval.evaluation.results import RunScores
from argue_eval.records import ScoringOptions
from argue_eval.report.tables import ir_measures as ir_measures_layout
from argue_eval.report.tables import trec_eval
from tests.example_reference import ROOT, RUNS


def scores_of(name: str) -> RunScores:
    job = Job(
        [str(ROOT / f"runs/{name}.jsonl")],
        str(ROOT / "qrels/example.json"),
        str(ROOT / "topics/example.jsonl"),
        judgments=[str(ROOT / "qrels/example.judgments.jsonl")],
        judges=NOBODY,
        measures=["argue", "auto_argue", "retrieval"],
        options=ScoringOptions(),
    )
    (scores,) = evaluate(job)
    return scores


def expected_of(scores: RunScores) -> dict[tuple[str, str], float]:
    """Every value of a run with four decimals, as the layout has them."""
    return {
        (row.topic_id, row.measure): round(row.value or 0.0, 4)
        for row in scores.table.rows
        if row.value is not None or row.is_undefined
    }


@pytest.fixture(params=RUNS)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, RunScores]:
    scores = scores_of(request.param)
    path = tmp_path / f"{request.param}.txt"
    path.write_text("".join(trec_eval.render(scores.table, per_topic=True)))
    return path, scores


@pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:invalid escape sequence:SyntaxWarning")
def test_trectools_reads_the_values_that_were_written(written: tuple[Path, RunScores]) -> None:
    path, scores = written
    trectools = pytest.importorskip("trectools", reason="trectools is not installed")
    result = trectools.TrecRes(str(path))
    for (topic_id, measure), value in expected_of(scores).items():
        assert result.get_result(measure, topic_id) == pytest.approx(value, abs=5.1e-5), measure
    names = {measure for _, measure in expected_of(scores)}
    counts = {"num_q", "num_q_run", "num_unjudged", "num_undefined"}
    assert set(result.data["metric"]) == names | counts


@pytest.fixture
def leaderboard(autojudge_base: Callable[[str], Any]) -> Any:
    """AutoJudge's leaderboard class."""
    return autojudge_base("leaderboard.leaderboard").Leaderboard


def test_autojudge_reads_the_values_that_were_written(
    written: tuple[Path, RunScores], leaderboard: Any
) -> None:
    path, scores = written
    board = leaderboard.load(path, "trec_eval")
    found = {
        (entry.topic_id, measure): value
        for entry in board.entries
        for measure, value in entry.values.items()
    }
    assert found["all", "runid"] == scores.table.run_id
    for key, value in expected_of(scores).items():
        assert float(found[key]) == pytest.approx(value, abs=5.1e-5), key


@pytest.mark.parametrize("per_topic", [False, True])
def test_ir_measures_layout_has_the_columns_of_its_command_line(per_topic: bool) -> None:
    scores = scores_of("careful")
    lines = "".join(ir_measures_layout.render(scores.table, per_topic)).splitlines()
    found = {}
    for line in lines:
        *topic, measure, value = line.split("\t")
        found[topic[0] if per_topic else "all", measure] = float(value)
    expected = expected_of(scores)
    if not per_topic:
        expected = {key: value for key, value in expected.items() if key[0] == "all"}
    assert found == pytest.approx(expected, abs=5.1e-5)
