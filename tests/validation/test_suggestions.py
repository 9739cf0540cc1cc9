"""A topic id that nobody asked for gets a suggestion only if one is the likely one."""

from __future__ import annotations

from pathlib import Path

import pytest

from argue_eval.formats.collection import Collection, nearest
from tests.validation.samples import check, run_of

NUMBERS = ["2002", "2003", "2020", "2200"]
NAMED = ["rag2026-1", "rag2026-2", "rag2026-12"]


@pytest.mark.parametrize(
    ("written", "asked", "meant"),
    [
        ("2002.0", NUMBERS, "2002"),
        (" 2002", NUMBERS, "2002"),
        ("02002", NUMBERS, "2002"),
        ("2OO2", NUMBERS, "2002"),
        ("2012", NUMBERS, ""),
        ("202", NUMBERS, ""),
        ("20021", NUMBERS, ""),
        ("RAG2026-1", NAMED, "rag2026-1"),
        ("rag2026_12", NAMED, "rag2026-12"),
        ("rag 2026 2", NAMED, "rag2026-2"),
        ("rga2026-1", NAMED, "rag2026-1"),
        ("rag2026-3", NAMED, ""),
        ("rag2025-1", NAMED, ""),
        ("exmaple-bridges", ["example-bridges", "example-harbours"], "example-bridges"),
        ("example", ["example-1", "example-2"], ""),
        ("topic a", ["topic-A", "topic_a"], ""),
        ("topic-2002", NUMBERS, "2002"),
        ("2002-en", NUMBERS, "2002"),
        ("2026-1", NAMED, "rag2026-1"),
        ("2026", NAMED, ""),
        ("topic-2002-1", NUMBERS, ""),
    ],
)
def test_the_topic_that_was_meant(
    written: str, asked: list[str], meant: str, tmp_path: Path
) -> None:
    run = run_of("generic")[:1]
    run[0]["metadata"]["topic_id"] = written
    requests = [{"metadata": {"topic_id": each}} for each in asked]
    found = [
        each for each in check(tmp_path, "generic", run, requests) if each.code == "new_topics"
    ]
    hint = f"is '{meant}' meant?" if meant else "remove the report, or correct its topic"
    assert [each.hint for each in found] == [hint]


@pytest.mark.parametrize(
    ("written", "known", "meant"),
    [
        ("shard_12_618", ["shard_12_617", "shard_31_4"], "shard_12_617"),
        ("shard_12_618", ["shard_12_617", "shard_12_619"], ""),
        ("shard_12_6170", ["shard_12_617", "shard_12_6171"], ""),
        ("SHARD_12_617", ["shard_12_617", "shard_12_618"], "shard_12_617"),
    ],
)
def test_the_document_that_was_meant(
    written: str, known: list[str], meant: str, tmp_path: Path
) -> None:
    path = tmp_path / "ids.txt"
    path.write_text("\n".join(known))
    assert nearest([written], [Collection(str(path))]) == ({written: meant} if meant else {})


@pytest.mark.parametrize(
    ("track", "missing", "written", "hint"),
    [
        ("rag24", "topic", None, "add 'topic' with a value that is not empty"),
        ("ragtime26", "team_id", "team", "rename 'team' to 'team_id'"),
    ],
)
def test_a_key_that_the_track_asks_for_is_not_renamed_to_another(
    track: str, missing: str, written: str | None, hint: str, tmp_path: Path
) -> None:
    run = run_of(track)[:1]
    metadata = run[0].get("metadata", run[0])
    value = metadata.pop(missing, "x")
    if written:
        metadata[written] = value
    found = check(tmp_path, track, run)
    about = [each for each in found if each.message.startswith(f"metadata.{missing} ")]
    assert [each.hint for each in about] == [hint]
