"""A data set of ir_datasets, named `irds:ID`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from typing import Any

from argue_eval.errors import MissingResourceError, shorten
from argue_eval.records import Document

_NO_ID = (ValueError, AssertionError, LookupError, TypeError)
"""What some data sets raise for an id that is none of theirs."""


def documents(name: str, wanted: Collection[str] | None = None) -> Iterator[Document]:
    """Yields the documents of a data set, with the text fields that it takes by default.

    Nothing is downloaded unless the data set is not on this machine yet.

    Raises:
        MissingResourceError: ir_datasets is not installed, or the data set is not available.
    """
    try:
        for found in _fetched(_dataset(name), wanted):
            yield Document(doc_id=str(found.doc_id), text=found.default_text())
    except (OSError, RuntimeError) as exc:
        message = f"irds:{name}: the documents are not available: {shorten(str(exc), 200)}"
        hint = f"https://ir-datasets.com/{name} says how to get them"
        raise MissingResourceError(f"{message}; {hint}") from exc


def _dataset(name: str) -> Any:
    try:
        import ir_datasets
    except ImportError as exc:
        message = f"irds:{name}: ir_datasets is not installed; install it: pip install ir_datasets"
        raise MissingResourceError(message) from exc
    try:
        dataset = ir_datasets.load(name)
    except KeyError as exc:
        message = f"ir_datasets has no data set {shorten(name)}; `ir_datasets list` names them all"
        raise MissingResourceError(message) from exc
    if not dataset.has_docs():
        raise MissingResourceError(f"irds:{name}: this data set has no documents")
    return dataset


def num_documents(name: str) -> int | None:
    """The number of documents of a data set; None if it is unknown without reading them.

    Raises:
        MissingResourceError: as `documents` does.
    """
    try:
        number: int | None = _dataset(name).docs_count()
    except (AttributeError, NotImplementedError, OSError, RuntimeError):
        return None
    return number


def _fetched(dataset: Any, wanted: Collection[str] | None) -> Iterable[Any]:
    """Without an index, all documents are read."""
    if wanted is None:
        everything: Iterable[Any] = dataset.docs_iter()
        return everything
    store = dataset.docs_store()
    ids = sorted(wanted)
    try:
        found: dict[str, Any] = store.get_many(ids)
    except _NO_ID:
        found = {}
        for doc_id in ids:
            with suppress(*_NO_ID):
                found |= store.get_many([doc_id])
    return found.values()
