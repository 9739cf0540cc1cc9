"""Breaks questions down into sub-questions, which are easier to retrieve documents for.

Source: Long2RAG (2024), section 3.2 and the prompt for decomposing in appendix B.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from argue_eval.curation.model import Call, Model, Progress
from argue_eval.curation.texts import Listing, request_block
from argue_eval.errors import Finding, InputError, some
from argue_eval.records import ReportRequest

KEY = "sub_questions"
"""The further key of a request that has its sub-questions already."""

_STEP = "questions/parts"
_REPLY_TOKENS = 1024
_PARTS = Listing("questions", question="string")

SubQuestions = Mapping[str, Sequence[str]]
"""By topic, what is searched for besides the question; nothing if one search is enough."""


def stated(requests: Sequence[ReportRequest]) -> dict[str, list[str]]:
    """The sub-questions that requests state.

    Raises:
        InputError: they are no list of texts.
    """
    found = {each.topic_id: each.extra[KEY] for each in requests if KEY in each.extra}
    for topic_id, value in found.items():
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            message = f"topic {some([topic_id])}: {KEY!r} is not a list of texts"
            hint = f'write "{KEY}": ["…", "…"], or leave the key out'
            raise InputError(Finding("wrong_type", message, hint, topic_id=topic_id))
    return found


def break_down(
    requests: Sequence[ReportRequest], model: Model, progress: Progress | None = None
) -> dict[str, list[str]]:
    """The sub-questions of the requests that state none; the model's tally has what failed."""
    known = stated(requests)
    left = [each for each in requests if each.topic_id not in known]
    calls = [
        Call(
            _STEP,
            about={"topic_id": each.topic_id},
            shared=(),
            own=request_block(each),
            max_tokens=_REPLY_TOKENS,
            schema=_PARTS.schema,
        )
        for each in left
    ]
    return {
        request.topic_id: list(dict.fromkeys(" ".join(each["question"].split()) for each in parts))
        for request, parts in zip(left, model.ask(calls, _PARTS.read, progress), strict=True)
        if parts is not None
    }
