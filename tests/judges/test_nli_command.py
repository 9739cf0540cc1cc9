"""``argue-eval score … --support-judge nli:FOLDER`` from start to end, on the example track."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from argue_eval.judges.nli import judge as nli
from tests import tiny_track
from tests.cli.conftest import Command
from tests.judges.asking import printed, replies, support
from tests.tiny_models import change, named

INPUTS = [
    "qrels/example.json",
    *("--requests", "topics/example.jsonl"),
    *("--collection", "collection/example.jsonl"),
]


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example track in the working directory."""
    monkeypatch.chdir(Path(__file__).parents[2])


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_support_is_judged_by_the_model_once_and_kept(
    nli_folder: Path, tmp_path: Path, example: None, argue_eval: Command
) -> None:
    command = ["score", "runs/careful.jsonl", "runs/miscited.jsonl", *INPUTS, "-q"]
    command += ["--support-judge", f"nli:{nli_folder}", "--store", str(tmp_path / "x.store")]
    command += ["-m", "citation_support", "-m", "sentence_support", "--allow-unjudged"]
    first = argue_eval(*command, "-o", str(tmp_path / "scores"))
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

    again = argue_eval(*command)
    assert again.out == first.out
    assert ", 0 judged and kept" in again.err


def test_claims_are_judged_by_the_model(
    nli_folder: Path, files: tiny_track.Files, argue_eval: Command
) -> None:
    claims = [
        {"nugget_id": f"c{number}", "question": None, "importance": "vital",
         "answers": [{"answer": text, "doc_ids": []}]}
        for number, text in enumerate(["The mill is of 1784.", "It burned in 1902."])
    ]  # fmt: skip
    topics = [{"topic_id": topic_id, "nuggets": claims} for topic_id in ("t1", "t2", "t3")]
    Path("claims.json").write_text(
        json.dumps({"format": "argue-eval/nuggets/1", "topics": topics}), "utf-8"
    )
    ran = argue_eval(
        "score alpha.jsonl claims.json --judge none -m nuggetizer -o out --store x.store "
        f"--nugget-judge nli:{nli_folder}"
    )
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
    ],
)
def test_a_model_that_cannot_be_used_is_told_before_anything_is_judged(
    example: None, argue_eval: Command, judge: str, code: int, told: str
) -> None:
    ran = argue_eval("score", "runs/sparse.jsonl", *INPUTS, "--support-judge", judge)
    assert (ran.code, ran.out) == (code, "")
    assert told in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.fixture
def nameless(nli_folder: Path, tmp_path: Path) -> Path:
    """A copy of the model whose labels say nothing."""
    copy = shutil.copytree(nli_folder, tmp_path / "nameless")
    change(copy / "config.json", **named({0: "LABEL_0", 1: "LABEL_1"}))
    return copy


def test_a_label_that_is_named_makes_a_model_the_judge_that_its_names_would(
    nameless: Path, nli_folder: Path, tmp_path: Path, example: None, argue_eval: Command
) -> None:
    command = ["score", "runs/sparse.jsonl", *INPUTS, "-m", "citation_support", "--allow-unjudged"]
    command += ["--store", str(tmp_path / "x.store")]
    refused = argue_eval(*command, "--support-judge", f"nli:{nameless}")
    assert (refused.code, refused.out) == (2, "")
    assert "such as --nli-label LABEL_1" in refused.err
    ran = argue_eval(*command, "--support-judge", f"nli:{nameless}", "--nli-label", "LABEL_1")
    named = argue_eval(*command, "--support-judge", f"nli:{nli_folder}")
    assert ran.code == 0
    assert ran.out == named.out
    assert "/entailment1of2|" in ran.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--support-judge", "lexical", "--nli-label", "1"], "--nli-label is for judges nli:MODEL"),
        (["--nli-template", "{document}{claim}"], "--nli-template is for judges nli:MODEL"),
        (["--support-judge", "nli:{folder}", "--nli-label", "3"], "its number from 0, found '3'"),
        (
            ["--support-judge", "nli:{folder}", "--nli-template", "{document}{eos}{claim}"],
            "its tokenizer has no end-of-text token for {eos}",
        ),
    ],
)
def test_an_option_that_makes_no_sense_is_told(
    options: list[str], told: str, nli_folder: Path, example: None, argue_eval: Command
) -> None:
    filled = [each.replace("{folder}", str(nli_folder)) for each in options]
    ran = argue_eval("score", "runs/sparse.jsonl", *INPUTS, *filled)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_model_is_asked_the_probes_of_the_kinds_that_it_answers(
    nli_folder: Path, tmp_path: Path, argue_eval: Command
) -> None:
    command = f"meta-eval --contrast nli:{nli_folder} --json --store {tmp_path / 'x.store'}"
    ran = argue_eval(*command.split(), "--kind", "covers")
    found = json.loads(ran.out)
    assert ran.code == 0
    assert found["judges"] == [nli.create(str(nli_folder)).signature]
    assert found["pairs"]["all"]["num_compared"] == found["pairs"]["all"]["num_pairs"] == 30
    assert argue_eval(*command.split(), "--kind", "covers").out == ran.out
    every = argue_eval(*command.split())
    assert json.loads(every.out)["kinds"] == ["support", "covers"]
    assert every.code == 4  # it reads too few tokens for the longest sentences
    assert "leaves too little room" in every.err


def test_without_the_packages_the_extra_is_named(
    nli_folder: Path, example: None, monkeypatch: pytest.MonkeyPatch, argue_eval: Command
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    name = f"nli:{nli_folder}"
    ran = argue_eval("score", "runs/sparse.jsonl", *INPUTS, "--support-judge", name)
    assert (ran.code, ran.out) == (3, "")
    assert "pip install 'argue-eval[nli]'" in ran.err


def test_the_judges_module_loads_nothing_heavy() -> None:
    code = (
        "import sys, argue_eval.judges.nli.judge\n"
        "print([name for name in ('torch', 'transformers', 'spacy') if name in sys.modules])"
    )
    assert printed(code) == "[]\n"
