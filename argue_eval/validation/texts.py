"""Checks of what is written: whether there is any, how much, and in what pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from argue_eval.errors import describe, shorten
from argue_eval.formats.runs import Draft
from argue_eval.text.lengths import may_exceed, measure
from argue_eval.validation.audit import Audit

if TYPE_CHECKING:
    from argue_eval.records import ReportRequest


def is_empty(draft: Draft, audit: Audit) -> bool:
    """Returns whether a report has no text; notes it."""
    if draft.joined and not draft.joined.isspace():
        return False
    texts = draft.texts
    if draft.unread and len(draft.unread) >= len(texts):
        return True  # what is wrong with each of them, or with their list, is reported already
    key = draft.key or audit.track.layout.sentences[0]
    what = "there are no sentences" if not texts else "all sentences are blank"
    message = f"the key {key!r} is missing" if not draft.key else what
    path = (draft.key,) if draft.key else ()
    hint = "write the report: it counts as 0 as it is"
    audit.found("empty_answer", message, draft, path, hint=hint)
    return True


def check_blank(draft: Draft, audit: Audit) -> None:
    """Checks that every sentence has text."""
    if all(draft.texts) and not any(map(str.isspace, draft.texts)):
        return
    for index, text in enumerate(draft.texts):
        if not text.strip() and index not in draft.unread:
            message = f"the text {'is white space' if text else 'is empty'}"
            hint = "write the sentence, or remove it"
            audit.found_in("blank_sentence", message, draft, index, "text", hint=hint)


def check_length(draft: Draft, audit: Audit) -> None:
    """Checks the length: sentences joined by one space, in NFKC characters or in words."""
    values = audit.track.rules["length"].values
    limit, unit = values["limit"], values["unit"]
    if limit == "request":
        request: ReportRequest | None = (audit.requests or {}).get(draft.topic_id)
        if request is None or request.limit is None:
            return
        limit, unit = request.limit, request.limit_unit
    if not may_exceed(draft.joined, limit, unit):
        return
    length = measure(draft.joined, unit)
    if length <= limit:
        return
    from bisect import bisect_left

    texts = draft.texts
    index = bisect_left(
        range(len(texts)),
        True,
        key=lambda last: measure(" ".join(texts[: last + 1]), unit) > limit,
    )
    more = length - limit
    message = f"the report has {length:,} {unit}, {more:,} more than the limit of {limit:,}; "
    message += f"sentence {index} crosses it"
    hint = f"end the report before sentence {index}, or shorten it by {more:,} {unit}"
    expected = f"at most {limit:,} {unit}"
    audit.found_in("length", message, draft, index, hint=hint, expected=expected)


def check_stated_length(draft: Draft, audit: Audit) -> None:
    """Checks that the length which the metadata state is that of the report."""
    stated = draft.metadata.get("response_length")
    unit: str = audit.track.rules["response_length"].values["unit"]
    length = measure(draft.joined, unit)
    if stated is None or (type(stated) is int and stated == length):
        return
    message = f"response_length is {describe(stated)}, the report has {length} {unit}"
    path = (*draft.meta_path, "response_length")
    audit.found("response_length", message, draft, path, hint=f"write {length}")


def check_segments(draft: Draft, audit: Audit) -> None:
    """Checks that a segment is one sentence."""
    from argue_eval.text.sentences import SEVERAL, check

    request = (audit.requests or {}).get(draft.topic_id)
    for misfit in check(draft.texts, request.language if request else None):
        index = misfit.sentence_index
        if misfit.kind == SEVERAL:
            message = f"the segment holds {len(misfit.pieces)} sentences"
            hint = "split it, and give each sentence the citations that support it"
        else:
            message = "the segment breaks off inside a sentence, which the next one continues"
            hint = "join the two"
        shown = shorten(" | ".join(piece[:60] for piece in misfit.pieces[:3]), 160)
        message = f"{message}: {shown}"
        audit.found_in("segmentation", message, draft, index, "text", hint=hint)
