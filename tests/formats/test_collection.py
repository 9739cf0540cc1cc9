"""Collections: which ids there are, and which were meant, in files and in data sets."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from argue_eval.errors import InputError
from argue_eval.formats.collection import MAX_GUESSED_ONLINE, Collection, existing, nearest


class _Doc(NamedTuple):
    doc_id: str

    def default_text(self) -> str:
        return "…"


class _Store:
    """As some of ir_datasets: ids that can't be its own make it fail, and long ones are cut."""

    def __init__(self, ids: list[str]) -> None:
        self._ids = ids
        self.num_asked = 0

    def get_many(self, ids: list[str]) -> dict[str, _Doc]:
        self.num_asked += len(ids)
        found = {}
        for doc_id in ids:
            prefix, _, number = doc_id.partition("_")
            assert prefix == "shard"
            known = f"shard_{int(number.replace('_', ''))}"[: max(map(len, self._ids))]
            if known in self._ids:
                found[known] = _Doc(known)
        return found


class _Dataset:
    def __init__(self, ids: list[str], count: int | None) -> None:
        self.store = _Store(ids)
        self._ids, self._count = ids, count
        self.is_read = False

    def has_docs(self) -> bool:
        return True

    def docs_count(self) -> int | None:
        return self._count

    def docs_iter(self) -> Iterator[_Doc]:
        self.is_read = True
        return map(_Doc, self._ids)

    def docs_store(self) -> _Store:
        return self.store


@pytest.fixture
def datasets(monkeypatch: pytest.MonkeyPatch) -> dict[str, _Dataset]:
    """Data sets by name, in place of those of ir_datasets."""
    ids = [f"shard_{number}" for number in (12345, 67890, 99999)]
    known = {
        "large": _Dataset(ids, 9_000_000),
        "unknown": _Dataset(ids, None),
        "small": _Dataset(ids, 3),
    }
    module = ModuleType("ir_datasets")
    module.load = known.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", module)
    return known


@pytest.mark.parametrize("name", ["large", "unknown", "small"])
def test_a_data_set_tells_which_ids_there_are_whatever_is_asked(
    name: str, datasets: dict[str, _Dataset]
) -> None:
    wanted = ["shard_12345", "shard_67890", "shard_1", "other", "shard_x", "shard_999990", ""]
    assert existing([Collection(f"irds:{name}")], wanted) == {"shard_12345", "shard_67890"}
    assert not datasets[name].is_read


@pytest.mark.parametrize("mistyped", ["shard_1234", "shard_123456", "shard_12354", "Shard_12345"])
@pytest.mark.parametrize("name", ["large", "small"])
def test_the_id_that_was_meant_is_looked_up_in_a_data_set(
    name: str, mistyped: str, datasets: dict[str, _Dataset]
) -> None:
    assert nearest([mistyped], [Collection(f"irds:{name}")]) == {mistyped: "shard_12345"}
    assert not datasets[name].is_read


def test_only_a_small_data_set_is_searched_for_what_is_similar(
    datasets: dict[str, _Dataset],
) -> None:
    found = {name: nearest(["shard_1239"], [Collection(f"irds:{name}")]) for name in datasets}
    assert found == {"large": {}, "unknown": {}, "small": {"shard_1239": "shard_12345"}}
    assert [dataset.is_read for dataset in datasets.values()] == [False, False, True]


def test_a_data_set_is_asked_for_a_few_ids_only(datasets: dict[str, _Dataset]) -> None:
    one = _asked("large", 1, datasets)
    assert _asked("large", 50, datasets) < 2 * MAX_GUESSED_ONLINE * one


def _asked(name: str, number: int, datasets: dict[str, _Dataset]) -> int:
    before = datasets[name].store.num_asked
    nearest([f"shard_4{place:04}" for place in range(number)], [Collection(f"irds:{name}")])
    return datasets[name].store.num_asked - before


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
