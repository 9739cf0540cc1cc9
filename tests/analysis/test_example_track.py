"""The built-in judge against the assessor of the example track, as docs/meta-eval.md shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argue_eval.cli import app
from tests.cli.conftest import Command
from tests.documented import ROOT

RUNS = [f"runs/{name}.jsonl" for name in ("careful", "hallucinating", "miscited", "sparse")]
TRACK = [*RUNS, "qrels/example.json", "--requests", "topics/example.jsonl",
         "--collection", "collection/example.jsonl"]  # fmt: skip
TRUTH = "qrels/example.judgments.jsonl"


@pytest.fixture(autouse=True)
def _in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of `score -o`: by the judge alone, and by the assessor alone."""
    folder = tmp_path_factory.mktemp("scored")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        lexical = ["score", *TRACK, "-m", "argue", "-o", str(folder / "lexical"),
                   "--allow-unjudged"]  # fmt: skip
        assert app.run(lexical) == 0
        assessor = ["score", *TRACK, "-m", "argue", "--judgments", TRUTH, "--judge", "none",
                    "-o", str(folder / "assessor")]  # fmt: skip
        assert app.run(assessor) == 0
    return folder


def test_judge_is_compared_with_the_assessor(scored: Path, printed: Callable[[str], Any]) -> None:
    judgments = [str(path) for path in (scored / "lexical").glob("*.judgments.jsonl")]
    assert len(judgments) == len(RUNS)
    runs = " ".join(f"--run {run}" for run in RUNS)
    agreements = printed(f"{' '.join(judgments)} --truth {TRUTH} {runs}")["agreements"]
    found = {each["kind"]: each for each in agreements}
    assert set(found) == {
        "answers", "support", "negative", "requires_citation", "first_instance", "agrees"
    }  # fmt: skip
    for each in found.values():
        assert each["judge"].startswith("lexical@")
        assert each["counts"]["matched"] > 0
        assert len(each["systems"]) >= 2
    support = found["support"]
    in_truth = {
        (line["topic_id"], line["sentence"], line["doc_id"])
        for line in map(json.loads, Path(TRUTH).read_text("utf-8").splitlines())
        if line["kind"] == "support"
    }
    counts = support["counts"]
    assert counts["matched"] + counts["only_truth"] == len(in_truth)
    assert support["figures"]["roc_auc"]["value"] > 0.9
    assert sum(cell["num"] for cell in support["confusion"]) == counts["matched"]


def test_scores_of_both_rank_the_runs(scored: Path, printed: Callable[[str], Any]) -> None:
    folders = f"--scores {scored / 'lexical'} --truth-scores {scored / 'assessor'}"
    (ranking,) = printed(f"{folders} -m argue_f1")["rankings"]
    assert (ranking["num_systems"], ranking["num_topics"]) == (4, 5)
    assert ranking["figures"]["kendall_tau"]["value"] == 1.0
    assert sum(ranking["pairs"].values()) == 6


def test_a_store_is_compared_as_the_files_are_and_failures_are_reported(
    scored: Path, tmp_path: Path, argue_eval: Command, printed: Callable[[str], Any]
) -> None:
    store = str(tmp_path / "judgments.store")
    ran = argue_eval("score", *TRACK, "-m", "argue", "--store", store, "--allow-unjudged")
    assert ran.code == 0
    files = " ".join(map(str, (scored / "lexical").glob("*.judgments.jsonl")))
    by_store, by_files = (
        printed(f"{judgments} --truth {TRUTH} --kind support") for judgments in (store, files)
    )
    assert by_store["agreements"] == by_files["agreements"]
    (note,) = [note for note in by_store["notes"] if "failed on" in note]
    assert "support questions: " in note
