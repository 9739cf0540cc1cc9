"""Assessed pairs: what people write, and what is wrong with it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval.errors import Finding, InputError, MissingResourceError
from argue_eval.formats.pairs import AssessedPair, read_pairs
from argue_eval.records import Kind, Verdict

SUPPORT = {"claim": "A dam broke.", "document": "The dam broke."}
ANSWERS = {"sentence": "It broke in 1921.", "question": "When?", "answer": "1921"}
COVERS = {"sentence": "It broke in 1921.", "claim": "A dam broke."}


def read(path: Path, *values: Any, warnings: list[Finding] | None = None) -> list[AssessedPair]:
    file = path / "pairs.jsonl"
    file.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")
    return read_pairs(str(file), warnings)


@pytest.mark.parametrize(
    ("label", "verdict"),
    [
        *((label, "yes") for label in (True, 1, 1.0, "1", "yes", "TRUE", "supported", "Supports")),
        *((label, "yes") for label in ("Fully attributable", "entailment", "fully-covered")),
        *(
            (label, "partial")
            for label in ("partial", "partially_supported", "PARTIAL SUPPORT", 0.5)
        ),
        *((label, "no") for label in (False, 0, "0", "no", "not_supported", "Not supported")),
        *((label, "no") for label in ("NEUTRAL", "NEI", "not enough info", "unsupported")),
        *((label, "contradicts") for label in ("Refutes", "contradiction", "CONTRADICTS")),
    ],
)
def test_labels_are_read_as_people_write_them(tmp_path: Path, label: Any, verdict: str) -> None:
    (found,) = read(tmp_path, {**SUPPORT, "label": label})
    assert found.verdict.value == verdict
    if verdict in ("yes", "no") and type(label) is bool:
        (found,) = read(tmp_path, {**SUPPORT, "yes": label})
        assert found.verdict.value == verdict


@pytest.mark.parametrize(
    ("pair", "kind", "texts"),
    [
        (SUPPORT, Kind.SUPPORT, ("A dam broke.", "The dam broke.", None, "")),
        (
            {"sentence": "A dam.", "evidence": ["The dam", "broke."], "title": "T"},
            Kind.SUPPORT,
            ("A dam.", "The dam\nbroke.", None, ""),
        ),
        (ANSWERS, Kind.ANSWERS, ("It broke in 1921.", None, "When?", "1921")),
        (COVERS, Kind.COVERS, ("It broke in 1921.", None, None, "A dam broke.")),
        (
            {**SUPPORT, "kind": "support", "votes": [1, 1]},
            Kind.SUPPORT,
            ("A dam broke.", "The dam broke.", None, ""),
        ),
    ],
)  # fmt: skip
def test_the_keys_say_what_is_asked(
    tmp_path: Path, pair: dict[str, Any], kind: Kind, texts: tuple[str | None, ...]
) -> None:
    (found,) = read(tmp_path, {**pair, "label": "yes"})
    question = found.question
    document = question.document.text if question.document else None
    assert (question.kind, found.verdict) == (kind, Verdict.YES)
    assert (question.text, document, question.nugget_question, question.claim) == texts


def test_pairs_of_one_document_or_group_belong_together(tmp_path: Path) -> None:
    other = {**SUPPORT, "document": "Nothing."}
    plain = read(tmp_path, *({**each, "label": 1} for each in (SUPPORT, SUPPORT, other)))
    topics = [each.question.topic_id for each in plain]
    assert topics[0] == topics[1] != topics[2]
    assert len({each.question.doc_id for each in plain}) == 3
    named = read(tmp_path, {**SUPPORT, "label": 1, "group": 7}, {**other, "label": 1, "topic": "7"})
    assert [each.question.topic_id for each in named] == ["7", "7"]
    (own,) = read(tmp_path, {**SUPPORT, "label": 1, "id": "p1"})
    assert own.question.doc_id == "p1"


def test_packed_files_lists_and_several_files_are_read(tmp_path: Path) -> None:
    line = json.dumps({**SUPPORT, "label": 1})
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(f"{line}\n\n{line}\n".encode()))
    (tmp_path / "b.json").write_text(f"[{line},\n{line}]")
    found = read_pairs([str(tmp_path / "a.jsonl.gz"), str(tmp_path / "b.json")])
    assert len({each.question.doc_id for each in found}) == 4
    assert len(read_pairs(str(tmp_path / "*.js*"))) == 4


@pytest.mark.parametrize(
    ("pair", "code", "message"),
    [
        ({**SUPPORT, "label": "maybe"}, "bad_label", "found the text 'maybe'"),
        ({**SUPPORT, "label": 2}, "bad_label", "found the number 2"),
        ({**SUPPORT, "label": ["yes"]}, "bad_label", "found a list of 1"),
        ({**SUPPORT, "yes": "perhaps", "label": "yes"}, "bad_label", "'perhaps'"),
        ({**SUPPORT, "label": None}, "missing_key", "'label' (or 'yes')"),
        (SUPPORT, "missing_key", "'label' (or 'yes')"),
        ({**SUPPORT, "label": "no", "yes": True}, "conflicting_labels", "'no', and 'yes'"),
        ({**ANSWERS, "label": "partial"}, "bad_label", "'answers' has no partial"),
        ({"claim": "A.", "label": 1}, "missing_key", "'document' (or 'evidence')"),
        ({**SUPPORT, "document": " ", "label": 1}, "blank_text", "found white space"),
        ({**SUPPORT, "claim": 5, "label": 1}, "wrong_type", "expected text"),
        ({**SUPPORT, "document": ["a", 1], "label": 1}, "wrong_type", "expected text"),
        ({"sentence": "A.", "answer": "B", "label": 1}, "missing_key", "'question'"),
        ({**SUPPORT, "kind": "agrees", "label": 1}, "bad_value", "'support', 'answers', 'covers'"),
        ({**SUPPORT, "label": 1, "id": "same"}, "duplicate_pair", "pairs.jsonl:1"),
        (["claim"], "wrong_type", "expected an object"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, pair: Any, code: str, message: str
) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path, {**SUPPORT, "label": 1, "id": "same"}, pair)
    (finding,) = raised.value.findings
    assert (finding.code, finding.line) == (code, 2)
    assert message in finding.message


def test_a_pair_of_a_list_is_named_by_its_place(tmp_path: Path) -> None:
    pairs = [{**SUPPORT, "label": 1, "id": "same"}] * 2
    (tmp_path / "pairs.json").write_text(json.dumps(pairs, indent=1))
    with pytest.raises(InputError, match=r"first at .*pairs.json at \$\[0\]"):
        read_pairs(tmp_path / "pairs.json")


def test_judgments_are_no_pairs(tmp_path: Path) -> None:
    judged = {"topic_id": "t", "kind": "support", "sentence": "A.", "doc_id": "d", "judge": "A"}
    with pytest.raises(InputError, match="found judgments") as raised:
        read(tmp_path, {**judged, "verdict": "yes"}, {**judged, "verdict": "no"})
    assert "meta-eval FILE --truth FILE" in raised.value.findings[0].hint


def test_a_partial_label_beside_a_no_is_partial(tmp_path: Path) -> None:
    pair = {**SUPPORT, "label": "partially_supported", "yes": False}
    assert [each.verdict for each in read(tmp_path, pair)] == [Verdict.PARTIAL]


def test_unknown_labels_are_warned_of_where_yes_says_it(tmp_path: Path) -> None:
    warnings: list[Finding] = []
    pairs = [{**SUPPORT, "label": "Generic", "yes": False}] * 3
    assert {each.verdict for each in read(tmp_path, *pairs, warnings=warnings)} == {Verdict.NO}
    (warning,) = warnings
    assert warning.code == "unread_label"
    assert "2 more" in warning.message


def test_files_of_another_kind_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path, *([{"metadata": {}, "responses": []}] * 5))
    assert [each.code for each in raised.value.findings] == ["unknown_format"]
    with pytest.raises(MissingResourceError):
        read_pairs(str(tmp_path / "none.jsonl"))
    with pytest.raises(InputError, match="expected a file, found a directory"):
        read_pairs(str(tmp_path))
