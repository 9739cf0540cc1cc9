"""Documents from files and from ir_datasets."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from argue_eval import formats
from argue_eval.errors import MissingResourceError
from argue_eval.records import Document
from tests.formats.reading import Reading


@pytest.mark.parametrize("key", ["doc_id", "id", "docno"])
def test_document_is_read_by_any_name_of_its_id(reading: Reading, key: str) -> None:
    path = reading.path([{key: "d1", "title": "Bridges", "text": "Rebuilt.", "lang": "en"}])
    found = list(formats.iter_documents(path))
    assert found == [Document("d1", "Bridges", "Rebuilt.", None, {"lang": "en"})]


def test_only_wanted_documents_are_read(reading: Reading) -> None:
    values = [{"id": f"d{number}", "text": "x"} for number in range(9)]
    path = reading.path(gzip.compress(b"\n".join(map(_line, values))), "c.jsonl.gz")
    found = formats.iter_documents(path, ["d7", "d2", "d99"])
    assert [document.doc_id for document in found] == ["d2", "d7"]


def _line(value: Any) -> bytes:
    import json

    return json.dumps(value).encode()


class _Doc(NamedTuple):
    doc_id: str
    text: str

    def default_text(self) -> str:
        return self.text


class _Store:
    def __init__(self, documents: dict[str, _Doc]) -> None:
        self._documents = documents

    def get_many(self, ids: list[str]) -> dict[str, _Doc]:
        return {each: self._documents[each] for each in ids if each in self._documents}


class _Dataset:
    def __init__(self, has_docs: bool = True) -> None:
        self._documents = {each: _Doc(each, f"Text {each}.") for each in ("d1", "d2", "d3")}
        self._has_docs = has_docs

    def has_docs(self) -> bool:
        return self._has_docs

    def docs_iter(self) -> Iterator[_Doc]:
        return iter(self._documents.values())

    def docs_store(self) -> _Store:
        return _Store(self._documents)


class _Broken(_Dataset):
    def docs_store(self) -> _Store:
        raise RuntimeError("all download sources failed")


@pytest.fixture
def datasets(monkeypatch: pytest.MonkeyPatch) -> dict[str, _Dataset]:
    """Data sets by name, in place of those of ir_datasets."""
    known: dict[str, _Dataset] = {"small": _Dataset()}
    module = ModuleType("ir_datasets")
    module.load = known.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", module)
    return known


@pytest.mark.usefixtures("datasets")
def test_wanted_documents_of_a_data_set_are_fetched() -> None:
    found = list(formats.iter_documents("irds:small", {"d3", "d1", "d9"}))
    assert found == [Document("d1", "", "Text d1."), Document("d3", "", "Text d3.")]


@pytest.mark.usefixtures("datasets")
def test_all_documents_of_a_data_set_are_read_if_none_are_named() -> None:
    assert len(list(formats.iter_documents("irds:small"))) == 3


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        (None, "no data set 'big'"),
        (_Dataset(has_docs=False), "has no documents"),
        (_Broken(), "all download sources failed"),
    ],
)
def test_data_set_that_cannot_be_had_is_a_missing_resource(
    datasets: dict[str, _Dataset], dataset: _Dataset | None, message: str
) -> None:
    if dataset is not None:
        datasets["big"] = dataset
    with pytest.raises(MissingResourceError, match=message):
        list(formats.iter_documents("irds:big", {"d1"}))


def test_missing_package_is_a_missing_resource(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(MissingResourceError, match="pip install ir_datasets"):
        list(formats.iter_documents("irds:small", {"d1"}))
