"""JSON lines with `metadata` and a list `nugget_bank` (RAGTIME 2026, task 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, Fields, as_fields
from argue_eval.formats.jsonl import JsonPath
from argue_eval.formats.nuggets._bank import (
    AGGREGATOR,
    doc_ids,
    each_once,
    importance,
    references,
    with_ids,
    with_importance,
)
from argue_eval.formats.writing import with_further
from argue_eval.records import Answer, Nugget, TopicNuggets


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the nuggets of each topic; their ids are their places: n1, n2, …"""
    for value in values:
        top = as_fields(check, value)
        meta = top and top.object("metadata")
        if not top or not meta:
            continue
        topic_id = meta.identifier("topic_id")
        check.new_topic(topic_id, meta.path)
        nuggets = with_ids(map(_question, top.objects("nugget_bank")))
        extra = {**top.rest, "metadata": meta.rest} if meta.rest else top.rest
        yield TopicNuggets(topic_id=topic_id, nuggets=nuggets, extra=extra)


def _question(fields: Fields) -> Nugget:
    found = (answer(each) for each in fields.objects("answers", required=False))
    return Nugget(
        nugget_id="",
        question=fields.text("question", blank=False),
        aggregator=fields.choice(AGGREGATOR, "aggregator_type", "aggregator"),
        importance=importance(fields),
        answers=each_once(fields.check, found),
        extra=fields.rest,
    )


def answer(fields: Fields) -> tuple[Answer, JsonPath]:
    """Reads an answer with the documents that are its references."""
    text = fields.text("answer", blank=False)
    attesting = doc_ids(fields, "references")
    return Answer(answer=text, doc_ids=attesting, extra=fields.rest), fields.path


def why_not(nugget: Nugget) -> str:
    """Why a bank cannot hold a nugget; an empty text if it can."""
    return "a bank has questions only, and it is a claim" if nugget.is_claim else ""


def encode(topic: TopicNuggets) -> dict[str, Any]:
    """A topic's nuggets as a JSON value. They have no ids but their places."""
    metadata = topic.extra.get("metadata")
    ids = {"topic_id": topic.topic_id}
    value = {
        "metadata": with_further(ids, metadata if type(metadata) is dict else {}),
        "nugget_bank": [_question_value(nugget) for nugget in topic.nuggets],
    }
    return with_further(value, topic.extra)


def _question_value(nugget: Nugget) -> dict[str, Any]:
    value = {
        "question": nugget.question,
        "aggregator_type": nugget.aggregator.value,
        "answers": [answer_value(each, as_objects=False) for each in nugget.answers],
    }
    return with_importance(value, nugget)


def answer_value(answer: Answer, *, as_objects: bool) -> dict[str, Any]:
    """An answer as a JSON value.

    Args:
        as_objects: write a reference as an object even if it is no more than an id.
    """
    found = references(answer, answer.extra.get("references"), as_objects=as_objects)
    return with_further({"answer": answer.answer, "references": found}, answer.extra)
