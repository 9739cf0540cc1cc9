"""Seed questions: which criteria they meet, and of which category they are.

Source: Long2RAG (2024), section 3.1 and the prompt for filtering in appendix B. One point for each
criterion that is met; a seed with enough of them is kept. The paper has people choose 12 seeds for
each category from what is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from argue_eval.curation.model import Call, Kept, Model, Progress
from argue_eval.curation.questions.records import CATEGORIES, CRITERIA, QuestionOptions, Seed
from argue_eval.curation.texts import ReplyError, object_schema, object_with, request_block
from argue_eval.errors import Finding, InputError, shorten, some
from argue_eval.formats.jsonl import encode
from argue_eval.judges.model import Block, quoted, request_lines
from argue_eval.records import ReportRequest

NO_CATEGORY = "none"

_REPLY_TOKENS = 512
_FIELDS: Mapping[str, type] = {**dict.fromkeys(CRITERIA, bool), "category": str, "why": str}
_SCHEMA = object_schema({
    key: "boolean" if type_ is bool else "string" for key, type_ in _FIELDS.items()
})  # fmt: skip


def assess(
    requests: Sequence[ReportRequest],
    options: QuestionOptions,
    model: Model,
    progress: Progress | None,
) -> list[Seed]:
    """The seeds with the criteria that they meet; without, if a call has no usable reply.

    A category that a request states (its key ``category``) counts, whatever the model says.

    Raises:
        InputError: a request has no text.
    """
    blank = [each.topic_id for each in requests if not request_lines(each)]
    if blank:
        hint = "write the question as title or problem statement"
        raise InputError(Finding("blank_text", f"seed {some(blank)} has no text", hint))
    calls = [_call(each, number, options) for number, each in enumerate(requests)]
    replies = model.ask(calls, _read, progress)
    return [
        Seed(each) if value is None else _seed(each, value, options)
        for each, value in zip(requests, replies, strict=True)
    ]


def _call(request: ReportRequest, number: int, options: QuestionOptions) -> Call:
    likely = dict.fromkeys(CRITERIA, True)
    category = options.categories[number % len(options.categories)]
    return Call(
        "questions/seeds",
        about={"topic_id": request.topic_id},
        shared=(Block("categories", tuple(map(shown, options.categories))),),
        own=request_block(request),
        max_tokens=_REPLY_TOKENS,
        schema=_SCHEMA,
        likely=encode({**likely, "category": category, "why": "-"}),
    )


def shown(category: str) -> str:
    """A line for a category."""
    return f"category: {quoted(category)}, {CATEGORIES.get(category, 'as its name says')}"


def _read(call: Call, kept: Kept) -> dict[str, Any]:
    value = object_with(kept.text, "category")
    wrong = [key for key, type_ in _FIELDS.items() if type(value.get(key)) is not type_]
    if wrong:
        raise ReplyError(f"{some(wrong)} of the reply should be true or false, or a text")
    said = value["category"]
    if said != NO_CATEGORY and not any(
        line.startswith(f"category: {quoted(said)}, ") for line in call.shared[0].lines
    ):
        raise ReplyError(f"the category {shorten(said)} is not in the list")
    return value


def _seed(request: ReportRequest, value: Mapping[str, Any], options: QuestionOptions) -> Seed:
    category = request.extra.get("category", value["category"])
    criteria = {key: value[key] for key in CRITERIA}
    return Seed(
        request,
        category if category in options.categories else "",
        criteria,
        " ".join(value["why"].split()),
        is_kept=sum(criteria.values()) >= options.num_criteria,
    )
