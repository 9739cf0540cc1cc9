"""Keys change with what a judge sees or is, and with nothing else."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from unicodedata import normalize

import pytest

from argue_eval.judgments.content import content_of
from argue_eval.records import Document, Kind, ReportRequest
from tests.store.asking import JUDGE, MILL, REQUEST, ask


def _key(judge: str = JUDGE, **fields: Any) -> bytes:
    return content_of(ask(**fields), judge).key


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": Kind.COVERS},
        {"sentence": "It was built in 1785."},
        {"document": None},
        {"document": MILL._replace(text="x")},
        {"document": MILL._replace(title="x")},
        {"document": MILL._replace(language="de")},
        {"question": "When?"},
        {"question": ""},
        {"answer": "1784"},
        {"earlier": ("One.",)},
        {"request": None},
        {"request": REQUEST._replace(problem_statement="x")},
        {"request": REQUEST._replace(background="x")},
        {"judge": "judge@2/abc"},
    ],
    ids=str,
)
def test_key_changes_with_every_text_and_with_the_judge(changed: dict[str, Any]) -> None:
    assert _key(**changed) != _key()


@pytest.mark.parametrize(
    "changed",
    [
        {"topic_id": "t2"},
        {"doc_id": "d2"},
        {"nugget_id": "n7"},
        {"document": MILL._replace(doc_id="d2", extra={"url": "x"})},
        {"request": ReportRequest("t9", REQUEST.title, REQUEST.problem_statement, limit=100)},
    ],
    ids=str,
)
def test_key_does_not_change_with_ids(changed: dict[str, Any]) -> None:
    assert _key(**changed) == _key()


def test_texts_that_look_alike_have_one_key() -> None:
    text = "Caf\u00e9 \u212b"
    for fields in (
        lambda form: {"sentence": normalize(form, text)},
        lambda form: {"document": Document("d", text=normalize(form, text))},
        lambda form: {"earlier": (normalize(form, text),)},
    ):
        assert _key(**fields("NFC")) == _key(**fields("NFD"))


def test_earlier_sentences_are_told_apart_by_order_and_borders() -> None:
    lists: list[tuple[str, ...]] = [
        ("a", "b"),
        ("b", "a"),
        ("a b",),
        ("ab",),
        ("a",),
        ("a", "b", ""),
    ]
    assert len({_key(earlier=each) for each in lists}) == len(lists)


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
    expected = sha({"kind": "support", "judge": JUDGE, "inputs": inputs})
    assert _key(sentence=sentence, earlier=("A.", "B.")).hex() == expected
