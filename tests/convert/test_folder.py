"""Auto-ARGUE's format as a directory: a file per topic, whole or absent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval import formats
from argue_eval.formats.converting import FileNames
from tests.cli.conftest import Command as Convert
from tests.formats import samples as s

HOSTILE = ["../../etc/passwd", "etc/passwd", "ETC_passwd", "..", "тема", "тема 2", "a" * 300,
           "a" * 299, "CON", "-rf", "~", "t\\1", "t:1", "."]  # fmt: skip


def _qrels(folder: Path, *topic_ids: str, **changes: Any) -> Path:
    topics = [{"topic_id": each, "nuggets": [s.nugget(**changes)]} for each in topic_ids]
    path = folder / "qrels.json"
    path.write_bytes(s.lines(s.qrels(topics=topics)))
    return path


@given(st.lists(st.text(max_size=5) | st.sampled_from(HOSTILE), max_size=30))
def test_no_two_topics_get_the_same_file_name_and_no_name_leaves_the_directory(
    topic_ids: list[str],
) -> None:
    names = FileNames()
    found = [names.unique(each).lower() for each in topic_ids]
    assert len(set(found)) == len(found)
    assert all(name.strip("._-") == name and Path(name).name == name for name in found)
    assert all(len(name) < 120 and name.isascii() for name in found)


def test_hostile_topic_ids_get_a_file_each_in_the_directory(
    convert: Convert, tmp_path: Path
) -> None:
    source, output = _qrels(tmp_path, *HOSTILE), tmp_path / "out"
    assert convert(source, "--to", "auto_argue", "-o", f"{output}/").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "qrels.json"]
    assert len(list(output.iterdir())) == len(HOSTILE)
    read = {topic.topic_id: topic for topic in formats.read_nuggets(str(output))}
    assert read == {topic.topic_id: topic for topic in formats.read_nuggets(str(source))}


def test_directory_is_read_as_the_source(convert: Convert, tmp_path: Path) -> None:
    source, output = _qrels(tmp_path, "t1", "t2"), tmp_path / "out"
    output.mkdir()
    convert(source, "--to", "auto_argue", "-o", output)
    assert sorted(path.name for path in output.iterdir()) == ["t1.json", "t2.json"]
    done = convert(output, "--to", "canonical")
    assert (done.code, json.loads(done.out)) == (0, json.loads(source.read_bytes()))


def test_directory_with_other_files_is_left_alone(convert: Convert, tmp_path: Path) -> None:
    source, output = _qrels(tmp_path, "t1"), tmp_path / "out"
    output.mkdir()
    (output / "other.json").write_text("{}")
    done = convert(source, "--to", "auto_argue", "-o", output)
    assert (done.code, [path.name for path in output.iterdir()]) == (2, ["other.json"])
    assert "is not empty" in done.err


@pytest.mark.parametrize("exists", [True, False])
def test_refused_conversion_leaves_no_directory_and_no_file(
    convert: Convert, tmp_path: Path, exists: bool
) -> None:
    odd = {"answer": "old", "doc_ids": ["d1"], "references": "none"}
    source, output = _qrels(tmp_path, "t1", "t2", note=1, answers=[odd]), tmp_path / "out"
    if exists:
        output.mkdir()
    assert convert(source, "--to", "auto_argue", "-o", f"{output}/").code == 1
    assert output.exists() == exists
    assert {path.name for path in tmp_path.rglob("*")} <= {"qrels.json", "out"}


def test_other_kinds_and_formats_are_not_written_to_a_directory(
    convert: Convert, tmp_path: Path
) -> None:
    done = convert(_qrels(tmp_path, "t1"), "--to", "canonical", "-o", f"{tmp_path}/new/")
    assert (done.code, (tmp_path / "new").exists()) == (2, False)


def test_directory_is_nuggets_whatever_else_is_asked_for(convert: Convert, tmp_path: Path) -> None:
    done = convert(tmp_path, "--to", "rag", "--kind", "runs")
    assert (done.code, "a directory holds nuggets" in done.err) == (2, True)
