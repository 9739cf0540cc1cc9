"""A key whose name or content is that of a known one is reported, and renaming it is the cure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argue_eval.cli.app import run
from argue_eval.errors import Finding, InputError
from tests.formats.reading import Reading

Json = dict[str, Any]


def canonical(nugget: Json, **answer: Any) -> Json:
    nuggets = [{"nugget_id": "n", "question": "Why?", "answers": [{"answer": "x", **answer}]}]
    topics = [{"topic_id": "1", "nuggets": [{**nuggets[0], **nugget}]}]
    return {"format": "argue-eval/nuggets/1", "topics": topics}


def neuclir(nugget: Json, **answer: Any) -> Json:
    item = {"question_text": "Why?", "gold_answers": [{"answer": "x", **answer}], **nugget}
    return {"query_id": "1", "items": [item]}


def ragtime(nugget: Json, **answer: Any) -> Json:
    question = {"question": "Why?", "answers": [{"answer": "x", **answer}], **nugget}
    return {"metadata": {"topic_id": "1"}, "nugget_bank": [question]}


def auto_argue(nugget: Json, **answer: Any) -> Json:
    question = {"answers": {"x": {"answer": "x", **answer}}, **nugget}
    return {"query_id": "1", "nugget_bank": {"Why?": question}}


def request(**keys: Any) -> Json:
    return {"topic_id": "1", "title": "t", "background": "b", **keys}


def report(**sentence: Any) -> Json:
    ids = {"topic_id": "1", "run_id": "r", "team_id": "t"}
    return {"metadata": ids, "responses": [{"text": "x", "citations": [], **sentence}]}


def judgment(**keys: Any) -> Json:
    known = {"topic_id": "1", "kind": "relevant", "verdict": "yes", "judge": "j", "doc_id": "d"}
    return {**known, **keys}


BANKS = [canonical, neuclir, ragtime, auto_argue]
BANK_KEYS: list[tuple[Json, Json, str, str]] = [
    ({}, {"docids": ["d-1", "d-2"]}, "docids", "doc_ids"),
    ({}, {"supporting_documents": ["d-1"]}, "supporting_documents", "doc_ids"),
    ({}, {"attested": ["d-1"], "doc_ids": []}, "attested", "doc_ids"),
    ({"vitality": "vital"}, {}, "vitality", "importance"),
    ({"Importance": "okay"}, {}, "Importance", "importance"),
    ({"class": "vital"}, {}, "class", "importance"),
    ({"operator": "AND"}, {}, "operator", "aggregator"),
]
OTHERS: list[tuple[str, Json, str, str]] = [
    ("requests", request(narrative="Write."), "narrative", "problem_statement"),
    ("requests", request(problem_statment="Write."), "problem_statment", "problem_statement"),
    ("requests", request(problem_statement="Write.", max_length=9), "max_length", "limit"),
    ("run", report(docids=["d-1"]), "docids", "citations"),
    ("run", report(seen=["d-1"]), "seen", "citations"),
    ("judgments", judgment(confidence=0.5), "confidence", "prob"),
    ("judgments", judgment(explanation="so"), "explanation", "rationale"),
]  # fmt: skip
CASES = [
    ("nuggets", bank(nugget, **answer), key, known)
    for bank in BANKS
    for nugget, answer, key, known in BANK_KEYS
] + OTHERS


def warned(reading: Reading, kind: str, value: Json) -> list[Finding]:
    reading.warnings.clear()
    getattr(reading, kind)(value)
    return [each for each in reading.warnings if each.code == "unread_key"]


def renamed(value: Any, key: str, known: str) -> Any:
    if isinstance(value, list):
        return [renamed(each, key, known) for each in value]
    if isinstance(value, dict):
        kept = {name: each for name, each in value.items() if name != known or key not in value}
        return {known if name == key else name: renamed(each, key, known)
                for name, each in kept.items()}  # fmt: skip
    return value


@pytest.mark.parametrize(("kind", "value", "key", "known"), CASES)
def test_a_key_like_a_known_one_is_reported_and_what_is_advised_helps(
    reading: Reading, kind: str, value: Json, key: str, known: str
) -> None:
    (finding,) = warned(reading, kind, value)
    assert f"the key {key!r} is not read" in finding.message
    advised = re.match(r"rename it to '(\w+)'", finding.hint)
    assert advised is not None
    assert advised[1] == known
    assert warned(reading, kind, renamed(value, key, advised[1])) == []


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("nuggets", neuclir({"info": {"used": True}, "tags": ["a"]}, doc_ids=["d-1"], url="x")),
        ("nuggets", ragtime({"source": "post-edit"}, references=["d-1"], source="edited")),
        ("nuggets", canonical({"topic": "water"}, doc_ids=["d-1"], years=["2019"])),
        ("requests", request(problem_statement="Write.", narrative="More.", collection="c")),
        ("run", report(citations=["d-1"], docids=["d-2"], section="1")),
        ("run", report(section="Part 1", tokens=["a", "b"])),
        ("judgments", judgment(prob=0.5, confidence=0.5, seconds=3)),
    ],
)
def test_other_keys_are_kept_without_a_word(reading: Reading, kind: str, value: Json) -> None:
    assert warned(reading, kind, value) == []


@pytest.mark.parametrize("bank", [neuclir, ragtime, auto_argue])
@pytest.mark.parametrize("name", ["doc_ids", "references", "citations"])
def test_documents_are_read_under_the_names_that_banks_use(
    reading: Reading, bank: Callable[..., Json], name: str
) -> None:
    answer = {"doc_ids": [], "references": None, name: ["d-1", {"doc_id": "d-2"}]}
    (topic,) = reading.nuggets(bank({}, **answer))
    assert topic.nuggets[0].answers[0].doc_ids == ("d-1", "d-2")
    assert reading.warnings == []


@pytest.mark.parametrize(
    ("kind", "value", "key", "known"),
    [
        ("judgments", renamed(judgment(), "doc_id", "docid"), "docid", "doc_id"),
        ("judgments", renamed(judgment(), "judge", "Judge"), "Judge", "judge"),
        ("nuggets", renamed(canonical({}), "nugget_id", "nuggetId"), "nuggetId", "nugget_id"),
        ("nuggets", renamed(ragtime({}), "question", "questions"), "questions", "question"),
        ("nuggets", renamed(canonical({}), "question", "query"), "query", "question"),
        ("run", renamed(report(), "topic_id", "qid"), "qid", "topic_id"),
    ],
)
def test_a_missing_key_names_the_one_that_probably_stands_for_it(
    reading: Reading, kind: str, value: Json, key: str, known: str
) -> None:
    with pytest.raises(InputError) as caught:
        warned(reading, kind, value)
    (finding,) = caught.value.findings
    assert finding.code == "missing_key"
    assert finding.hint == f"if {key!r} is meant, rename it to {known!r}"
    assert warned(reading, kind, renamed(value, key, known)) == []


def test_score_names_the_key_before_it_advises_to_do_without_documents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_path, bank = tmp_path / "run.jsonl", tmp_path / "bank.json"
    run_path.write_text(json.dumps(report(citations=["d-1"])), encoding="utf-8")
    bank.write_text(json.dumps(canonical({}, docs=["d-1"])), encoding="utf-8")
    assert run(["score", str(run_path), str(bank)]) == 1
    err = capsys.readouterr().err
    assert err.index("rename it to 'doc_ids'") < err.index("--attestation any-document")


def test_validate_names_the_key_that_has_the_citations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.jsonl"
    value = report(docids=["d-1"])
    value["responses"].append({"text": "y", "references": ["d-1"]})
    path.write_text(json.dumps(value), encoding="utf-8")
    run(["validate", str(path), "--track", "generic"])
    out = capsys.readouterr().out
    assert "rename 'docids' to 'citations'" in out
    assert "rename 'references' to 'citations'" in out
