"""JSON lines with `query_id` and `items` of `gold_answers`, or `questions` (NeuCLIR 2024)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, Fields, each_object
from argue_eval.formats.jsonl import JsonPath
from argue_eval.formats.nuggets._bank import (
    AGGREGATOR,
    doc_ids,
    each_once,
    importance,
    not_foreign,
    own_topic,
    with_ids,
)
from argue_eval.formats.writing import with_further
from argue_eval.records import Answer, Importance, Nugget, TopicNuggets

_AGGREGATOR = ("aggregator_type", "aggregator")


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the nuggets of each topic. Those that share a question stay apart."""
    for top in each_object(check, values):
        topic_id = top.identifier("query_id", "request_id", "topic_id", or_number=True)
        check.new_topic(topic_id, top.path)
        if "questions" in top.rest:
            nuggets = [_listed(check, *entry) for entry in top.items("questions")]
        else:
            nuggets = [_item(each, topic_id) for each in top.objects("items")]
        yield TopicNuggets(topic_id=topic_id, nuggets=with_ids(nuggets), extra=top.rest)


def _item(fields: Fields, topic_id: str = "") -> Nugget:
    own_topic(fields, topic_id)
    nugget_id = fields.identifier("question_id", required=False, or_number=True)
    question = fields.text("question_text", "question", blank=False)
    entries = fields.items("gold_answers", "answers", required=False)
    return Nugget(
        nugget_id=nugget_id,
        question=question,
        answers=each_once(fields.check, (_answer(fields.check, *entry) for entry in entries)),
        aggregator=fields.choice(AGGREGATOR, *_AGGREGATOR),
        importance=_importance(fields),
        extra=fields.rest,
    )


def _importance(fields: Fields) -> Importance | None:
    """The importance stands in `info`; what else is there is kept."""
    info = fields.object("info", required=False)
    if info is None:
        return importance(fields)
    matters = importance(info)
    if info.rest:
        fields.rest["info"] = info.rest
    return matters


def _listed(check: Check, item: Any, path: JsonPath) -> Nugget:
    """Reads ``[question, [[answer, [doc_id]]]]``."""
    if type(item) is dict:
        return _item(Fields(check, item, path))
    is_pair = type(item) is list and len(item) == 2
    if not is_pair or type(item[0]) is not str or type(item[1]) is not list:
        check.wrong_type("[question, [[answer, [doc_id, …]], …]]", item, path)
        return Nugget(nugget_id="", question="")
    question, found = item
    if not question.strip():
        check.error("blank_text", "expected a question, found white space", (*path, 0))
    entries = [(each, (*path, 1, index)) for index, each in enumerate(found)]
    answers = each_once(check, (_answer(check, *entry) for entry in entries))
    gold = answers[0].answer if len(answers) == 1 and not answers[0].doc_ids else ""
    if gold.strip(" .").lower() in ("no", "none"):  # the collection does not have it
        return Nugget(nugget_id="", question=question, extra={"gold_answer": gold})
    return Nugget(nugget_id="", question=question, answers=answers)


def _answer(check: Check, value: Any, path: JsonPath) -> tuple[Answer, JsonPath]:
    """Reads a text, ``[answer, [doc_id]]`` or an object."""
    if type(value) is str and value.strip():
        return Answer(answer=value), path
    if type(value) is dict:
        fields = Fields(check, value, path)
        text = fields.text("answer", blank=False)
        attesting = doc_ids(fields)
        return Answer(answer=text, doc_ids=attesting, extra=fields.rest), path
    if type(value) is list and len(value) == 2 and type(value[0]) is str and value[0].strip():
        fields = Fields(check, {"doc_ids": value[1]}, (*path, 1))
        return Answer(answer=value[0], doc_ids=doc_ids(fields, "doc_ids")), path
    check.wrong_type("an answer, or [answer, [doc_id, …]]", value, path)
    return Answer(answer=""), path


def why_not(nugget: Nugget) -> str:
    """Why the format cannot hold a nugget; an empty text if it can."""
    return "this format has questions only, and it is a claim" if nugget.is_claim else ""


def encode(topic: TopicNuggets) -> dict[str, Any]:
    """A topic's nuggets as a JSON value: `items` with `gold_answers`."""
    items = [_item_value(nugget, topic.topic_id) for nugget in topic.nuggets]
    return with_further({"query_id": topic.topic_id, "items": items}, topic.extra, ("questions",))


def _item_value(nugget: Nugget, topic_id: str) -> dict[str, Any]:
    value: dict[str, Any] = {
        "query_id": nugget.extra.get("query_id", topic_id),
        "question_id": nugget.nugget_id,
        "question_text": nugget.question,
        "gold_answers": [
            [each.answer, each.doc_ids] if each.doc_ids else each.answer for each in nugget.answers
        ],
    }
    info = nugget.extra.get("info")
    info = info if type(info) is dict else {}
    word = {"importance": nugget.importance.value} if nugget.importance else {}
    held = with_further(word, info, not_foreign(info))
    if not held:
        left_out = "info", *_AGGREGATOR, *not_foreign(nugget.extra)
        return with_further(value, nugget.extra, left_out)
    value["info"] = held
    return with_further(value, nugget.extra, _AGGREGATOR)
