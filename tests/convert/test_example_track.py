"""The example track in every format scores as its source."""

from __future__ import annotations

from pathlib import Path

import pytest

from argue_eval.evaluation.inputs import Job
from argue_eval.evaluation.judging import JudgeNames
from argue_eval.evaluation.pipeline import evaluate
from argue_eval.formats.converting import convert
from argue_eval.records import MeasureValue
from tests.example_reference import ROOT, RUNS

QRELS = "qrels/example.json"
NOBODY = JudgeNames("none", "none", "none")


def _values(run: str, qrels: str, *, is_judged: bool = True) -> list[MeasureValue]:
    job = Job(
        [run],
        qrels,
        topics="topics/example.jsonl",
        collections=[] if is_judged else ["collection/example.jsonl"],
        judgments=["qrels/example.judgments.jsonl"] if is_judged else [],
        judges=NOBODY if is_judged else JudgeNames(),
        measures=["argue", "auto_argue"],
    )
    (scores,) = evaluate(job)
    assert len(scores.table.rows) > 100
    return list(scores.table.rows)


@pytest.mark.parametrize("format_name", ["canonical", "rag", "neuclir"])
@pytest.mark.parametrize("run", RUNS)
def test_converted_run_scores_as_its_source(
    run: str, format_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    source, output = f"runs/{run}.jsonl", str(tmp_path / "run.jsonl")
    done = convert(source, format_name, output, is_lossy=True)
    assert set(done.counts()) <= {"scores", "team_id", "references"}  # no measure looks at these
    assert _values(output, QRELS) == _values(source, QRELS)


@pytest.mark.parametrize("format_name", ["canonical", "auto_argue"])
def test_converted_nuggets_score_as_their_source_under_the_same_judgments(
    format_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    output = str(tmp_path / "nuggets.jsonl")
    done = convert(QRELS, format_name, output, is_lossy=True)
    assert set(done.counts()) <= {"question"}  # judgments name nuggets by id
    assert _values("runs/careful.jsonl", output) == _values("runs/careful.jsonl", QRELS)


@pytest.mark.parametrize("format_name", ["canonical", "auto_argue", "neuclir"])
def test_converted_bank_scores_as_its_source_under_the_same_judge_unless_and_is_lost(
    format_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    bank, output = str(tmp_path / "bank.jsonl"), str(tmp_path / "nuggets.jsonl")
    convert(QRELS, "ragtime26", bank, is_lossy=True)
    done = convert(bank, format_name, output, is_lossy=True)
    assert (
        set(done.counts())
        == {
            "canonical": set(),
            "auto_argue": {"question"},
            "neuclir": {"aggregator"},
        }[format_name]
    )
    same = [
        _lexical(f"runs/{run}.jsonl", output) == _lexical(f"runs/{run}.jsonl", bank) for run in RUNS
    ]
    assert all(same) == (format_name != "neuclir")


def _lexical(run: str, qrels: str) -> list[MeasureValue]:
    return _values(run, qrels, is_judged=False)
