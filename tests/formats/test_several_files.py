"""Readers take a file, several files, or a pattern."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from argue_eval.errors import Finding, InputError, MissingResourceError, UsageError
from argue_eval.validation import validate
from tests.formats import samples as s


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two topics, each in files of its own."""
    for name in ("t1", "t2"):
        (tmp_path / f"{name}.topic").write_bytes(s.lines(s.request(topic_id=name)))
        (tmp_path / f"{name}.docs").write_bytes(s.lines({"doc_id": f"d-{name}", "text": "x"}))
        (tmp_path / f"{name}.judged").write_bytes(s.lines(s.judgment(topic_id=name)))
    return tmp_path


def test_a_pattern_stands_for_its_files_in_the_order_of_their_names(folder: Path) -> None:
    topics = formats.read_topics(str(folder / "*.topic"))
    assert [topic.topic_id for topic in topics] == ["t1", "t2"]
    documents = formats.read_documents(str(folder / "t?.docs"))
    assert [document.doc_id for document in documents] == ["d-t1", "d-t2"]
    judgments = formats.read_judgments(str(folder / "*.judged"))
    assert [judgment.topic_id for judgment in judgments] == ["t1", "t2"]


def test_an_empty_text_names_no_file() -> None:
    with pytest.raises(UsageError, match="expected the name of a file, found a text: ''"):
        formats.read_runs("")


def test_the_runs_of_scores_are_their_reports(tmp_path: Path) -> None:
    (tmp_path / "r.reports.jsonl").write_bytes(s.lines(s.report()))
    (tmp_path / "r.meta.json").write_text('{"run_id": "r", "options": {}}')
    with pytest.raises(InputError, match="no known format of runs"):
        formats.read_runs(tmp_path)
    (tmp_path / "argue-eval.sha256").write_text("")
    warnings: list[Finding] = []
    (run,) = formats.read_runs(tmp_path, warnings=warnings)
    assert run.source == str(tmp_path / "r.reports.jsonl")
    assert [each.code for each in warnings] == ["files_left_out"]
    (tmp_path / "argue-eval.sha256").write_text("0123  r.meta.json\n")
    told: list[Finding] = []
    assert formats.read_runs(tmp_path, warnings=told) == [run]
    assert told == []


def test_what_a_folder_has_besides_is_left_out_and_named(tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "run.jsonl").write_bytes(s.lines(s.report()))
    with pytest.raises(InputError, match=r"found a folder with team/ \(a folder\)") as raised:
        formats.read_runs(tmp_path)
    (pattern,) = shlex.split(raised.value.findings[0].hint.rpartition(": ")[2])
    assert [run.source for run in formats.read_runs(pattern)] == [f"{tmp_path}/team/run.jsonl"]
    (tmp_path / "run.jsonl").write_bytes(s.lines(s.report()))
    (tmp_path / "run.zip").write_bytes(b"PK\x03\x04")
    (tmp_path / "notes.txt").write_text("nothing")
    warnings: list[Finding] = []
    assert len(formats.read_runs(tmp_path, warnings=warnings)) == 1
    named = "left out team/ (a folder), notes.txt (no known format), run.zip (a zip archive)"
    assert named in warnings[0].message


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that cannot be read")
def test_a_file_of_a_folder_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_bytes(s.lines(s.report()))
    (tmp_path / "notes.txt").symlink_to("/proc/self/mem")
    warnings: list[Finding] = []
    assert len(formats.read_runs(tmp_path, warnings=warnings)) == 1
    assert "left out notes.txt (cannot be read: " in warnings[0].message


def test_several_files_are_read_in_the_given_order(folder: Path) -> None:
    topics = formats.read_topics([folder / "t2.topic", str(folder / "t1.topic")])
    assert [topic.topic_id for topic in topics] == ["t2", "t1"]


def test_a_file_may_have_the_signs_of_a_pattern_in_its_name(folder: Path) -> None:
    path = folder / "t[1].topic"
    path.write_bytes(s.lines(s.request(topic_id="t3")))
    assert [topic.topic_id for topic in formats.read_topics(str(path))] == ["t3"]


def test_a_topic_in_two_files_is_an_error_at_the_second(folder: Path) -> None:
    path = folder / "t1.topic"
    with pytest.raises(InputError, match=rf"it was first at {path}:1"):
        formats.read_topics([path, path])


@pytest.mark.parametrize(
    "item", [{"nuggets": [{"text": "A."}]}, {"rubrics": [{"criterion": "A.", "weight": 1}]}]
)
def test_nuggets_that_files_repeat_count_once_and_others_are_an_error(
    tmp_path: Path, item: dict[str, Any]
) -> None:
    """A file for each run, with the topic's nuggets in each; or nuggets that would be lost."""
    bank, other = {"qid": "t1", **item}, {"qid": "t1", "nuggets": [{"text": "B."}]}
    for name, each in (("1", bank), ("2", bank), ("3", other), ("4", s.qrels())):
        (tmp_path / name).write_bytes(s.lines(each))
    (topic,) = formats.read_nuggets([tmp_path / "1", tmp_path / "2"])
    assert [each.answers[0].answer for each in topic.nuggets] == ["A."]
    for first, second in ("13", "41"):
        with pytest.raises(InputError, match="duplicate_topic"):
            formats.read_nuggets([tmp_path / first, tmp_path / second])


def test_errors_of_all_files_are_reported_together(folder: Path) -> None:
    for name in ("t1", "t2"):
        (folder / f"{name}.topic").write_bytes(b'{"topic_id": 7, "title": 1}\n')
    with pytest.raises(InputError) as caught:
        formats.read_topics(str(folder / "*.topic"))
    assert len({finding.file for finding in caught.value.findings}) == 2


def test_a_pattern_without_files_is_a_missing_resource(folder: Path) -> None:
    with pytest.raises(MissingResourceError, match="no file fits this pattern"):
        formats.read_topics(str(folder / "*.nothing"))


def test_a_file_of_a_folder_that_is_not_gzip_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(s.lines(s.report()))
    (tmp_path / "b.jsonl").write_bytes(s.lines(s.report()))
    found = validate(tmp_path, "generic")
    assert [(each.file, each.code) for each in found] == [
        (str(tmp_path / "a.jsonl.gz"), "not_gzip")
    ]
