"""What the readers of the RAG track's judgments of support have in common.

A line is a report with its sentences, and for each of their citations how far it supports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.errors import shorten
from argue_eval.formats.checking import Check, Fields, each_object


def topic_id_of(top: Fields) -> str:
    """The topic's id."""
    return top.identifier("topic_id", "narrative_id", or_number=True)


def reports(values: Iterable[Any], check: Check) -> Iterator[tuple[Fields, str, str]]:
    """Yields each line with its topic and run; notes an error for one that occurs again."""
    seen: set[tuple[str, str]] = set()
    for top in each_object(check, values):
        topic_id, run_id = topic_id_of(top), top.identifier("run_id")
        if (topic_id, run_id) in seen:
            message = f"the report of {shorten(run_id)} on {shorten(topic_id)} occurs again"
            check.error("duplicate_report", message, hint="keep one of the two", topic_id=topic_id)
        seen.add((topic_id, run_id))
        yield top, topic_id, run_id


def citations(sentence: Fields) -> dict[str, Fields]:
    """The citations of a sentence by document: of two of one document, the first."""
    found: dict[str, Fields] = {}
    for each in sentence.objects("citations", required=False):
        doc_id = each.identifier("reference")
        if doc_id in found:
            message = f"the sentence cites {shorten(doc_id)} again; the first citation counts"
            sentence.check.warn("duplicate_citation", message, each.path, once=True)
        else:
            found[doc_id] = each
    return found
