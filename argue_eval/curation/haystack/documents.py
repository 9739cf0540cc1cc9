"""Documents that mention the insights they were given, and no others: written, checked, repaired.

Source: "Summary of a Haystack" (EMNLP 2024), section 3.2 and appendix A.1.3. A model that is not
told what a document should mention lists the insights that it finds in it, each with a quote. What
it says is checked without asking: the quotes stand in the document, and numbers and names are those
of the insight.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from argue_eval.curation.extract import Searched
from argue_eval.curation.haystack.records import Defect, Draft, Haystack, Insight, Shape
from argue_eval.curation.haystack.values import is_said, lost, values
from argue_eval.curation.model import Call, Kept, Model, Progress
from argue_eval.curation.texts import (
    Listing,
    ReplyError,
    filler,
    numbered,
    object_schema,
    object_with,
    request_block,
)
from argue_eval.errors import Finding, Severity, shorten
from argue_eval.formats.jsonl import encode
from argue_eval.judges.model import Block, quoted
from argue_eval.text.words import words

MISSING = "insight_missing"
LEAKED = "insight_leaked"
CHANGED = "value_changed"
LENGTH = "wrong_length"
REPEATED = "repeated_document"
UNWRITTEN = "document_not_written"
UNCHECKED = "document_not_checked"

SHORTEST, LONGEST = 0.5, 1.5
"""Shares of the number of words that a document should have: shorter and longer ones are repaired.
Those that stay so are kept."""

AROUND = 500
"""The numbers and names of an insight stand in its quote or so many characters around it."""

_FEWEST_WORDS = 3
_TOKENS_PER_WORD = 4
_FOUND_TOKENS = 120
_REPLY_TOKENS = 1024
_DOCUMENT = object_schema({"document": "string"})
_FOUND = Listing("found", number="integer", quote="string")


class _Work(NamedTuple):
    """A document with its haystack."""

    haystack: Haystack
    draft: Draft


def assign(haystack: Haystack, shape: Shape) -> list[Draft]:
    """Draws the insights of each document: every insight about equally often.

    They come from half as many subtopics as there are insights in a document, or more.
    """
    rng = random.Random(f"{shape.seed}/{haystack.request.topic_id}/documents")
    home = {each: topic.subtopic_id for topic in haystack.subtopics for each in topic.insights}
    uses = dict.fromkeys(home, 0)
    drafts = []
    for number in range(1, shape.num_documents + 1):
        chosen: list[Insight] = []
        while len(chosen) < min(shape.per_document, len(home)):
            left = [each for each in home if each not in chosen]
            homes = [home[each] for each in chosen]
            if len(chosen) % 2:  # the second of a subtopic, if it has one
                own = [each for each in left if home[each] == homes[-1]]
            else:
                own = [each for each in left if home[each] not in homes]
            chosen.append(min(own or left, key=lambda each: (uses[each], rng.random())))
            uses[chosen[-1]] += 1
        document_id = f"{haystack.request.topic_id}-d{number:03}"
        drafts.append(Draft(document_id, number, tuple(chosen)))
    return drafts


def write(
    haystacks: Sequence[Haystack], shape: Shape, model: Model, progress: Progress | None = None
) -> None:
    """Gives haystacks their documents; those whose defects stay are left out."""
    works = [_Work(each, draft) for each in haystacks for draft in assign(each, shape)]
    texts: dict[str, str] = {}
    written = _compose(works, [_writing(each, shape) for each in works], model, progress)
    _check(written, shape, model.checker, texts, progress)
    for attempt in range(1, shape.num_repairs + 1):
        broken = [each for each in written if _codes(each.draft) - {UNCHECKED}]
        if not broken:
            break
        calls = [_repair(each, shape, attempt) for each in broken]
        written = _compose(broken, calls, model, progress)
        _check(written, shape, model.checker, texts, progress)
    for haystack, draft in works:
        is_kept = draft.best is not None
        last = draft.best or draft  # a repair of its length may have spoiled it
        (haystack.documents if is_kept else haystack.left_out).append(last)
        haystack.findings.extend(_findings(last, haystack.request.topic_id, is_kept))


def _codes(draft: Draft) -> set[str]:
    return {defect.code for defect in draft.defects}


# --- writing and repairing ------------------------------------------------------------------------


def _compose(
    works: Sequence[_Work], calls: Sequence[Call], model: Model, progress: Progress | None
) -> list[_Work]:
    """Gives documents the texts of the replies, and returns those that have a new one."""
    written = []
    for work, text in zip(works, model.ask(calls, _read_document, progress), strict=True):
        draft = work.draft
        if text is not None:
            draft.mended = [*draft.mended, *draft.defects]
            draft.text = text
            written.append(work)
        elif not draft.text:
            draft.defects = [Defect(UNWRITTEN, "the model wrote no document")]
    return written


def _read_document(call: Call, kept: Kept) -> str:
    text = object_with(kept.text, "document")["document"]
    if isinstance(text, str) and text.strip():
        return "\n".join(text.strip().splitlines())
    raise ReplyError("the document of the reply is not a text")


def _writing(work: _Work, shape: Shape) -> Call:
    insights = " ".join(each.text for each in work.draft.insights)
    padding = filler(shape.num_words - len(insights.split()), f"{work.draft.number}w")
    lines = (f"number: {work.draft.number}", *_wanted(work.draft, shape))
    own = Block("planned", lines)
    return _call(f"haystack/{shape.domain}", work, own, shape, likely=f"{insights} {padding}")


def _repair(work: _Work, shape: Shape, attempt: int) -> Call:
    draft = work.draft
    defects = [f"defect: {defect.message}" for defect in draft.defects]
    text = f"document: {quoted(draft.text)}"
    own = Block("defective", (f"attempt: {attempt}", text, *_wanted(draft, shape), *defects))
    return _call("haystack/repair", work, own, shape, likely=draft.text)


def _call(step: str, work: _Work, own: Block, shape: Shape, likely: str) -> Call:
    return Call(
        step,
        about=_about(work),
        shared=(request_block(work.haystack.request),),
        own=own,
        max_tokens=_REPLY_TOKENS + _TOKENS_PER_WORD * shape.num_words,
        schema=_DOCUMENT,
        likely=encode({"document": likely}),
    )


def _wanted(draft: Draft, shape: Shape) -> Iterator[str]:
    """Lines for what a document should be."""
    yield f"words: about {shape.num_words}"
    for insight in draft.insights:
        yield f"insight: {quoted(insight.text)}"


def _about(work: _Work) -> Mapping[str, str]:
    return {"topic_id": work.haystack.request.topic_id, "doc_id": work.draft.document_id}


# --- checking -------------------------------------------------------------------------------------


def _check(
    works: Sequence[_Work],
    shape: Shape,
    model: Model,
    texts: dict[str, str],
    progress: Progress | None,
) -> None:
    """Notes the defects of documents, and the quotes that say their insights.

    Args:
        texts: those that were checked before, each with the first document that has it.
    """

    def doubt(place: int, found: Sequence[Mapping[str, Any]]) -> None:
        searched = Searched(works[place].draft.text)
        for each in found:
            if searched.find(each["quote"]) is None:
                number = each["number"]
                raise ReplyError(f"the quote of the insight {number} is not in the document")

    calls = [_examination(each) for each in works]
    replies = model.ask(calls, _read_found, progress, doubt)
    for (haystack, draft), found in zip(works, replies, strict=True):
        if found is None:
            message = "the model did not say which insights the document mentions"
            draft.defects = [Defect(UNCHECKED, message)]
            continue
        insights = haystack.insights
        said = {insights[each["number"] - 1]: each["quote"] for each in found}
        draft.quotes = {}
        draft.defects = [*_of_insights(draft, said), *_leaks(draft, said, insights)]
        draft.defects += _of_text(draft, shape, texts)
        if _codes(draft) <= {LENGTH}:
            draft.best = replace(draft)


def _examination(work: _Work) -> Call:
    insights = work.haystack.insights
    text = work.draft.text
    own = set(work.draft.insights)
    likely = [
        {"number": number, "quote": each.text}
        for number, each in enumerate(insights, 1)
        if each in own
    ]
    return Call(
        "haystack/check",
        about=_about(work),
        shared=(numbered("insights", [each.text for each in insights]),),
        own=Block("examined", (f"document: {quoted(text)}",)),
        max_tokens=_REPLY_TOKENS + _FOUND_TOKENS * len(own),
        schema=_FOUND.schema,
        likely=encode({"found": likely}),
        worst=encode({"found": []}),
    )


def _read_found(call: Call, kept: Kept) -> list[dict[str, Any]]:
    found = _FOUND.read(call, kept)
    numbers = range(1, len(call.shared[0].lines) + 1)
    wrong = [each["number"] for each in found if each["number"] not in numbers]
    if wrong:
        raise ReplyError(f"the insight {shorten(wrong[0])} does not exist")
    return found


def _of_insights(draft: Draft, said: Mapping[Insight, str]) -> Iterator[Defect]:
    """Yields what is wrong with the insights that a document should mention; notes the others."""
    searched = Searched(draft.text)
    for insight in draft.insights:
        quote = said.get(insight, "")
        span = searched.find(quote) if len(words(quote)) >= _FEWEST_WORDS else None
        if span is None:
            yield Defect(MISSING, f"the document does not say the insight {quoted(insight.text)}")
            continue
        around = draft.text[max(0, span.start - AROUND) : span.end + AROUND]
        changed = lost(values(insight.text), around)
        for value in changed:
            message = f"{quoted(value)} of the insight {quoted(insight.text)} is not where the "
            yield Defect(CHANGED, f"{message}document says it")
        if not changed:
            draft.quotes[insight.insight_id] = draft.text[span.start : span.end]


def _leaks(
    draft: Draft, said: Mapping[Insight, str], insights: Sequence[Insight]
) -> Iterator[Defect]:
    """Yields the insights that a document mentions and should not."""
    own = {value for insight in draft.insights for value in values(insight.text)}
    for insight in insights:
        if insight in draft.insights:
            continue
        if insight in said:
            message = f"the document must not say the insight {quoted(insight.text)}, and says "
            yield Defect(LEAKED, message + quoted(said[insight]))
        elif is_said(insight.text, draft.text, own):
            message = f"the document must not say the insight {quoted(insight.text)}, and has its "
            yield Defect(LEAKED, f"{message}numbers, names and words")


def _of_text(draft: Draft, shape: Shape, texts: dict[str, str]) -> Iterator[Defect]:
    """Yields what is wrong with a text as a whole."""
    found = words(draft.text)
    num_words = len(found)
    if not SHORTEST <= num_words / shape.num_words <= LONGEST:
        yield Defect(
            LENGTH, f"the document has {num_words:,} words, expected about {shape.num_words:,}"
        )
    other = texts.setdefault(" ".join(found), draft.document_id)
    if other != draft.document_id:
        yield Defect(REPEATED, f"the document is the same as {other}: write it in another way")


# --- findings -------------------------------------------------------------------------------------

_AGAIN = "run the same command again: only what has no reply is asked for"
_HINTS = {
    UNWRITTEN: _AGAIN,
    UNCHECKED: _AGAIN,
    LENGTH: "the document is kept; check whether its length matters to you",
}
_OTHER_HINT = (
    "use the haystack without it, raise --repairs, or draw other insights with another --seed"
)


def _findings(draft: Draft, topic_id: str, is_kept: bool) -> Iterator[Finding]:
    for code, message in draft.defects:
        what = "" if is_kept else " (left out)"
        message = f"document {draft.document_id}{what}: {message}"
        hint = _HINTS.get(code, _OTHER_HINT)
        yield Finding(code, message, hint, topic_id=topic_id, severity=Severity.WARNING)
