"""``argue-eval score … --support-judge nli:FOLDER`` from start to end, on the example track."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from argue_eval.cli import app
from argue_eval.judges.nli import judge as nli
from tests import tiny_track
from tests.judges.asking import printed, replies, support

REPOSITORY = Path(__file__).parents[2]
INPUTS = [
    "qrels/example.json",
    "--requests",
    "topics/example.jsonl",
    "--collection",
    "collection/example.jsonl",
]


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def _run(capsys: pytest.CaptureFixture[str], *args: str) -> Ran:
    code = app.run(args)
    return Ran(code, *capsys.readouterr())


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_support_is_judged_by_the_model_once_and_kept(
    nli_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(REPOSITORY)
    command = ["score", "runs/careful.jsonl", "runs/miscited.jsonl", *INPUTS, "-q"]
    command += ["--support-judge", f"nli:{nli_folder}", "--store", str(tmp_path / "x.store")]
    command += ["-m", "citation_support", "-m", "sentence_support", "--allow-unjudged"]
    first = _run(capsys, *command, "-o", str(tmp_path / "scores"))
    assert first.code == 0
    judge = nli.create(str(nli_folder))
    assert f"|support:{judge.signature}|" in first.err

    judged = [
        each
        for run in ("careful", "miscited")
        for each in _lines(tmp_path / "scores" / f"{run}.judgments.jsonl")
        if each["kind"] == "support"
    ]
    assert len(judged) > 50
    assert {each["verdict"] for each in judged} == {"yes", "no"}
    documents = {each["doc_id"]: each for each in _lines(Path("collection/example.jsonl"))}
    questions = []
    for each in judged:
        found = documents[each["doc_id"]]
        questions.append(support(each["sentence"], found["text"], found["title"]))
        assert each["rationale"] in f"{found['title']}\n{found['text']}"
        assert (each["prob"] >= 0.5) == (each["verdict"] == "yes")
    for each, reply in zip(judged, replies(judge, questions), strict=True):
        assert (each["verdict"], each["prob"]) == (reply.verdict, reply.prob)

    again = _run(capsys, *command)
    assert again.out == first.out
    assert ", 0 judged and kept" in again.err


def test_claims_are_judged_by_the_model(
    nli_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    tiny_track.write(tmp_path)
    claims = [
        {"nugget_id": f"c{number}", "question": None, "importance": "vital",
         "answers": [{"answer": text, "doc_ids": []}]}
        for number, text in enumerate(["The mill is of 1784.", "It burned in 1902."])
    ]  # fmt: skip
    topics = [{"topic_id": topic_id, "nuggets": claims} for topic_id in ("t1", "t2", "t3")]
    Path("claims.json").write_text(
        json.dumps({"format": "argue-eval/nuggets/1", "topics": topics}), "utf-8"
    )
    ran = _run(
        capsys, "score", "alpha.jsonl", "claims.json", "--judge", "none", "--nugget-judge",
        f"nli:{nli_folder}", "-m", "nuggetizer", "-o", "out", "--store", "x.store",
    )  # fmt: skip
    assert ran.code == 0
    judged = _lines(Path("out/alpha.judgments.jsonl"))
    assert {each["kind"] for each in judged} == {"covers"}
    assert {each["judge"][:6] for each in judged} == {"nli@1/"}


@pytest.mark.parametrize(
    ("judge", "code", "told"),
    [
        ("nli", 2, "needs a model: nli:MODEL, a folder or a name on the Hugging Face hub"),
        ("nli:", 2, "needs a model"),
        ("nli:./nowhere", 3, "./nowhere: no such folder"),
        ("nli:{folder}@main", 2, "a folder has no revisions"),
        ("nli:{parent}", 3, "no model: the folder has no config.json"),
    ],
)
def test_a_model_that_cannot_be_used_is_told_before_anything_is_judged(
    nli_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    judge: str,
    code: int,
    told: str,
) -> None:
    monkeypatch.chdir(REPOSITORY)
    name = judge.format(folder=nli_folder, parent=nli_folder.parent)
    ran = _run(capsys, "score", "runs/sparse.jsonl", *INPUTS, "--support-judge", name)
    assert (ran.code, ran.out) == (code, "")
    assert told in ran.err
    assert len(ran.err.splitlines()) == 1


def test_without_the_packages_the_extra_is_named(
    nli_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setitem(sys.modules, "transformers", None)
    name = f"nli:{nli_folder}"
    ran = _run(capsys, "score", "runs/sparse.jsonl", *INPUTS, "--support-judge", name)
    assert (ran.code, ran.out) == (3, "")
    assert "pip install 'argue-eval[nli]'" in ran.err


def test_the_judges_module_loads_nothing_heavy() -> None:
    code = (
        "import sys, argue_eval.judges.nli.judge\n"
        "print([name for name in ('torch', 'transformers', 'spacy') if name in sys.modules])"
    )
    assert printed(code) == "[]\n"
