"""What is given as a run and is none: named as what it is, or checked as the bank that it is."""

from __future__ import annotations

import copy
import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argue_eval.cli import app
from argue_eval.validation import validate
from argue_eval.validation.runs import Checked, Job, check_runs
from tests.validation.samples import UUID, Json, codes, run_of, write_requests, write_run

EXAMPLES = Path(__file__).parents[2]
DOC = UUID.format(0) + "_12345"

OTHERS = {
    "qrels/example.json": ("found nuggets", "argue-eval ingest qrels "),
    "topics/example.jsonl": ("found report requests", "argue-eval ingest requests "),
    "collection/example.jsonl": ("found documents", "--collection "),
    "qrels/example.judgments.jsonl": ("found judgments", "argue-eval score RUN QRELS --judgments "),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("track", ["ragtime26", "rag26", "biogen25", None])
def test_a_file_of_another_kind_is_one_error_with_its_command(
    name: str, track: str | None, tmp_path: Path
) -> None:
    if track == "biogen25" and name.endswith("jsonl"):
        pytest.skip("a run of this track is one document")
    says, advises = OTHERS[name]
    requests = write_requests(tmp_path / "requests.jsonl", run_of("ragtime26"))
    path = str(EXAMPLES / name)
    (found,) = validate(path, track, topics=requests)
    assert says in found.message
    assert advises + shlex.quote(path) in found.hint
    command = found.hint.partition("with: ")[2]
    if command:
        args = [*shlex.split(command)[1:-1], str(tmp_path / "out")]
        done = subprocess.run(
            [sys.executable, "-m", "argue_eval", *args], cwd=EXAMPLES, check=False
        )
        assert done.returncode == 0


@pytest.mark.parametrize("value", [{"qid": "q1", "marks": []}, {"tests": 3}])
def test_an_object_that_has_no_key_of_a_report_is_one_error(value: Json, tmp_path: Path) -> None:
    (found,) = validate(write_run(tmp_path / "run.jsonl", [value] * 50))
    assert (found.code, found.line) == ("unknown_format", 1)
    assert found.message.startswith("expected a run, found an object with the keys")


def _banks() -> list[Json]:
    return [
        {
            "metadata": {
                "team_id": "team", "run_id": "twenty-five-characters-id", "topic_id": topic_id,
                "run_desc": "d",
            },
            "nugget_bank": [
                {
                    "question": f"When was bridge {topic_id} rebuilt?",
                    "aggregator_type": "OR",
                    "answers": [
                        {"answer": "1998", "references": [DOC]},
                        {"answer": "the nineties", "references": [{"doc_id": DOC}]},
                    ],
                },
                {"question": "Who paid?", "aggregator_type": "AND", "answers": []},
            ],
        }
        for topic_id in ("2001", "2002")
    ]  # fmt: skip


def _checked(folder: Path, banks: list[Json], **options: Any) -> Checked:
    requests = write_requests(folder / "requests.jsonl", run_of("ragtime26"))
    job = Job(topics=requests, **{"track": "ragtime26", **options})
    (checked,) = check_runs([write_run(folder / "banks.jsonl", banks)], job)
    return checked


@pytest.mark.parametrize("track", ["ragtime26", "ragtime26-nuggets", None])
def test_a_bank_is_checked_against_the_rules_for_banks(
    track: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checked = _checked(tmp_path, _banks(), track=track, is_strict=True)
    assert checked.findings == ()
    assert (checked.track.name, checked.is_guessed) == ("ragtime26-nuggets", track is None)
    assert checked.num_reports == 2
    assert app.run(["validate", str(tmp_path / "banks.jsonl")]) == 0
    told = "ok, 2 nugget banks, checked against ragtime26-nuggets (guessed)"
    assert told in capsys.readouterr().out


def _set(*steps: Any) -> Callable[[list[Json]], None]:
    *path, last, value = steps

    def change(banks: list[Json]) -> None:
        at: Any = banks
        for step in path:
            at = at[step]
        at[last] = value

    return change


_ANSWER = (1, "nugget_bank", 0, "answers", 0)
BROKEN: dict[str, tuple[Callable[[list[Json]], None], str, str]] = {
    "a long run id": (_set(1, "metadata", "run_id", "r" * 26), "run_id_length",
                      "$.metadata.run_id"),
    "no team": (_set(1, "metadata", "team_id", None), "metadata", "$.metadata"),
    "another topic": (_set(1, "metadata", "topic_id", "1999"), "new_topics", "$.metadata.topic_id"),
    "an aggregator": (_set(1, "nugget_bank", 0, "aggregator_type", "NOT"), "unknown_aggregator",
                      "$.nugget_bank[0].aggregator_type"),
    "no question": (_set(1, "nugget_bank", 0, {"answers": []}), "missing_key", "$.nugget_bank[0]"),
    "a blank answer": (_set(*_ANSWER, "answer", " "), "blank_text",
                       "$.nugget_bank[0].answers[0].answer"),
    "an id of another collection": (_set(*_ANSWER, "references", [DOC, "d1"]), "docid_pattern",
                                    "$.nugget_bank[0].answers[0].references[1]"),
    "an entity": (_set(*_ANSWER, "answer", "R&amp;D"), "html_entities",
                  "$.nugget_bank[0].answers[0].answer"),
    "markup": (_set(1, "nugget_bank", 1, "question", "Who <b>paid</b>?"), "suspicious_text",
               "$.nugget_bank[1].question"),
    "no nuggets": (_set(1, "nugget_bank", []), "empty_answer", "$.nugget_bank"),
    "no list": (_set(1, "nugget_bank", {}), "wrong_type", "$.nugget_bank"),
    "no documents": (_set(1, "nugget_bank", 0, "answers", [{"answer": "1998"}]), "uncited_report",
                     "$.nugget_bank"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_mistake_in_a_bank_is_found_in_its_place(name: str, tmp_path: Path) -> None:
    change, code, path = BROKEN[name]
    banks = _banks()
    change(banks)
    found = [
        each
        for each in _checked(tmp_path, banks).findings
        if each.code not in ("missing_topics", "run_id_differs")
    ]
    assert codes(found) == [code]
    assert (found[0].line, found[0].path, found[0].sentence) == (2, path, None)
    assert "sentence" not in found[0].message


def test_banks_are_missing_and_doubled_as_reports_are(tmp_path: Path) -> None:
    banks = _banks()
    again = copy.deepcopy(banks[0])
    found = _checked(tmp_path, [banks[0], again]).findings
    assert [(each.code, each.message) for each in found] == [
        ("duplicate_topics", "the topic '2001' has a nugget bank already, on line 1"),
        ("missing_topics", "the requested topic '2002' has no nugget bank"),
    ]
    ids = tmp_path / "ids.txt"
    ids.write_text("other\n")
    found = _checked(tmp_path, banks, collections=[str(ids)]).findings
    assert codes(list(found)) == ["unknown_document"]


def test_a_bank_for_a_track_without_banks_is_named(tmp_path: Path) -> None:
    (found,) = _checked(tmp_path, _banks(), track="rag25").findings
    assert found.message == "expected a run, found nuggets"
    assert "argue-eval ingest qrels" in found.hint


def test_lines_that_are_no_banks_are_named_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "banks.jsonl"
    first, second = map(json.dumps, _banks())
    path.write_text(f"{first}\n{second[:-5]}\n[]\n{second}\n")
    assert [(each.code, each.line) for each in validate(str(path), "ragtime26")] == [
        ("json_truncated", 2),
        ("wrong_type", 3),
    ]


def test_a_run_of_another_track_is_converted_by_the_command_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_run(tmp_path / "RUN", run_of("rag26"))
    hints = [each.hint for each in validate(path, "ragtime26") if each.code == "missing_key"]
    words = shlex.split(hints[0].partition("run: ")[2])
    assert app.run(words[1:]) == 0
    assert not {"missing_key", "citation_format"} & {*codes(validate("NEW", "ragtime26"))}
