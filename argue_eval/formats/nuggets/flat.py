"""A row for each answer, as CSV, TSV or JSON lines: `topic_id`, `question`, `answer`, `doc_ids`.

Rows with one `nugget_id`, or without it with one question, are one nugget. What belongs to the
nugget is in each of its rows, or in its first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from argue_eval.errors import shorten
from argue_eval.formats.checking import Check, Fields, each_object
from argue_eval.formats.nuggets import _bank
from argue_eval.records import MAX_WEIGHT, Answer, Nugget, TopicNuggets

_OF_NUGGET = ("question", "aggregator", "importance", "weight", "group")
_BETWEEN_IDS = re.compile(r"[\s,;|]+")


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the nuggets of each topic, all rows having been read."""
    topics: dict[str, dict[str, Nugget]] = {}
    for fields in each_object(check, values):
        fields.rest = {key: value for key, value in fields.rest.items() if value != ""}
        topic_id = fields.identifier("topic_id")
        if topic_id not in topics:
            check.new_topic(topic_id, ("topic_id",))
        nuggets = topics.setdefault(topic_id, {})
        own_id = fields.identifier("nugget_id", required=False)
        given = [name for name in _OF_NUGGET if name in fields.rest]
        found = _row(fields)
        key = own_id or found.question or "".join(each.answer for each in found.answers)
        if not key:
            fields.missing("question")
        earlier = nuggets.get(key)
        if earlier is None:
            nuggets[key] = found._replace(nugget_id=own_id or f"n{len(nuggets) + 1}")
        else:
            nuggets[key] = _joined(earlier, found, given, check)
    for topic_id, nuggets in topics.items():
        yield TopicNuggets(topic_id, _bank.with_ids(nuggets.values()))


def _row(fields: Fields) -> Nugget:
    """A nugget with the answer of one row, or none."""
    weight, doc_ids = fields.rest.get("weight"), fields.rest.get("doc_ids")
    if type(weight) is str:
        with suppress(ValueError):
            fields.rest["weight"] = float(weight)
    if type(doc_ids) is str:
        fields.rest["doc_ids"] = list(filter(None, _BETWEEN_IDS.split(doc_ids)))
    question = fields.text("question", required=False) or None
    text = fields.text("answer", required=False, blank=False)
    attesting = _bank.doc_ids(fields)
    if attesting and not text:
        fields.missing("answer")
    if question is None and not text:
        fields.missing("question")
    return Nugget(
        nugget_id="",
        question=question,
        aggregator=fields.choice(_bank.AGGREGATOR, "aggregator"),
        importance=_bank.importance(fields),
        weight=fields.number("weight", -MAX_WEIGHT, MAX_WEIGHT),
        group=fields.text("group", required=False),
        answers=(Answer(answer=text, doc_ids=attesting, extra=fields.rest),) if text else (),
    )


def _joined(first: Nugget, row: Nugget, given: Iterable[str], check: Check) -> Nugget:
    """A nugget with the answer of a further row, which says nothing else that differs."""
    for name in given:
        if getattr(row, name) != getattr(first, name):
            message = f"the nugget {shorten(first.nugget_id)} has another {name} in an earlier row"
            hint = "write the same in all of its rows, or give each nugget an id of its own"
            check.error("duplicate_nugget", message, (name,), hint=hint)
    if first.question is None:
        message = f"the nugget {shorten(first.nugget_id)} has no question, and several answers"
        check.error("claim_answers", message, hint="write the question, or a nugget for each claim")
    both = ((each, ()) for each in (*first.answers, *row.answers))
    return first._replace(answers=_bank.each_once(check, both))
