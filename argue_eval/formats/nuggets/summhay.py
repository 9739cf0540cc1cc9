"""SummHay's haystacks (`subtopics`), or its annotated summaries: insights as claim nuggets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import argue_eval.formats.summhay_files as summhay
from argue_eval.errors import count, shorten
from argue_eval.formats.checking import Check, Fields, as_fields
from argue_eval.records import Answer, Nugget, TopicNuggets

_OTHER_KINDS = ("summaries", "eval_summaries", "retriever")

Documents = dict[str, tuple[str, ...]]
"""The documents that have an insight, by the insight's id. A document's id is its place in the
haystack, from 1: the number by which summaries cite it."""


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the insights of each subtopic, which is a topic. They are attested by the documents
    that have them; where the file has no documents, by none.
    """
    known: dict[str, TopicNuggets] = {}
    for value in values:
        if summhay.is_haystack(value):
            yield from _haystack(value, check)
            continue
        found = _annotated(value, check)
        if found is None:
            continue
        # Every summary of a subtopic repeats its insights.
        if found.topic_id not in known:
            check.new_topic(found.topic_id, ("subtopic_id",))
            known[found.topic_id] = found
        elif found != known[found.topic_id]:
            message = f"the insights of {shorten(found.topic_id)} differ from those before"
            hint = "a subtopic has the same insights for all summaries"
            check.error("insights_differ", message, ("reference_insights",), hint=hint)
    yield from known.values()


def _haystack(value: Any, check: Check) -> Iterator[TopicNuggets]:
    documents = _documents(Fields(check, {**value}))
    num_known = 0
    for _, subtopic in summhay.subtopics([value], check):
        topic_id = subtopic.identifier("subtopic_id")
        check.new_topic(topic_id, subtopic.path)
        nuggets = _nuggets(subtopic, "insights", documents)
        num_known += sum(nugget.nugget_id in documents for nugget in nuggets)
        rest = subtopic.rest
        extra = {key: rest[key] for key in rest if key not in _OTHER_KINDS}
        yield TopicNuggets(topic_id=topic_id, nuggets=nuggets, extra=extra)
    if num_known < len(documents):
        number = len(documents) - num_known
        message = f"{count(number, 'id')} in 'insights_included' of no known insight"
        check.warn("unknown_insight", message, ("documents",), hint="check the ids", once=True)


def _documents(top: Fields) -> Documents:
    found: dict[str, dict[str, None]] = {}
    for place, document in enumerate(top.objects("documents", required=False)):
        for insight_id in document.identifiers("insights_included", required=False):
            found.setdefault(insight_id, {})[str(place + 1)] = None
    return {insight_id: tuple(doc_ids) for insight_id, doc_ids in found.items()}


def _annotated(value: Any, check: Check) -> TopicNuggets | None:
    top = as_fields(check, value)
    if top is None:
        return None
    topic_id = top.identifier("subtopic_id")
    nuggets = _nuggets(top, "reference_insights", {})
    about: dict[str, Any] = {key: top.rest[key] for key in ("topic", "subtopic") if key in top.rest}
    found = TopicNuggets(topic_id=topic_id, nuggets=nuggets, extra=about)
    return found if topic_id else None


def _nuggets(fields: Fields, name: str, documents: Documents) -> tuple[Nugget, ...]:
    seen: set[str] = set()
    nuggets = []
    for insight in fields.objects(name):
        nugget_id = insight.own_identifier("insight_id", seen, "the subtopic has two insights")
        text = insight.text("insight", blank=False)
        claim = Answer(answer=text, doc_ids=documents.get(nugget_id, ()))
        nugget = Nugget(nugget_id=nugget_id, question=None, answers=(claim,), extra=insight.rest)
        nuggets.append(nugget)
    return tuple(nuggets)
