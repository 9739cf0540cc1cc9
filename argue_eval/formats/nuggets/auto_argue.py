"""Auto-ARGUE's v3: `query_id` and `nugget_bank` by question; JSON, JSON lines or a directory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.errors import Finding, InputError, shorten
from argue_eval.formats.checking import MISSING, Check, Fields, as_fields, each_object
from argue_eval.formats.nuggets._bank import (
    AGGREGATOR,
    doc_ids,
    each_once,
    importance,
    own_topic,
    references,
    with_ids,
    with_importance,
)
from argue_eval.formats.nuggets.ragtime26 import answer, answer_value
from argue_eval.formats.writing import with_further
from argue_eval.records import Answer, Nugget, TopicNuggets

VERSION = "v3"


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the nuggets of each topic: first the questions, then the claims."""
    for top in each_object(check, values):
        topic_id = top.identifier("query_id")
        check.new_topic(topic_id, top.path)
        if top.rest.get("format_version") == VERSION:
            del top.rest["format_version"]
        nuggets = []
        for name, key in (("nugget_bank", "question"), ("claim_bank", "claim")):
            for entry in _bank(top, name, key):
                own_topic(entry, topic_id)
                nuggets.append(_nugget(entry, key))
        yield TopicNuggets(topic_id=topic_id, nuggets=with_ids(nuggets), extra=top.rest)


def _bank(fields: Fields, name: str, key: str) -> Iterator[Fields]:
    """Yields the objects of a list, or of an object that is keyed by their texts."""
    value, path = fields.take(name, required=False)
    if value is MISSING:
        return
    entries: Iterable[tuple[str | int, Any]]
    if type(value) is dict:
        entries = value.items()
    elif type(value) is list:
        entries = enumerate(value)
    else:
        fields.check.wrong_type(f"an object with a {key} for each key", value, path)
        return
    for step, entry in entries:
        found = as_fields(fields.check, entry, (*path, step))
        if found is not None:
            if type(step) is str and key not in found.rest:
                found.rest[key] = step
            yield found


def _nugget(fields: Fields, key: str) -> Nugget:
    """A nugget whose text is under a key: a question, or a claim, which is its own answer."""
    if fields.rest.get("sub_nuggets"):
        message = "the nugget has sub_nuggets, which are not scored"
        hint = "only its own answers count: write each sub-nugget as a nugget if it should"
        path = (*fields.path, "sub_nuggets")
        fields.check.warn("sub_nuggets", message, path, hint=hint, once=True)
    text = fields.text(key, blank=False)
    nugget = Nugget(
        nugget_id=fields.identifier(f"{key}_id", required=False),
        question=None if key == "claim" else text,
        aggregator=fields.choice(AGGREGATOR, "aggregator_type", "aggregator"),
        importance=importance(fields),
        extra=fields.rest,
    )
    if key == "claim":
        claim = Answer(answer=text, doc_ids=doc_ids(fields, "references"))
        return nugget._replace(answers=(claim,))
    found = map(answer, _bank(fields, "answers", "answer"))
    return nugget._replace(answers=each_once(fields.check, found))


def explain(raw: bytes, error: InputError) -> InputError:
    """Explains a question that occurs twice as a key; any other error stays the same."""
    found = error.findings[0]
    if found.code != "duplicate_key" or b'"nugget_bank"' not in raw:
        return error
    question = _merged_question(raw)
    if question is None:
        return error
    message = (
        f"two nuggets have the question {shorten(question)}, and this format is keyed by question: "
        "a reader keeps one of the two, which lowers the number of nuggets that recall divides by"
    )
    hint = "use a format with a list of nuggets (canonical, ragtime26), where each has an id"
    return InputError(Finding("merged_questions", message, hint, found.file, found.line))


def _merged_question(raw: bytes) -> str | None:
    merged: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: set[str] = set()
        for key, value in items:
            if key in seen and type(value) is dict and {"answers", "question"} & value.keys():
                merged.append(key)
            seen.add(key)
        return dict(items)

    try:
        json.loads(raw, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return None
    return merged[0] if merged else None


def arranged(nuggets: Iterable[tuple[int, Nugget]]) -> list[tuple[int, Nugget]]:
    """Arranges nuggets such that two banks that are keyed by text can hold them.

    First the questions, then the claims; a text that another nugget has before is numbered, for
    merging the two would change how many nuggets there are.
    """
    found = list(nuggets)
    by_kind = [
        [each for each in found if each[1].is_claim is is_claim] for is_claim in (False, True)
    ]
    return [pair for part in by_kind for pair in _distinct(part)]


def _distinct(nuggets: list[tuple[int, Nugget]]) -> Iterator[tuple[int, Nugget]]:
    taken = {_text(nugget) for _, nugget in nuggets}
    seen: set[str] = set()
    for place, nugget in nuggets:
        text, number = _text(nugget), 2
        if text in seen:
            while f"{text} ({number})" in taken:
                number += 1
            text = f"{text} ({number})"
            taken.add(text)
            nugget = _with_text(nugget, text)
        seen.add(text)
        yield place, nugget


def _text(nugget: Nugget) -> str:
    return nugget.answers[0].answer if nugget.question is None else nugget.question


def _with_text(nugget: Nugget, text: str) -> Nugget:
    if nugget.question is None:
        return nugget._replace(answers=(nugget.answers[0]._replace(answer=text),))
    return nugget._replace(question=text)


def encode(topic: TopicNuggets) -> dict[str, Any]:
    """The nuggets of a topic as a JSON value. They are arranged, so no key occurs twice."""
    version = topic.extra.get("format_version", VERSION)
    value: dict[str, Any] = {"query_id": topic.topic_id, "format_version": version}
    questions = [each for each in topic.nuggets if not each.is_claim]
    claims = [each for each in topic.nuggets if each.is_claim]
    value["nugget_bank"] = {_text(each): _value(each, topic.topic_id) for each in questions}
    if claims:
        value["claim_bank"] = {_text(each): _value(each, topic.topic_id) for each in claims}
    return with_further(value, topic.extra, ("claim_bank",))


def _value(nugget: Nugget, topic_id: str) -> dict[str, Any]:
    key = "claim" if nugget.is_claim else "question"
    value: dict[str, Any] = {
        key: _text(nugget),
        f"{key}_id": nugget.nugget_id,
        "query_id": nugget.extra.get("query_id", topic_id),
        "aggregator_type": nugget.aggregator.value,
    }
    if nugget.is_claim:
        details = nugget.extra.get("references")
        value["references"] = references(nugget.answers[0], details, as_objects=True)
    else:
        answers = nugget.answers
        value["answers"] = {each.answer: answer_value(each, as_objects=True) for each in answers}
    return with_importance(value, nugget)
