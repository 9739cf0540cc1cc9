"""``--attestation any-document``: what is a no, and which documents can be relevant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.tiny_track import Json, read_lines, write_lines

QUESTIONS = {f"n{number}": f"What is {number}?" for number in range(1, 5)}
ANY = "--attestation any-document --judge none"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _bank(doc_ids: Sequence[Sequence[str]]) -> Json:
    """Four nuggets with an answer each, named by the number, and the documents of each."""
    nuggets = [
        {
            "nugget_id": name,
            "question": question,
            "answers": [{"answer": name[1:], "doc_ids": named}],
        }
        for (name, question), named in zip(QUESTIONS.items(), doc_ids, strict=True)
    ]
    return {"format": "argue-eval/nuggets/1", "topics": [{"topic_id": "t1", "nuggets": nuggets}]}


def _write(cited: Sequence[str], bank: Json, **more: Sequence[Json]) -> None:
    metadata = {"team_id": "t", "run_id": "r", "topic_id": "t1"}
    responses = [
        {"text": f"Sentence {place}.", "citations": [each]} for place, each in enumerate(cited)
    ]
    run = [{"metadata": metadata, "responses": responses}]
    files: Mapping[str, Sequence[Json]] = {"run": run, "nuggets": [bank], **more}
    for name, objects in files.items():
        write_lines(f"{name}.jsonl", objects)


def _published(matched: Sequence[str], cited: Sequence[str], model: str) -> Json:
    """Auto-ARGUE's judgments of the run: which answer each sentence was found to give, if any."""
    judged = []
    for number, doc_id in zip(matched, cited, strict=True):
        found = [{"question_text": QUESTIONS[f"n{each}"], "matched_answer": [each]}
                 for each in number]  # fmt: skip
        item = {"judgment_type_id": "SENTENCE_ANSWERS_QUESTION", "provenance": {"doc_id": doc_id},
                "response": {"matched_nuggets": found}}  # fmt: skip
        judged.append({"citations": [{"doc_id": doc_id}], "judgments": [item]})
    metadata = {"team_id": "t", "run_id": "r", "topic_id": "t1"}
    return {"report": {"metadata": metadata}, "judgments": judged, "model": model}


NONE: list[list[str]] = [[], [], [], []]
OWN = [["D1"], ["D2"], ["D3"], ["D4"]]


@pytest.mark.parametrize(
    ("doc_ids", "matched", "coverage", "num_unjudged"),
    [
        # No document attests anything, so the first match shows that all answers were asked.
        pytest.param(NONE, ["1", "", ""], "0.2500", 0, id="no ids"),
        pytest.param(NONE, ["", "", "12"], "0.5000", 0, id="no ids, shown at the end"),
        pytest.param(NONE, ["", "", ""], None, 3, id="no ids, nothing shows it"),
        pytest.param([["X"], [], [], []], ["1", "", ""], "0.2500", 0, id="placeholder"),
        pytest.param(OWN, ["1", "", ""], "1.0000", 3, id="asked about attested answers alone"),
        pytest.param(OWN, ["2", "", ""], "0.2500", 0, id="asked beyond them"),
        pytest.param(OWN, ["", "2", "1"], "0.5000", 0, id="asked beyond them, shown at the end"),
        pytest.param([["D1"], ["D1"], ["D1"], []], ["3", "", ""], "0.3333", 3, id="some attested"),
    ],
)
def test_what_a_judge_that_was_asked_about_all_answers_does_not_list_is_a_no(
    argue_eval: Command,
    doc_ids: Sequence[Sequence[str]],
    matched: Sequence[str],
    coverage: str | None,
    num_unjudged: int,
) -> None:
    cited = ["D1"] * len(matched)
    _write(cited, _bank(doc_ids), published=[_published(matched, cited, "m")])
    judged = "--judgments published.jsonl --judged-only"
    score = f"score run.jsonl nuggets.jsonl {ANY} {judged} -m nugget_coverage"
    ran = argue_eval(score)
    assert ran.code == (4 if num_unjudged else 0)
    if coverage is not None:
        assert ran.value("nugget_coverage_micro") == coverage
    assert ran.value("num_unjudged") == str(num_unjudged)


def test_what_one_judge_was_asked_says_nothing_of_another(
    argue_eval: Command,
) -> None:
    cited = ["D1", "D1"]
    all_asked, other = _published(["2", ""], cited, "m"), _published(["1", ""], cited, "other")
    _write(cited, _bank(OWN), published=[other, all_asked])
    score = (
        f"score run.jsonl nuggets.jsonl {ANY} --judgments published.jsonl -m nugget_coverage -o o"
    )
    assert argue_eval(score).value("nugget_coverage_micro") == "0.5000"
    judged = read_lines("o/r.judgments.jsonl")
    assert {(each["judge"], each["answer"], each["verdict"]) for each in judged} == {
        ("auto_argue:other", "1", "yes"),
        ("auto_argue:other", "1", "no"),
        ("auto_argue:m", "2", "yes"),
        *(("auto_argue:m", answer, "no") for answer in "234"),
    }


@pytest.mark.parametrize(
    ("doc_ids", "collection", "cited", "relevance"),
    [
        (NONE, ["D1"], ["D1", "FAKE"], "0.5000"),
        (NONE, ["D1"], ["FAKE", "FAKE-2"], "0.0000"),
        (OWN, [], ["D2", "FAKE"], "0.5000"),
        (OWN, ["D9"], ["D9", "D2"], "1.0000"),
        (OWN, ["D9"], ["D8", "FAKE"], "0.0000"),
        (NONE, [], ["D1", "FAKE"], None),
    ],
)
def test_only_known_documents_can_be_relevant_and_credit_does_not_depend_on_it(
    argue_eval: Command,
    doc_ids: Sequence[Sequence[str]],
    collection: Sequence[str],
    cited: Sequence[str],
    relevance: str | None,
) -> None:
    documents = [{"doc_id": each, "title": "", "text": "Text."} for each in collection]
    _write(
        cited,
        _bank(doc_ids),
        published=[_published(["12", "34"], cited, "m")],
        documents=documents,
    )
    score = f"score run.jsonl nuggets.jsonl {ANY} --judgments published.jsonl"
    score += " --collection documents.jsonl" * bool(collection)
    ran = argue_eval(f"{score} -m nugget_recall -m citation_relevance")
    assert (ran.code, ran.value("nugget_recall")) == (0, "1.0000")
    if relevance is not None:
        assert ran.value("citation_relevance_micro") == relevance
    assert (ran.value("num_undefined") == "0") == (relevance is not None)
    explained = argue_eval(f"explain outcome {score[6:]} --topic t1 --sentence 1").out
    is_known = cited[1] in chain(collection, *doc_ids)
    told = "yes" if is_known else "unjudged" if relevance is None else "no"
    assert f"is {cited[1]} relevant?  {told}" in explained
    assert "outcome: 3" in explained
