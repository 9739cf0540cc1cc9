"""Checks that the cited documents are in the collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from argue_eval.errors import shorten
from argue_eval.formats.collection import Advance, Collection, existing, nearest
from argue_eval.validation.audit import Audit


def check_collection(
    names: Sequence[str], audits: Iterable[Audit], advance: Advance | None = None
) -> None:
    """Checks that every cited document is in one of the collections.

    The collections are read once for all runs, and again if there are ids to be guessed.
    """
    audits = list(audits)
    collections = [Collection(name) for name in names]
    cited = {doc_id for audit in audits for doc_id in audit.cited or ()}
    unknown = cited - existing(collections, cited, advance)
    meant = nearest(sorted(unknown), collections)
    for audit in audits:
        for doc_id, (line, path, topic_id, sentence) in (audit.cited or {}).items():
            if doc_id in unknown:
                near = meant.get(doc_id)
                hint = f"is {shorten(near, 80)} meant?" if near else "correct or remove it"
                message = f"the collection has no document {shorten(doc_id, 80)}"
                audit.found("unknown_document", message, hint=hint, sentence=sentence,
                            topic_id=topic_id, place=(line, path))  # fmt: skip
