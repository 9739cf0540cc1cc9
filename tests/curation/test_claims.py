"""What the cited sentences of several runs claim becomes nuggets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import says
from tests.cli.conftest import Command
from tests.curation import track
from tests.curation.banks import read, texts

ROOT = Path(__file__).parents[2]

FIRE = "The mill burned down in June 1912."


def run(path: str, run_id: str, **topics: list[tuple[str, list[str]]]) -> str:
    """Writes a run: sentences with their citations by topic."""
    lines = [
        {
            "metadata": {"run_id": run_id, "topic_id": topic_id, "team_id": "team"},
            "responses": [{"text": text, "citations": cited} for text, cited in sentences],
            "references": sorted({each for _, cited in sentences for each in cited}),
        }
        for topic_id, sentences in topics.items()
    ]
    Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def runs() -> None:
    """Two runs: they share a sentence, up to case, and cite different documents for it."""
    run("a.jsonl", "alpha", q1=[(FIRE, ["d1", "d2"]), ("It was sad.", []), ("He wept.", ["d3"])])
    run("b.jsonl", "beta", q1=[("the mill burned down in June 1912", ["d2"])], q2=[("X.", ["d1"])])


def judgment(run_id: str, index: int, doc_id: str, verdict: str) -> dict[str, Any]:
    """A judgment of support."""
    return {"kind": "support", "topic_id": "q1", "run_id": run_id, "sentence_index": index,
            "doc_id": doc_id, "verdict": verdict, "judge": "assessor:A"}  # fmt: skip


def write_judgments(*listed: Mapping[str, Any]) -> None:
    """Writes known.jsonl."""
    Path("known.jsonl").write_text("".join(json.dumps(each) + "\n" for each in listed))


@pytest.mark.usefixtures("runs")
def test_a_sentence_is_a_claim_with_the_documents_of_all_who_say_it(argue_eval: Command) -> None:
    ran = argue_eval("curate claims a.jsonl b.jsonl -o points.json")
    assert ran.code == 0, ran.err
    assert "3 claims of 4 cited sentences in 2 runs, with 5 citations" in ran.err
    found = read("points.json")
    assert [texts(each) for each in found] == [[FIRE], ["He wept."]]
    assert found[0]["answers"][0]["doc_ids"] == ["d1", "d2"]
    assert found[0]["claimed_by"] == [
        {"run_id": "alpha", "sentence": 0}, {"run_id": "beta", "sentence": 0},
    ]  # fmt: skip
    assert [each["importance"] for each in found] == [None, None]


@pytest.mark.usefixtures("runs")
def test_only_documents_that_support_a_sentence_attest_it(argue_eval: Command) -> None:
    write_judgments(
        judgment("alpha", 0, "d1", "yes"),
        judgment("alpha", 0, "d2", "no"),
        judgment("alpha", 2, "d3", "partial"),
    )
    ran = argue_eval("curate claims a.jsonl b.jsonl --judgments known.jsonl -o points.json")
    assert ran.code == 0, ran.err
    (found,) = read("points.json")
    assert found["answers"] == [{"answer": FIRE, "doc_ids": ["d1"]}]
    assert found["claimed_by"] == [{"run_id": "alpha", "sentence": 0}]
    assert "2 x document does not support its sentence" in ran.err
    Path("folder").mkdir()
    Path("known.jsonl").rename("folder/known.jsonl")
    again = argue_eval("curate claims a.jsonl b.jsonl --judgments folder -o again.json")
    assert (again.code, again.err) == (0, ran.err)
    assert "2 x citation is not judged, and attests nothing" in ran.err
    assert "3 x sentence without a document that supports it is left out" in ran.err


@pytest.mark.usefixtures("runs")
def test_the_texts_of_documents_tell_what_judgments_leave_open(argue_eval: Command) -> None:
    write_judgments(judgment("alpha", 2, "d3", "yes"))
    command = "curate claims a.jsonl b.jsonl --requests questions.jsonl --collection docs.jsonl"
    argue_eval(f"{command} --judgments known.jsonl -o points.json")
    assert [(texts(each), each["answers"][0]["doc_ids"]) for each in read("points.json")] == [
        ([FIRE], ["d1"]), (["He wept."], ["d3"]),
    ]  # fmt: skip


@pytest.mark.usefixtures("runs")
def test_a_model_splits_sentences_and_is_not_told_whose_they_are(argue_eval: Command) -> None:
    reply = {"claims": [
        {"point": "The mill burned down.", "numbers": [1]},
        {"point": "It was in 1913.", "numbers": [1]},
    ]}  # fmt: skip
    command = "curate claims a.jsonl b.jsonl --model m --requests questions.jsonl -o points.json"
    ran, server = track.run(argue_eval, lambda received: says(json.dumps(reply)), command)
    assert ran.code == 0, ran.err
    assert [texts(each) for each in read("points.json")] == [["The mill burned down."]]
    assert "3 x claim with a number that its sentence has not is left out" in ran.err
    assert len(server.received) == 3
    assert not any("alpha" in each.prompt or "beta" in each.prompt for each in server.received)


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    "claims", [[{"point": "x", "numbers": [9]}], [{"point": "x", "numbers": []}], "none", ["x"]]
)
def test_a_reply_that_names_no_sentence_is_asked_again(claims: Any, argue_eval: Command) -> None:
    command = "curate claims b.jsonl --model m -o points.json"
    script = lambda received: says(json.dumps({"claims": claims}))  # noqa: E731
    ran, server = track.run(argue_eval, script, command)
    assert (ran.code, len(server.received)) == (4, 4)


@pytest.mark.usefixtures("runs")
def test_groups_of_claims_keep_who_claims_them(argue_eval: Command) -> None:
    run("c.jsonl", "gamma", q1=[("In June 1912 the mill burned down.", ["d9"])])
    argue_eval("curate claims a.jsonl b.jsonl c.jsonl -o points.json")
    assert argue_eval("curate dedupe points.json -o grouped.json").code == 0
    found = read("grouped.json")[0]
    assert [each["run_id"] for each in found["claimed_by"]] == ["alpha", "beta", "gamma"]
    assert found["answers"][0]["doc_ids"] == ["d1", "d2", "d9"]


@pytest.mark.usefixtures("runs")
def test_standard_streams_and_a_price(argue_eval: Command, stdin: Callable[[bytes], None]) -> None:
    stdin(Path("b.jsonl").read_bytes())
    ran = argue_eval("curate claims - -o -")
    assert [topic["topic_id"] for topic in ran.json["topics"]] == ["q1", "q2"]
    ran = argue_eval("curate claims a.jsonl --model m --dry-run -o points.json")
    assert ran.out.startswith("1 calls, about ")
    assert not Path("points.json").exists()


def test_the_claims_of_the_example_track_are_scored(argue_eval: Command) -> None:
    runs = " ".join(f"{ROOT}/runs/{name}.jsonl" for name in ("careful", "sparse"))
    argue_eval(f"curate claims {runs} -o points.json")
    ran = argue_eval(f"score {ROOT}/runs/careful.jsonl points.json --protocol key-points")
    assert ran.code == 0, ran.err
    assert float(ran.value("kpr")) > 0.5


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("missing.jsonl -o p.json", "missing.jsonl"),
        ("docs.jsonl -o docs.jsonl", "which is read"),
        ("questions.jsonl -o p.json", "questions.jsonl"),
        ("a.jsonl a.jsonl -o p.json", "[run_id_taken]"),
        ("a.jsonl --requests questions.jsonl -o p.json", "[no_common_topic]"),
    ],
)
def test_mistakes_are_told_and_write_nothing(
    command: str, message: str, argue_eval: Command
) -> None:
    run("a.jsonl", "alpha", t=[(FIRE, ["d1"])])
    ran = argue_eval(f"curate claims {command}")
    assert ran.code in (1, 2, 3)
    assert message in ran.err
    assert not Path("p.json").exists()
