"""Document ids against collections, and the id that was probably meant."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import chain

from argue_eval.errors import shorten
from argue_eval.formats.collection import Collection, nearest
from argue_eval.records import TopicNuggets
from argue_eval.validation.ingest.found import Found, count


def check(
    topics: Sequence[TopicNuggets],
    collections: Sequence[Collection],
    known: Set[str],
    found: Found,
) -> None:
    """Warns of ids that no document has, with the nearest one that there is."""
    unknown = {
        topic.topic_id: list(
            dict.fromkeys(
                doc_id
                for nugget in topic.nuggets
                for answer in nugget.answers
                for doc_id in answer.doc_ids
                if doc_id not in known
            )
        )
        for topic in topics
    }
    meant = nearest(list(dict.fromkeys(chain(*unknown.values()))), collections)
    for topic_id, doc_ids in unknown.items():
        for doc_id in doc_ids:
            near = meant.get(doc_id)
            guess = f"is {near} meant? " if near else ""
            message = f"no document of the collection has the id {shorten(doc_id)}"
            hint = f"{guess}{'A' if guess else 'a'}n answer counts only if its document is cited"
            found.warn("unknown_document", message, hint, topic_id)
    num_unknown, num_all = len(set(chain(*unknown.values()))), len(known)
    if num_unknown and not num_all:
        message = f"none of the {count(num_unknown, 'document id')} is in the collection"
        found.warn("other_collection", message, "check that it is the track's own collection")
