"""Documents from files and from ir_datasets."""

from __future__ import annotations

import gzip
import sys

import pytest

from argue_eval import formats
from argue_eval.errors import MissingResourceError
from argue_eval.formats.collection import Collection
from argue_eval.records import Document
from tests.formats.datasets import Broken, Dataset
from tests.formats.reading import Reading
from tests.formats.samples import lines


@pytest.mark.parametrize(
    ("key", "text"),
    [("doc_id", "text"), ("id", "text"), ("docno", "text"), ("docid", "segment"),
     ("docid", "body"), ("id", "contents")],
)  # fmt: skip
def test_document_is_read_by_any_name_of_its_id_and_text(
    reading: Reading, key: str, text: str
) -> None:
    path = reading.path([{key: "d1", "title": "Bridges", text: "Rebuilt.", "lang": "en"}])
    assert list(Collection(path).ids()) == ["d1"]
    found = list(formats.iter_documents(path))
    assert found == [Document("d1", "Bridges", "Rebuilt.", None, {"lang": "en"})]


def test_only_wanted_documents_are_read(reading: Reading) -> None:
    values = [{"id": f"d{number}", "text": "x"} for number in range(9)]
    path = reading.path(gzip.compress(lines(*values)), "c.jsonl.gz")
    found = formats.iter_documents(path, ["d7", "d2", "d99"])
    assert [document.doc_id for document in found] == ["d2", "d7"]


@pytest.mark.usefixtures("datasets")
def test_wanted_documents_of_a_data_set_are_fetched() -> None:
    found = list(formats.iter_documents("irds:small", {"shard_99999", "shard_12345", "shard_9"}))
    assert found == [
        Document("shard_12345", "", "Text shard_12345."),
        Document("shard_99999", "", "Text shard_99999."),
    ]


@pytest.mark.usefixtures("datasets")
def test_all_documents_of_a_data_set_are_read_if_none_are_named() -> None:
    assert len(list(formats.iter_documents("irds:small"))) == 3


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        (None, "no data set 'big'"),
        (Dataset(has_docs=False), "has no documents"),
        (Broken(), "all download sources failed"),
    ],
)
def test_data_set_that_cannot_be_had_is_a_missing_resource(
    datasets: dict[str, Dataset], dataset: Dataset | None, message: str
) -> None:
    if dataset is not None:
        datasets["big"] = dataset
    with pytest.raises(MissingResourceError, match=message):
        list(formats.iter_documents("irds:big", {"d1"}))


def test_missing_package_is_a_missing_resource(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(MissingResourceError, match="pip install ir_datasets"):
        list(formats.iter_documents("irds:small", {"d1"}))
