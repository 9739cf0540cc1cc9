"""JSON lines with `qid` and weighted criteria in `rubrics` (ResearchRubrics) or `criteria`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.assignments import ASSIGNED, RUBRICS, squeezed
from argue_eval.formats.checking import Check, Fields, each_object
from argue_eval.formats.nuggets._bank import with_ids
from argue_eval.formats.writing import with_further
from argue_eval.records import MAX_WEIGHT, Answer, Nugget, TopicNuggets


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the criteria of each topic. They are claims without documents.

    Graded rubrics have a line per answer, with the same criteria in each: the first one is taken.
    """
    for top in each_object(check, values):
        topic_id = top.identifier("qid", or_number=True)
        key = "rubrics" if "rubrics" in top.rest else RUBRICS.items
        nuggets = with_ids(map(_nugget, top.objects(key)))
        found = [(squeezed(each.answers[0].answer), each.weight) for each in nuggets]
        first = check.repeated.setdefault(topic_id, found)
        if first is not found and first == found:
            continue
        hint = "the criteria of the two differ: keep one of the two"
        check.new_topic(topic_id, top.path, hint)
        extra = {name: value for name, value in top.rest.items() if name not in ASSIGNED}
        yield TopicNuggets(topic_id, nuggets, extra)


def _nugget(fields: Fields) -> Nugget:
    claim = Answer(fields.text("criterion", "text", blank=False))
    weight = fields.number("weight", -MAX_WEIGHT, MAX_WEIGHT)
    if weight is None and not fields.check.errors:
        message = "a criterion without weight counts as one of weight 1"
        fields.check.warn("missing_weight", message, fields.path, hint="add it", once=True)
    fields.rest.pop(RUBRICS.label, None)
    return Nugget("", None, (claim,), extra=fields.rest, weight=weight)


def why_not(nugget: Nugget) -> str:
    """Why the format cannot hold a nugget; an empty text if it can."""
    if not nugget.is_claim:
        return "this format has criteria only, and it is a question"
    return "" if nugget.answers[0].answer.strip() else "it has no text"


def encode(topic: TopicNuggets) -> dict[str, Any]:
    """A topic's criteria as a JSON value."""
    criteria = []
    for nugget in topic.nuggets:
        weight = {} if nugget.weight is None else {"weight": nugget.weight}
        value = {"criterion": nugget.answers[0].answer, **weight}
        criteria.append(with_further(value, nugget.extra, ("weight", "text", RUBRICS.label)))
    return with_further({"qid": topic.topic_id, "rubrics": criteria}, topic.extra, ASSIGNED)
