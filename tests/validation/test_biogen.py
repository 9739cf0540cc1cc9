"""Runs that are one JSON document, with citations in the text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval.errors import Finding, Severity
from argue_eval.validation import validate
from argue_eval.validation.runs import Job, check_runs
from tests.validation.samples import codes


def _document(**changes: Any) -> dict[str, Any]:
    first = {
        "topic_id": "116",
        "answer": "Aspirin thins the blood [12345678, 23456789]. It may harm the stomach [345].",
        "references": ["12345678", "23456789", "345"],
    }
    second = {"topic_id": "117", "answer": "No trial was found.", "references": []}
    document = {"team_id": "team", "run_name": "run-1", "contact_email": "a@example.org"}
    return {**document, "results": [{**first, **changes}, second]}


def _check(folder: Path, document: Any, indent: int | None = 1) -> list[Finding]:
    path = folder / "run.json"
    path.write_text(json.dumps(document, indent=indent))
    return validate(str(path), "biogen25")


@pytest.mark.parametrize("indent", [None, 1])
def test_a_valid_document_is_clean_and_its_track_is_guessed(
    indent: int | None, tmp_path: Path
) -> None:
    assert _check(tmp_path, _document(), indent) == []
    (run,) = check_runs([str(tmp_path / "run.json")], Job())
    assert (run.track.name, run.num_reports) == ("biogen25", 2)


def _found(folder: Path, **changes: Any) -> tuple[str, int | None, str]:
    (finding,) = _check(folder, _document(**changes))
    return finding.code, finding.line, finding.path


def test_each_mistake_is_found_on_its_line(tmp_path: Path) -> None:
    answer = "A [1,2,3,345]. It may harm [12345678,23456789]."
    assert _found(
        tmp_path, answer=answer, references=["1", "2", "3", "345", "12345678", "23456789"]
    ) == ("citation_count", 8, "$.results[0].answer")
    assert _found(tmp_path, references=["12345678", "23456789", "345", "345"]) == (
        "references_duplicate",
        13,
        "$.results[0].references[3]",
    )
    assert _found(tmp_path, references=["12345678", "23456789", "345", "77"]) == (
        "references_uncited",
        13,
        "$.results[0].references[3]",
    )
    assert _found(tmp_path, references=["12345678", "23456789"])[0] == "references_undeclared"
    assert _found(tmp_path, topic_id="117") == ("duplicate_topics", 16, "$.results[1].topic_id")
    assert _found(tmp_path, topic_id="")[0] == "metadata"
    assert _found(tmp_path, answer="", references=[])[0] == "empty_answer"
    assert _found(tmp_path, answer="word " * 251 + "[1].", references=["1"])[0] == "length"
    leading = "[345] Aspirin thins the blood [12345678, 23456789]. So [345]."
    assert _found(tmp_path, answer=leading) == ("citation_format", 8, "$.results[0].answer")


def test_brackets_after_the_full_stop_are_told_as_dropped(tmp_path: Path) -> None:
    answer = "Aspirin thins the blood. [12345678] It may harm the stomach. [345, 34]"
    found = _check(tmp_path, _document(answer=answer, references=[]))
    assert codes(found) == ["citation_format"]
    assert found[0].message.startswith("3 citations stand outside of a sentence")
    assert found[0].severity is Severity.WARNING


def test_a_sentence_of_nothing_but_brackets_takes_bounded_time(tmp_path: Path) -> None:
    answer = "Aspirin" + " [12345678]" * 30_000 + " " * 100_000 + "thins the blood."
    assert "length" not in codes(_check(tmp_path, _document(answer=answer)))


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ([], "wrong_type"),
        ({"team_id": "t", "run_name": "r"}, "missing_key"),
        ({"results": 3}, "missing_key"),
        ({"results": [3]}, "wrong_type"),
        ({"run_name": "r", "team_id": "t", "results": [{"topic_id": "1", "answer": 3}]},
         "wrong_type"),
    ],
)  # fmt: skip
def test_a_document_of_another_shape_is_refused(document: Any, code: str, tmp_path: Path) -> None:
    assert code in codes(_check(tmp_path, document))


def test_a_document_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"team_id": ')
    found = validate(str(tmp_path / "run.json"), "biogen25")
    assert codes(found) == ["json_truncated"]
