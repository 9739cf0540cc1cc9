"""JSON lines with `qid`, `query` and `nuggets` of `text` and `importance` (nuggetizer)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, Fields, each_object
from argue_eval.formats.nuggets._bank import NuggetIds, importance, with_importance
from argue_eval.formats.writing import with_further
from argue_eval.records import Answer, Nugget, TopicNuggets

SHAPES = (("qid", "nuggets"), ("qid", "query", "nuggets"))


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the nuggets of each topic. They are claims without documents.

    Assignments have a line per run, with the same nuggets in each: the first one is taken.
    """
    texts: dict[str, list[str]] = {}
    for top in each_object(check, values):
        topic_id = top.identifier("qid", or_number=True)
        if top.rest.get("query") == "":
            del top.rest["query"]
        ids = NuggetIds()
        nuggets = tuple(_nugget(each, ids) for each in top.objects("nuggets"))
        found = [nugget.answers[0].answer for nugget in nuggets]
        if found == texts.setdefault(topic_id, found) and topic_id in check.topics:
            continue
        if topic_id:
            hint = "the nuggets of the two differ: keep one of the two"
            check.new_topic(topic_id, top.path, hint)
        yield TopicNuggets(topic_id=topic_id, nuggets=nuggets, extra=top.rest)


def _nugget(fields: Fields, ids: NuggetIds) -> Nugget:
    claim = Answer(answer=fields.text("text", blank=False))
    matters = importance(fields)
    return Nugget(
        nugget_id=ids.unique(),
        question=None,
        answers=(claim,),
        importance=matters,
        extra=fields.rest,
    )


def why_not(nugget: Nugget) -> str:
    """Why the format cannot hold a nugget; an empty text if it can."""
    return "" if nugget.is_claim else "this format has claims only, and it is a question"


def encode(topic: TopicNuggets) -> dict[str, Any]:
    """A topic's nuggets, which are claims, as a JSON value."""
    nuggets = [with_importance({"text": each.answers[0].answer}, each) for each in topic.nuggets]
    query = topic.extra.get("query", "")  # nuggetizer does not read a file without
    value = {"query": query, "qid": topic.topic_id, "nuggets": nuggets}
    return with_further(value, topic.extra)
