"""Keys change with what a judge sees or is, and with nothing else."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from unicodedata import normalize

import pytest

from argue_eval.judgments.content import content_of
from argue_eval.measures.protocols import Asking
from argue_eval.records import (
    Answer,
    Document,
    Kind,
    Nugget,
    Question,
    Report,
    ReportRequest,
    Sentence,
    Topic,
)
from tests.judgments.asking import JUDGE, MILL, REQUEST, first_instance, question


def _key(asked: Question, judge: str = JUDGE) -> bytes:
    return content_of(asked, judge).key


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": Kind.COVERS},
        {"text": "It was built in 1785."},
        {"document": None},
        {"document": MILL._replace(text="x")},
        {"document": MILL._replace(title="x")},
        {"document": MILL._replace(language="de")},
        {"nugget_question": "When?"},
        {"nugget_question": ""},
        {"claim": "1784"},
        {"request": None},
        {"request": REQUEST._replace(problem_statement="x")},
        {"request": REQUEST._replace(background="x")},
    ],
    ids=str,
)
def test_key_changes_with_every_text(changed: dict[str, Any]) -> None:
    assert _key(question(**changed)) != _key(question())


def test_key_changes_with_the_judge() -> None:
    asked = question()
    keys = [_key(asked, judge) for judge in (JUDGE, "judge@2/abc", JUDGE)]
    assert keys[0] != keys[1]
    assert keys[0] == keys[2]


@pytest.mark.parametrize(
    "changed",
    [
        {"topic_id": "t2"},
        {"run_id": "run"},
        {"sentence_index": 3},
        {"doc_id": "d2"},
        {"nugget_id": "n7"},
        {"answer": "1784"},
        {"sentences": ("One.", "It was built in 1784."), "sentence_index": 1},
        {"document": MILL._replace(doc_id="d2", extra={"url": "x"})},
        {"request": ReportRequest("t9", REQUEST.title, REQUEST.problem_statement, limit=100)},
    ],
    ids=str,
)
def test_key_does_not_change_with_what_the_judge_is_not_shown(changed: dict[str, Any]) -> None:
    assert _key(question(**changed)) == _key(question())


def test_answer_is_one_question_whichever_document_attests_it() -> None:
    nugget = Nugget("n1", "When was it built?", (Answer("1784", ("d1", "d2")),))
    topic = Topic("t1", (nugget,), REQUEST, {"d1": MILL, "d2": MILL._replace(text="x")})
    asking = Asking(topic, Report("t1", "run", (Sentence("It was built in 1784."),)))
    contents = {
        content_of(
            asking.question(Kind.ANSWERS, 0, doc_id=doc_id, nugget_id="n1", answer="1784"), JUDGE
        )
        for doc_id in ("", "d1", "d2")
    }
    assert len(contents) == 1


def test_texts_that_look_alike_have_one_key() -> None:
    nfc, nfd = (normalize(form, "Caf\u00e9 \u212b") for form in ("NFC", "NFD"))
    assert _key(question(nfc)) == _key(question(nfd))
    assert _key(first_instance(nfc)) == _key(first_instance(nfd))
    one, other = (question(document=Document("d", text=text)) for text in (nfc, nfd))
    assert _key(one) == _key(other)


def test_earlier_sentences_are_told_apart_by_order_and_borders() -> None:
    lists = [(), ("a", "b"), ("b", "a"), ("a b",), ("ab",), ("a",), ("a", "b", "")]
    assert len({_key(first_instance(*earlier)) for earlier in lists}) == len(lists)


def test_key_can_be_computed_with_any_json_and_sha_256() -> None:
    def sha(value: object) -> str:
        line = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(line.encode("utf-8")).hexdigest()

    sentence = 'Ein "Zitat"\n\t\x01 \u007f \u2028 \U0001f600 / \\'
    inputs = {
        "sentence": sentence,
        "document": sha({"title": MILL.title, "text": MILL.text}),
        "request": sha({"title": REQUEST.title, "problem_statement": REQUEST.problem_statement}),
        "earlier": sha({"sentence": "B.", "before": sha({"sentence": "A."})}),
    }
    expected = sha({"kind": "first_instance", "judge": JUDGE, "inputs": inputs})
    assert _key(first_instance("A.", "B.", text=sentence)).hex() == expected
