"""Documents that answers name: none, placeholders, or such as can't be meant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from argue_eval.errors import shorten
from argue_eval.records import TopicNuggets
from argue_eval.validation.ingest.found import Found, count, named, some

_FEWEST = 4
_PLACEHOLDERS = """
    none null nil nan na n/a n.a. unknown unk missing empty placeholder dummy sample example tbd
    todo tba test foo bar xxx id docid doc_id doc document ? - -- . 0 -1
"""
_WORDS = frozenset(_PLACEHOLDERS.split())
_NUMBERED = re.compile(r"(?:doc|document|docid)[-_ #.]?\d{1,3}")
_MOST_NUMBERED = 20
"""With more ids such as doc1, the collection simply calls its documents so."""

_ANY_DOCUMENT = (
    "add the ids, or score with --attestation any-document, which credits an answer whatever "
    "document is cited"
)


def named_times(topics: Sequence[TopicNuggets]) -> Counter[str]:
    """Returns how many answers name each document, in input order."""
    return Counter(
        doc_id
        for topic in topics
        for nugget in topic.nuggets
        for answer in nugget.answers
        for doc_id in answer.doc_ids
    )


def check(topics: Sequence[TopicNuggets], existing: Collection[str], found: Found) -> None:
    """Warns of answers without documents, and of ids that are none.

    Args:
        existing: those of the ids that a collection has; none if no collection is at hand.
    """
    times = named_times(topics)
    num_answers = sum(len(nugget.answers) for topic in topics for nugget in topic.nuggets)
    if not times:
        if num_answers:
            message = f"none of the {count(num_answers, 'answer')} names a document"
            found.warn("no_document_ids", message, _ANY_DOCUMENT)
        return
    _check_bare(topics, found)
    if len(times) == 1 and num_answers >= _FEWEST:
        message = f"all answers name the same document, {shorten(next(iter(times)))}"
        found.warn("placeholder_document_ids", message, _ANY_DOCUMENT)
        return
    for doc_id in _placeholders(times, existing):
        message = f"{count(times[doc_id], 'answer')} with the document {shorten(doc_id)}, "
        hint = "write the ids of documents, or none"
        found.warn("placeholder_document_ids", message + "which looks like a placeholder", hint)


def _check_bare(topics: Sequence[TopicNuggets], found: Found) -> None:
    for topic in topics:
        for nugget in topic.nuggets:
            bare = [answer.answer for answer in nugget.answers if not answer.doc_ids]
            if bare:
                message = f"{named(nugget)} has answers without documents: {some(bare, 3)}"
                hint = "add the ids of documents that attest them; no citation can be credited now"
                found.warn("answer_without_documents", message, hint, topic.topic_id)


def _placeholders(times: Counter[str], existing: Collection[str]) -> list[str]:
    odd = [each for each in times if each not in existing]
    numbered = [each for each in odd if _NUMBERED.fullmatch(each.casefold())]
    if len(numbered) > _MOST_NUMBERED:
        numbered = []
    return [each for each in odd if each.strip().casefold() in _WORDS or each in numbered]
