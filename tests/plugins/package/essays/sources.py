"""JSON lines with `source` and `body`."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, as_fields
from argue_eval.records import Document

SHAPES = (("source", "body"),)


def read(
    values: Iterable[Any], check: Check, wanted: Collection[str] | None = None
) -> Iterator[Document]:
    """Yields the documents that are wanted."""
    for value in values:
        fields = as_fields(check, value)
        if fields is not None:
            document = Document(doc_id=fields.identifier("source"), text=fields.text("body"))
            if wanted is None or document.doc_id in wanted:
                yield document
