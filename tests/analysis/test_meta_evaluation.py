"""The Python interface: files and what is in memory give the same."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import argue_eval as ae
from tests.analysis import making
from tests.example_reference import ROOT

pytestmark = pytest.mark.usefixtures("example")


def same(one: ae.MetaEvaluation, other: ae.MetaEvaluation) -> bool:
    return one.agreements == other.agreements and one.rankings == other.rankings


def test_judgments_and_runs_in_memory() -> None:
    paths = [f"{run}.jsonl" for run in making.RUNS]
    of_files = ae.meta_eval("judges.jsonl", Path("truth.jsonl"), runs=paths, num_resamples=50)
    judged, right = ae.read_judgments("judges.jsonl"), ae.read_judgments("truth.jsonl")
    found = ae.meta_eval(judged, right, runs=ae.read_runs(paths), num_resamples=50)
    assert same(found, of_files)
    assert found.agreements[0].ranking is not None
    together = ae.meta_eval([*judged, *right], runs=paths, num_resamples=50)
    assert same(together, of_files)
    assert same(ae.meta_eval(["judges.jsonl", *right], runs=paths, num_resamples=50), of_files)
    Path("runs").mkdir()
    for path in paths:
        Path(path).rename(f"runs/{path}")
    for runs in ("runs", "runs/*"):
        assert same(ae.meta_eval(judged, right, runs=runs, num_resamples=50), of_files)


def test_assessors_among_themselves() -> None:
    judged = ae.read_judgments("judges.jsonl")
    (panel,) = ae.meta_eval(
        judged, judges=["careful@1", "generous@2"], inter_assessor=True, num_resamples=0
    ).panels
    assert panel.num == 14
    assert all(math.isfinite(each.value or 0.0) for each in panel.figures)


def test_scores_in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    truth, judge = (
        ae.score(
            "runs/*.jsonl",
            "qrels/example.json",
            judgments="qrels/example.judgments.jsonl",
            judge="none",
            reading=reading,
            measures=["argue_f1"],
        )
        for reading in ("argue", "strict")
    )
    found = ae.meta_eval(scores=judge, truth_scores=truth, num_resamples=20)
    (ranking,) = found.rankings
    assert (ranking.num_systems, ranking.num_topics) == (4, 5)
    paths = []
    for name, scores in (("judge", judge), ("truth", truth)):
        rows = [
            {"run_id": row["run_id"], "topic_id": row["topic_id"], "measure": row["measure"],
             "value": row["value"] or 0.0}
            for row in scores.rows(per_topic=True)
        ]  # fmt: skip
        paths.append(making.write_lines(tmp_path / f"{name}.jsonl", rows))
    assert same(ae.meta_eval(scores=paths[0], truth_scores=[paths[1]], num_resamples=20), found)


def test_labels_and_a_lowest_grade() -> None:
    Path("a.qrels").write_text("t1 0 d1 2\nt1 0 d2 0\n")
    found = ae.meta_eval(labels="a.qrels", truth_labels=Path("a.qrels"), relevant_from=2).labels
    assert found is not None
    assert found.topics[0].figures["f1"] == 1.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"judgments": 3}, "judgments: expected a file or Judgment records, found int"),
        ({"judgments": "truth.jsonl", "runs": [3]}, "runs: expected a file or Run records"),
        ({"judgments": "judges.jsonl", "num_resamples": -1}, "--resamples: expected a number"),
        ({}, "expected JUDGMENTS"),
    ],
)
def test_wrong_arguments_are_explained(given: dict[str, object], message: str) -> None:
    with pytest.raises(ae.UsageError, match=message):
        ae.meta_eval(**given)  # type: ignore[arg-type]


def test_findings_name_what_is_in_memory() -> None:
    judged = [each for each in ae.read_judgments("judges.jsonl") if each.judge == "careful@1"]
    wrong = [each._replace(topic_id="t9") for each in judged]
    with pytest.raises(ae.InputError, match=r"judgments: error \[no_overlap\].*topics differ"):
        ae.meta_eval(wrong, "truth.jsonl")
