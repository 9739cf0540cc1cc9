"""Every broken file is refused with a code, a place and a message that a person can use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from argue_eval.errors import (
    EXIT_MISSING,
    ArgueEvalError,
    Finding,
    InputError,
    MissingResourceError,
)
from tests.formats.broken_files import CASES, Case
from tests.formats.reading import Reading

READERS: dict[str, Callable[..., Iterable[Any]]] = {
    "requests": formats.read_topics,
    "nuggets": formats.read_nuggets,
    "runs": formats.read_run,
    "documents": formats.iter_documents,
    "judgments": formats.iter_judgments,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_broken_file_is_refused_with_code_line_and_message(case: Case, tmp_path: Path) -> None:
    with pytest.raises(ArgueEvalError) as caught:
        list(READERS[case.kind](case.write(tmp_path)))
    error = caught.value
    assert error.exit_code == case.exit_code
    assert len(str(error)) < 2_000
    if case.exit_code == EXIT_MISSING:
        assert isinstance(error, MissingResourceError)
        assert case.message in str(error)
        return
    assert isinstance(error, InputError)
    first = error.findings[0]
    assert (first.code, first.line) == (case.code, case.line)
    assert case.message in first.message
    assert first.file.startswith(str(tmp_path))
    assert all(each.hint or "expected" in each.message for each in error.findings)


def test_all_errors_of_a_file_are_told_together(reading: Reading) -> None:
    with pytest.raises(InputError) as caught:
        reading.run(
            b'{"metadata": {"run_id": "r"}, "responses": [{"text": 1}, {"text": "", "citations": '
            b"2}]}\n{broken\n"
            b'{"metadata": {"run_id": "r", "topic_id": "t"}, "responses": 4}\n'
        )
    assert [(each.code, each.line, each.path) for each in caught.value.findings] == [
        ("missing_key", 1, "$.metadata"),
        ("wrong_type", 1, "$.responses[0].text"),
        ("wrong_type", 1, "$.responses[1].citations"),
        ("json_syntax", 2, ""),
        ("wrong_type", 3, "$.responses"),
    ]


def test_good_reports_of_a_broken_run_come_before_the_error(reading: Reading) -> None:
    good = b'{"metadata": {"run_id": "r", "topic_id": "t"}, "responses": []}\n'
    reports = formats.read_run(reading.path(good + b"{broken\n"))
    assert next(reports).topic_id == "t"
    with pytest.raises(InputError):
        next(reports)


def test_reading_stops_after_a_thousand_errors(reading: Reading) -> None:
    with pytest.raises(InputError) as caught:
        reading.run(b'{"metadata": {}, "responses": []}\n' * 3_000)
    findings = caught.value.findings
    assert len(findings) == 1_001
    assert findings[-1].code == "too_many_errors"


def test_many_errors_in_one_document_are_located_in_one_walk(reading: Reading) -> None:
    nuggets = ",\n".join('{"nugget_id": "", "question": "q", "answers": []}' for _ in range(999))
    head = '{"format": "argue-eval/nuggets/1", "topics": [{"topic_id": "t", "nuggets": [\n'
    with pytest.raises(InputError) as caught:
        reading.nuggets(f"{head}{nuggets}]}}]}}".encode())
    assert [each.line for each in caught.value.findings] == list(range(2, 1_001))


def test_findings_name_standard_input_as_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{broken\n")))
    with pytest.raises(InputError) as caught:
        list(formats.read_run("-"))
    finding: Finding = caught.value.findings[0]
    assert (finding.file, finding.line) == ("-", 1)
