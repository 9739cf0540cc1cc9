"""BioGen's files: topics with a question and a narrative, runs as one document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval.cli.app import run
from argue_eval.errors import InputError
from tests.formats.reading import Reading
from tests.formats.segment.reading import pairs

TOPIC = {"title": "gout", "question": "What helps?", "narrative": "A patient asks."}
ANSWER = "Rest helps [12, 345]. Cold helps too. [67] Nothing else does."


def document(**changes: Any) -> dict[str, Any]:
    results = [{"topic_id": "141", "answer": ANSWER, "references": ["12", "345"]}]
    return {"team_id": "t", "run_name": "r", "contact_email": "a@b.c", "results": results} | changes


@pytest.mark.parametrize(
    "value",
    [
        {"topic_id": "141", **TOPIC},
        {"topics": [{"id": 141, **TOPIC}]},
        {"topics": [{"id": 141, "topic": "gout", "question": "What helps?",
                     "narrative": "A patient asks."}]},
    ],
)  # fmt: skip
def test_topics_of_both_years_are_read(reading: Reading, value: dict[str, Any]) -> None:
    (request,) = reading.requests(value)
    assert (request.topic_id, request.title) == ("141", "gout")
    assert (request.problem_statement, request.background) == ("What helps?", "A patient asks.")
    assert reading.warnings == []


@pytest.mark.parametrize("indent", [None, 1])
def test_a_run_is_read_sentence_by_sentence(reading: Reading, indent: int | None) -> None:
    (report,) = reading.run(json.dumps(document(), indent=indent).encode())
    assert (report.topic_id, report.run_id, report.team_id) == ("141", "r", "t")
    assert pairs(report) == [
        ("Rest helps.", ["12", "345"]),
        ("Cold helps too.", []),
        ("Nothing else does.", []),
    ]
    assert report.references == ("12", "345")
    assert reading.codes() == ["citation_format"]  # the track drops brackets after the full stop


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"results": [{"topic_id": "141", "answer": 7}]}, "wrong_type", "$.results[0].answer"),
        ({"results": [{"answer": "x"}]}, "missing_key", "$.results[0]"),
        ({"results": [7]}, "wrong_type", "$.results[0]"),
        ({"results": []}, "empty_file", "$.results"),
        ({"results": {"141": "x"}}, "missing_key", "$"),
    ],
)
def test_what_is_wrong_with_a_run_is_located(
    reading: Reading, changes: dict[str, Any], code: str, path: str
) -> None:
    with pytest.raises(InputError) as caught:
        reading.run(document(**changes))
    assert (caught.value.findings[0].code, caught.value.findings[0].path) == (code, path)


def test_a_run_is_scored_and_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, bank = tmp_path / "run.json", tmp_path / "bank.json"
    path.write_text(json.dumps(document(), indent=1), encoding="utf-8")
    nugget = {"question_text": "What helps?", "gold_answers": [["Rest", ["12"]]]}
    bank.write_text(json.dumps({"query_id": "141", "items": [nugget]}), encoding="utf-8")
    assert run(["score", str(path), str(bank), "-m", "nugget_recall"]) == 0
    assert "1.0000" in capsys.readouterr().out
    assert run(["convert", str(path), "--to", "rag"]) == 0
    assert json.loads(capsys.readouterr().out)["answer"][0]["citations"] == [0, 1]
