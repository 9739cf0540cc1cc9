"""JSON lines with `doc_id`, `title`, `text`, or as other collections call them; may be gzipped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from argue_eval.errors import shorten
from argue_eval.formats.checking import Check, as_fields
from argue_eval.records import Document

IDS = ("doc_id", "id", "docno", "docid")
_TEXTS = ("text", "segment", "contents", "body")


def read(
    values: Iterable[Any], check: Check, wanted: Collection[str] | None = None
) -> Iterator[Document]:
    """Yields the documents that are wanted. Of the others, no more than the id is looked at."""
    seen: set[str] = set()
    for value in values:
        if wanted is not None and _is_unwanted(value, wanted):
            continue
        fields = as_fields(check, value)
        if fields is None:
            continue
        num_errors = len(check.errors)
        doc_id = fields.identifier(*IDS)
        title = fields.text("title", required=False)
        text = fields.text(*_TEXTS)
        language = fields.text("language", required=False) or None
        if doc_id and doc_id in seen:
            message = f"the document {shorten(doc_id)} occurs again"
            check.error("duplicate_document", message, hint="keep one of the two")
        seen.add(doc_id)
        if len(check.errors) == num_errors:
            yield Document(
                doc_id=doc_id, title=title, text=text, language=language, extra=fields.rest
            )


def _is_unwanted(value: Any, wanted: Collection[str]) -> bool:
    if type(value) is not dict:
        return False
    for key in IDS:
        if key in value:
            return type(value[key]) is str and bool(value[key]) and value[key] not in wanted
    return False
