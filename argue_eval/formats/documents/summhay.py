"""SummHay's haystacks: `documents`, named by their places, from 1, as summaries cite them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, as_fields
from argue_eval.records import Document


def read(
    values: Iterable[Any], check: Check, wanted: Collection[str] | None = None
) -> Iterator[Document]:
    """Yields the documents that are wanted."""
    for number, value in enumerate(values):
        if number:
            message = "a second haystack: its documents have the same numbers as those of the first"
            check.error("duplicate_document", message, hint="name a file with one haystack")
            return
        top = as_fields(check, value)
        for place, document in enumerate(top.objects("documents") if top else ()):
            doc_id = str(place + 1)
            text = document.text("document_text")
            if wanted is None or doc_id in wanted:
                yield Document(doc_id=doc_id, text=text, extra=document.rest)
