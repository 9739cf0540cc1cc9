"""One JSON document with `format` and `topics`, each with its list of `nuggets`.

Topics by themselves, as people write them by hand, are read too: a list of them, or one a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.errors import describe
from argue_eval.formats.checking import Check, Choice, Fields, as_fields
from argue_eval.formats.nuggets._bank import AGGREGATOR, IMPORTANCES, merged
from argue_eval.formats.writing import with_further
from argue_eval.records import MAX_WEIGHT, Answer, Importance, Nugget, TopicNuggets

NUGGETS_FORMAT = "argue-eval/nuggets/1"
START = f'{{"format": "{NUGGETS_FORMAT}", "topics": [\n'
BETWEEN = ",\n"
END = "\n]}\n"

_IMPORTANCE: Choice[Importance | None] = Choice(IMPORTANCES, default=None)


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the nuggets of each topic."""
    for value in values:
        top = as_fields(check, value)
        if top is None:
            continue
        is_alone = "topics" not in top.rest and "nuggets" in top.rest
        version, path = (NUGGETS_FORMAT, top.path) if is_alone else top.take("format")
        if version != NUGGETS_FORMAT and path != top.path:
            message = f"expected {NUGGETS_FORMAT!r}, found {describe(version)}"
            hint = "this version of argue-eval reads no other"
            check.error("unknown_version", message, path, hint=hint)
        for topic in [top] if is_alone else top.objects("topics"):
            topic_id = topic.identifier("topic_id")
            check.new_topic(topic_id, topic.path)
            nuggets = nuggets_of(topic, "nuggets")
            yield TopicNuggets(topic_id=topic_id, nuggets=nuggets, extra=topic.rest)
        if top.rest and not is_alone:
            message = f"further keys beside 'topics' are not kept: {', '.join(top.rest)[:200]}"
            check.warn("unused_key", message, once=True)


def nuggets_of(topic: Fields, name: str) -> tuple[Nugget, ...]:
    """The nuggets of a list in an object."""
    check = topic.check
    seen: set[str] = set()
    nuggets = []
    for fields in topic.objects(name):
        nugget_id = fields.own_identifier("nugget_id", seen, "the topic has two nuggets")
        is_claim = fields.rest.get("question") is None
        is_absent = "question" not in fields.rest  # null says that it is a claim
        question = fields.text("question", required=is_absent, blank=False)
        answers: dict[str, Answer] = {}
        for each in fields.objects("answers"):
            text = each.text("answer", blank=False)
            listed = each.items("doc_ids", required=False)
            doc_ids = dict.fromkeys([check.identifier(*item) for item in listed])
            answer = Answer(text, tuple(doc_ids), each.rest)
            earlier = answers.get(text)
            answers[text] = merged(earlier, answer, check, each.path) if earlier else answer
        if is_claim and len(answers) != 1:
            message = f"a nugget without question has one answer, its claim; found {len(answers)}"
            hint = "write the question, or a nugget for each claim"
            check.error("claim_answers", message, (*fields.path, "answers"), hint=hint)
        # Of another type, they are further keys.
        has_weight = type(fields.rest.get("weight")) in (int, float)
        has_group = type(fields.rest.get("group")) is str
        nugget = Nugget(
            nugget_id=nugget_id,
            question=None if is_claim else question,
            answers=tuple(answers.values()),
            aggregator=fields.choice(AGGREGATOR, "aggregator"),
            importance=fields.choice(_IMPORTANCE, "importance"),
            weight=fields.number("weight", -MAX_WEIGHT, MAX_WEIGHT) if has_weight else None,
            group=fields.text("group") if has_group else "",
            extra=fields.rest,
        )
        nuggets.append(nugget)
    return tuple(nuggets)


def encode(topic: TopicNuggets) -> dict[str, Any]:
    """A topic's nuggets as a JSON value."""
    nuggets = [nugget_value(nugget) for nugget in topic.nuggets]
    return with_further({"topic_id": topic.topic_id, "nuggets": nuggets}, topic.extra)


def nugget_value(nugget: Nugget) -> dict[str, Any]:
    """A nugget as a JSON value."""
    value: dict[str, Any] = {
        "nugget_id": nugget.nugget_id,
        "question": nugget.question,
        "aggregator": nugget.aggregator.value,
        "importance": nugget.importance.value if nugget.importance else None,
        "answers": [
            with_further({"answer": each.answer, "doc_ids": each.doc_ids}, each.extra)
            for each in nugget.answers
        ],
    }
    if nugget.weight is not None:
        value["weight"] = nugget.weight
    if nugget.group:
        value["group"] = nugget.group
    return with_further(value, nugget.extra)


def why_not(nugget: Nugget) -> str:
    """Why the format cannot hold a nugget; an empty text if it can."""
    has_texts = all(each.answer.strip() for each in nugget.answers)
    return "" if has_texts else "it has no text"
