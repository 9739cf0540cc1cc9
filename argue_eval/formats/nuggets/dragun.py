"""DRAGUN's `rubrics`: weighted questions with `short_answers`; or its assessments as CSV.

Of the assessments alone, every answer is a question of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from argue_eval.errors import describe, shorten
from argue_eval.formats import assessments
from argue_eval.formats.checking import MISSING, Check, Fields, each_object
from argue_eval.formats.writing import with_further
from argue_eval.records import Answer, Nugget, TopicNuggets

_WEIGHTS = {"a": 4.0, "b": 2.0, "c": 1.0}
_WORDS = {"have to know": 4.0, "good to know": 2.0, "nice to know": 1.0}
_IMPORTANCES = {4.0: "A: Have to Know", 2.0: "B: Good to Know", 1.0: "C: Nice to Know"}
_QUESTION = ("question", "question_text")
_ANSWER = ("answer", "short_answer", "answer_text", "text")


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the answers of each topic, each a nugget with the question's weight and group."""
    values = iter(values)
    first = next(values, None)
    found = chain([first], values)
    if type(first) is dict and "rubrics" not in first:
        yield from _assessed(found, check)
        return
    for top in each_object(check, found):
        topic_id = top.identifier("topic_id")
        check.new_topic(topic_id, top.path)
        yield TopicNuggets(topic_id, tuple(_nuggets(top)), top.rest)


def _nuggets(top: Fields) -> Iterator[Nugget]:
    check = top.check
    questions: set[str] = set()
    answers: set[str] = set()
    for question in top.objects("rubrics"):
        question_id = question.own_identifier(
            "question_id", questions, "the topic has two questions"
        )
        text = question.text(*_QUESTION, required=False) or None
        weight = _weight(question)
        num_answers = 0
        for answer in question.objects("short_answers"):
            num_answers += 1
            answer_id = answer.own_identifier("answer_id", answers, "the topic has two answers")
            yield Nugget(
                answer_id,
                text,
                (Answer(answer.text(*_ANSWER, blank=False)),),
                extra={**question.rest, **answer.rest},
                weight=weight,
                group=question_id,
            )
        if not num_answers and not check.errors:
            message = f"the question {shorten(question_id)} has no short answers"
            hint = "no report can be assessed on it: it is left out"
            check.warn("no_answers", message, question.path, hint=hint)


def _weight(question: Fields) -> float | None:
    """The weight of a question by its importance."""
    word, path = question.take("importance")
    if word is MISSING:
        return None
    text = str(word).strip().lower()
    letter, _, words = (part.strip() for part in text.partition(":"))
    weight = _WORDS.get(re.sub(r"[\s_-]+", " ", words or text)) or _WEIGHTS.get(letter)
    if weight is None or type(word) is not str:
        words = ", ".join(repr(each) for each in _IMPORTANCES.values())
        message = f"expected one of {words}, found {describe(word)}"
        question.check.error("bad_value", message, path)
        return None
    return weight


def _assessed(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the answers that were assessed, whose texts are not known."""
    topics: dict[str, dict[str, None]] = {}
    for topic_id, _, answer_id, fields in assessments.dragun_rows(values, check):
        if topic_id not in topics:
            check.new_topic(topic_id, fields.path)
        topics.setdefault(topic_id, {})[answer_id] = None
    message = "the rubric is not at hand: every answer is a question of its own, with weight 1"
    hint = "name the file of the rubrics; the texts of the answers are in it too"
    check.warn("no_rubric", message, hint=hint, line=1)
    for topic_id, answer_ids in topics.items():
        found = tuple(Nugget(each, None, (Answer(""),)) for each in answer_ids)
        yield TopicNuggets(topic_id, found)


def why_not(nugget: Nugget) -> str:
    """Why the format cannot hold a nugget; an empty text if it can."""
    if len(nugget.answers) != 1 or not nugget.answers[0].answer.strip():
        return "a short answer is one text"
    if nugget.weight not in _IMPORTANCES:
        return "its weight is none of 4, 2 and 1"
    return "" if nugget.group else "it belongs to no question of a rubric"


def arranged(nuggets: Iterable[tuple[int, Nugget]]) -> list[tuple[int, Nugget]]:
    """The nuggets with the answers to a question beside each other."""
    questions: dict[str, list[tuple[int, Nugget]]] = {}
    for each in nuggets:
        questions.setdefault(each[1].group, []).append(each)
    return [each for group in questions.values() for each in group]


def encode(topic: TopicNuggets) -> dict[str, Any]:
    """A topic's rubric as a JSON value."""
    questions: dict[str, dict[str, Any]] = {}
    for nugget in topic.nuggets:
        question = questions.setdefault(
            nugget.group,
            {
                "question_id": nugget.group,
                **({"question": nugget.question} if nugget.question is not None else {}),
                "importance": _IMPORTANCES[nugget.weight or 0.0],
                "short_answers": [],
            },
        )
        answer = {"answer_id": nugget.nugget_id, "answer": nugget.answers[0].answer}
        question["short_answers"].append(with_further(answer, nugget.extra, question.keys()))
    return with_further({"topic_id": topic.topic_id, "rubrics": [*questions.values()]}, topic.extra)
