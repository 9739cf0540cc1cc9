"""Collections: which ids there are, and which were meant, in files and in data sets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_eval.errors import InputError
from argue_eval.formats.collection import MAX_GUESSED_ONLINE, Collection, existing, nearest
from tests.formats.datasets import Dataset


@pytest.mark.parametrize("name", ["large", "unknown", "small"])
def test_a_data_set_tells_which_ids_there_are_whatever_is_asked(
    name: str, datasets: dict[str, Dataset]
) -> None:
    wanted = ["shard_12345", "shard_67890", "shard_1", "other", "shard_x", "shard_999990", ""]
    assert existing([Collection(f"irds:{name}")], wanted) == {"shard_12345", "shard_67890"}
    assert not datasets[name].is_read


@pytest.mark.parametrize("mistyped", ["shard_1234", "shard_123456", "shard_12354", "Shard_12345"])
@pytest.mark.parametrize("name", ["large", "small"])
def test_the_id_that_was_meant_is_looked_up_in_a_data_set(
    name: str, mistyped: str, datasets: dict[str, Dataset]
) -> None:
    assert nearest([mistyped], [Collection(f"irds:{name}")]) == {mistyped: "shard_12345"}
    assert not datasets[name].is_read


def test_only_a_small_data_set_is_searched_for_what_is_similar(
    datasets: dict[str, Dataset],
) -> None:
    found = {name: nearest(["shard_1239"], [Collection(f"irds:{name}")]) for name in datasets}
    assert found == {"large": {}, "unknown": {}, "small": {"shard_1239": "shard_12345"}}
    assert [dataset.is_read for dataset in datasets.values()] == [False, False, True]


def test_a_data_set_is_asked_for_a_few_ids_only(datasets: dict[str, Dataset]) -> None:
    one = _asked("large", 1, datasets)
    assert _asked("large", 50, datasets) < 2 * MAX_GUESSED_ONLINE * one


def _asked(name: str, number: int, datasets: dict[str, Dataset]) -> int:
    before = datasets[name].num_asked
    nearest([f"shard_4{place:04}" for place in range(number)], [Collection(f"irds:{name}")])
    return datasets[name].num_asked - before


@pytest.mark.parametrize(
    "text",
    [
        "d1\n d2 \n\n",
        '{"doc_id": "d1"}\n{"docno": "d2", "text": "…"}\n',
        '["d1", "d2"]',
        '[{"id": "d1"},\n {"id": "d2"}]',
    ],
)
def test_a_file_may_hold_ids_or_documents(text: str, tmp_path: Path) -> None:
    path = tmp_path / "collection"
    path.write_text(text)
    assert existing([Collection(str(path))], {"d1", "d2", "d3"}) == {"d1", "d2"}


@pytest.mark.parametrize("value", [{"topic_id": "1"}, [{"id": 3}], {"id": None}])
def test_a_file_of_something_else_is_an_error(value: object, tmp_path: Path) -> None:
    path = tmp_path / "collection"
    path.write_text(json.dumps(value))
    with pytest.raises(InputError, match="expected a document with 'doc_id', found an object"):
        existing([Collection(str(path))], {"d1"})
