"""Subtopics of a topic and their insights: asked for, checked, and asked for again.

Source: "Summary of a Haystack" (EMNLP 2024), section 3.2, appendices A.1.1 and A.1.2. Subtopics
overlap with none, insights differ from all others, name something, and belong to their subtopic.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from argue_eval.curation import dedupe
from argue_eval.curation.haystack.records import (
    DOMAINS,
    FEWEST_INSIGHTS,
    Haystack,
    Insight,
    Shape,
    Subtopic,
)
from argue_eval.curation.haystack.values import is_alike, values
from argue_eval.curation.model import Call, Kept, Model, Progress
from argue_eval.curation.texts import filler, list_schema, listed, numbered, request_block
from argue_eval.errors import shorten
from argue_eval.formats.jsonl import encode
from argue_eval.judges.llm.prompts import Block, quoted
from argue_eval.records import Answer, Nugget, TopicNuggets

ROUNDS = 3
"""How often it is asked for what is missing."""

MAX_SORTED = 50
"""Insights that are sorted in one call."""

MAX_IDEAS = 1500
"""Of a document for ideas, so many words are shown; `MAX_WORDS`: of all of them."""
MAX_WORDS = 5000

_SUBTOPIC = ("name", "subtopic", "query")
_INSIGHT = ("name", "insight")
_SUBTOPICS = list_schema("subtopics", dict.fromkeys(_SUBTOPIC, "string"))
_INSIGHTS = list_schema("insights", dict.fromkeys(_INSIGHT, "string"))
_SORTED = list_schema("sorted", {"insight": "integer", "subtopic": "integer", "name": "string"})
_OVERLAPS = list_schema("overlaps", {"numbers": "array", "why": "string"})
_OVERLAPS["properties"]["overlaps"]["items"]["properties"]["numbers"]["items"] = {"type": "integer"}

_TOKENS = 120
"""How long a subtopic or an insight in a reply may be; `_PAIR_TOKENS`: a line about two numbers."""
_PAIR_TOKENS = 40
_REPLY_TOKENS = 512
_FORMS = dict(zip(DOMAINS, ("transcripts of conversations", "news articles"), strict=True))


@dataclass(slots=True)
class _Plan:
    """A haystack whose subtopics and insights come about.

    Attributes:
        rejected: what was proposed and may not be used, with the reason.
        insights: by the place of their subtopic; `checked`: those that were sorted.
    """

    haystack: Haystack
    shape: Shape
    subtopics: list[Subtopic] = field(default_factory=list)
    rejected: list[tuple[str, str]] = field(default_factory=list)
    insights: dict[int, list[Insight]] = field(default_factory=dict)
    rejected_insights: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    checked: set[str] = field(default_factory=set)
    num_proposed: int = 0

    @property
    def topic_id(self) -> str:
        return self.haystack.request.topic_id

    @property
    def shared(self) -> tuple[Block, Block]:
        """What all calls show."""
        block = request_block(self.haystack.request)
        form = f'documents: "{_FORMS[self.shape.domain]}"'
        return block.with_lines([form]), Block("context", tuple(_ideas(self.haystack)) or ("none",))

    @property
    def all_insights(self) -> list[tuple[int, Insight]]:
        """The insights with the places of their subtopics."""
        return [(place, each) for place, listed in self.insights.items() for each in listed]

    def missing(self, place: int) -> int:
        """How many insights a subtopic still needs."""
        return self.shape.num_insights - len(self.insights.setdefault(place, []))

    def drop(self, place: int, insight: Insight, reason: str) -> None:
        """Takes an insight out, for a reason."""
        self.insights[place].remove(insight)
        self.rejected_insights.setdefault(place, []).append((insight.text, reason))


def plan(
    haystacks: Sequence[Haystack], shape: Shape, model: Model, progress: Progress | None = None
) -> None:
    """Gives haystacks their subtopics and insights.

    A haystack about which a call has no usable reply is not planned: whatever were written for it
    would have to be written again.
    """
    plans = [_Plan(haystack, shape) for haystack in haystacks]
    for _ in range(ROUNDS):
        _propose(plans, model, progress)
        _remove_overlaps(plans, model, progress)
        if all(len(each.subtopics) == shape.num_subtopics for each in _open(plans)):
            break
    for _ in range(ROUNDS):
        for place in range(shape.num_subtopics):
            _invent(plans, place, model, progress)
        _sort(plans, model, progress)
        _remove_duplicates(plans, model, progress)
        if not any(each.missing(at) for each in _open(plans) for at in range(len(each.subtopics))):
            break
    for each in plans:
        _finish(each)


def _open(plans: Iterable[_Plan]) -> list[_Plan]:
    return [each for each in plans if each.haystack.is_planned]


def _asked(
    calls: Sequence[tuple[_Plan, Call]],
    key: str,
    fits: Mapping[str, type],
    model: Model,
    progress: Progress | None,
) -> Iterator[tuple[_Plan, Call, list[dict[str, Any]]]]:
    """Yields the objects that are listed in each reply; a haystack without one is not planned."""

    def why_unusable(call: Call, kept: Kept) -> str:
        found = listed(kept.text, key, fits)
        return found if isinstance(found, str) else _why_wrong(call, key, found)

    replies = model.ask([call for _, call in calls], why_unusable, progress)
    for place, (each, call) in enumerate(calls):
        found = listed(replies[place].text, key, fits) if place in replies else ""
        if isinstance(found, str):
            each.haystack.is_planned = False
        else:
            yield each, call, found


def _why_wrong(call: Call, key: str, found: Sequence[Mapping[str, Any]]) -> str:
    """Why the objects of a reply make no sense; empty if they do."""
    if key == "overlaps":
        numbers = [number for each in found for number in each["numbers"]]
        wrong = [each for each in numbers if each not in range(1, len(call.own.lines) + 1)]
        if wrong:
            return f"the subtopic {shorten(wrong[0])} does not exist"
    elif key == "sorted":
        wanted = list(range(1, len(call.own.lines) + 1))
        if sorted(each["insight"] for each in found) != wanted:
            return "the insights of the reply are not those of the list, each once"
        subtopics = next(block for block in call.shared if block.name == "subtopics")
        wrong = [each["subtopic"] for each in found]
        wrong = [each for each in wrong if each not in range(1, len(subtopics.lines) + 1)]
        if wrong:
            return f"the subtopic {shorten(wrong[0])} does not exist"
    return ""


# --- subtopics ------------------------------------------------------------------------------------


def _propose(plans: Sequence[_Plan], model: Model, progress: Progress | None) -> None:
    calls = [
        (each, _proposal(each, number))
        for each in _open(plans)
        if (number := each.shape.num_subtopics - len(each.subtopics))
    ]
    for each, _, found in _asked(
        calls, "subtopics", dict.fromkeys(_SUBTOPIC, str), model, progress
    ):
        for value in found:
            name, text, query = (" ".join(value[key].split()) for key in _SUBTOPIC)
            is_known = any(is_alike(text, other.text) for other in each.subtopics)
            if is_known or len(each.subtopics) == each.shape.num_subtopics:
                continue
            each.num_proposed += 1
            subtopic_id = f"{each.topic_id}-s{each.num_proposed}"
            each.subtopics.append(Subtopic(subtopic_id, name, text, query))


def _proposal(each: _Plan, number: int) -> Call:
    known = [f"known: {quoted(_shown(other))}" for other in each.subtopics]
    lines = (f"wanted: {number}", *known, *_rejections(each.rejected))
    likely = [
        {"name": filler(3, f"{at}n"), "subtopic": filler(15, f"{at}s"), "query": filler(10, "q")}
        for at in range(len(each.subtopics) + 1, len(each.subtopics) + number + 1)
    ]
    return Call(
        "haystack/subtopics",
        about={"topic_id": each.topic_id},
        shared=each.shared,
        own=Block("wanted_subtopics", lines),
        max_tokens=_REPLY_TOKENS + _TOKENS * number,
        schema=_SUBTOPICS,
        likely=encode({"subtopics": likely}),
    )


def _remove_overlaps(plans: Sequence[_Plan], model: Model, progress: Progress | None) -> None:
    """Of two subtopics that overlap, the later one is removed."""
    calls = [
        (
            each,
            Call(
                "haystack/overlaps",
                about={"topic_id": each.topic_id},
                shared=each.shared[:1],
                own=numbered("overlapping", map(_shown, each.subtopics)),
                max_tokens=_REPLY_TOKENS + _PAIR_TOKENS * len(each.subtopics),
                schema=_OVERLAPS,
                likely=encode({"overlaps": []}),
            ),
        )
        for each in _open(plans)
        if len(each.subtopics) > 1
    ]
    for each, _, found in _asked(calls, "overlaps", {"numbers": list, "why": str}, model, progress):
        firsts = {
            number: min(one["numbers"])
            for one in found
            for number in one["numbers"]
            if number != min(one["numbers"])
        }
        for number in sorted(firsts, reverse=True):
            gone = each.subtopics.pop(number - 1)
            first = each.subtopics[firsts[number] - 1]
            each.rejected.append((_shown(gone), f"it overlaps with {quoted(first.name)}"))


def _shown(subtopic: Subtopic) -> str:
    return f"{subtopic.name}: {subtopic.text}"


def _rejections(rejected: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Lines for what was rejected: text and reason."""
    for text, reason in rejected:
        yield f"rejected: {quoted(text)}; {reason}"


def _ideas(haystack: Haystack) -> Iterator[str]:
    """Lines for the documents from which ideas may be taken."""
    left = MAX_WORDS
    for document in haystack.ideas:
        words = document.text.split()[: min(left, MAX_IDEAS)]
        if words:
            left -= len(words)
            yield f"document: {quoted(' '.join(words))}"


# --- insights -------------------------------------------------------------------------------------


def _invent(plans: Sequence[_Plan], place: int, model: Model, progress: Progress | None) -> None:
    """Asks for the insights that one subtopic of each haystack still needs."""
    calls = [
        (each, _invention(each, place))
        for each in _open(plans)
        if place < len(each.subtopics) and each.missing(place)
    ]
    for each, _, found in _asked(calls, "insights", dict.fromkeys(_INSIGHT, str), model, progress):
        for value in found[: each.missing(place)]:
            name, text = (" ".join(value[key].split()) for key in _INSIGHT)
            reason = _why_rejected(text, [other.text for _, other in each.all_insights])
            rejected = each.rejected_insights.setdefault(place, [])
            number = len(each.insights[place]) + len(rejected) + 1
            insight = Insight(f"{each.subtopics[place].subtopic_id}-i{number}", name, text)
            each.insights[place].append(insight)
            if reason:
                each.drop(place, insight, reason)


def _invention(each: _Plan, place: int) -> Call:
    number = each.missing(place)
    known = [f"known: {quoted(insight.text)}" for _, insight in each.all_insights]
    rejected = _rejections(each.rejected_insights.get(place, ()))
    lines = (f"subtopic: {place + 1}", f"wanted: {number}", *known, *rejected)
    first = len(each.insights[place]) + 1
    likely = [
        {"name": filler(3, "n"), "insight": f"{filler(30, f'{place}i{at}x')} {place}{at:03}."}
        for at in range(first, first + number)
    ]
    return Call(
        "haystack/insights",
        about={"topic_id": each.topic_id, "subtopic": each.subtopics[place].name},
        shared=(*each.shared, _subtopics_block(each)),
        own=Block("wanted_insights", lines),
        max_tokens=_REPLY_TOKENS + _TOKENS * number,
        schema=_INSIGHTS,
        likely=encode({"insights": likely}),
    )


def _why_rejected(text: str, others: Iterable[str]) -> str:
    """Why an insight cannot be used, as far as can be seen without asking; empty if it can."""
    if text.upper() != text.lower() and not values(text):
        return "it names no number, date or name"
    same = next((other for other in others if is_alike(text, other)), "")
    return f"it repeats {quoted(same)}" if same else ""


def _subtopics_block(each: _Plan) -> Block:
    return numbered("subtopics", map(_shown, each.subtopics))


def _sort(plans: Sequence[_Plan], model: Model, progress: Progress | None) -> None:
    """Drops the insights that belong to another subtopic than the one that they were made for."""
    parts = [(each, part) for each in _open(plans) for part in _unsorted(each)]
    calls = [(each, _sorting(each, part)) for each, part in parts]
    members = {id(call): part for (_, call), (_, part) in zip(calls, parts, strict=True)}
    fits = {"insight": int, "subtopic": int, "name": str}
    for each, call, found in _asked(calls, "sorted", fits, model, progress):
        for value in found:
            place, insight = members[id(call)][value["insight"] - 1]
            each.checked.add(insight.insight_id)
            if value["subtopic"] != place + 1:
                other = quoted(each.subtopics[value["subtopic"] - 1].name)
                each.drop(place, insight, f"it belongs rather to the subtopic {other}")


def _unsorted(each: _Plan) -> Iterator[list[tuple[int, Insight]]]:
    """The insights that were not sorted yet, in parts, and in an order that tells nothing."""
    new = [pair for pair in each.all_insights if pair[1].insight_id not in each.checked]
    random.Random(each.topic_id).shuffle(new)
    for at in range(0, len(new), MAX_SORTED):
        yield new[at : at + MAX_SORTED]


def _sorting(each: _Plan, part: Sequence[tuple[int, Insight]]) -> Call:
    likely = [
        {"insight": number, "subtopic": place + 1, "name": "-"}
        for number, (place, _) in enumerate(part, 1)
    ]
    return Call(
        "haystack/sort",
        about={"topic_id": each.topic_id},
        shared=(each.shared[0], _subtopics_block(each)),
        own=numbered("unsorted", [insight.text for _, insight in part]),
        max_tokens=_REPLY_TOKENS + _PAIR_TOKENS * len(part),
        schema=_SORTED,
        likely=encode({"sorted": likely}),
    )


def _remove_duplicates(plans: Sequence[_Plan], model: Model, progress: Progress | None) -> None:
    """Drops the insights that say what an earlier one says, by the step `dedupe`."""
    open_ = [each for each in _open(plans) if each.all_insights]
    topics = [
        TopicNuggets(each.topic_id, tuple(_claim(insight) for _, insight in each.all_insights))
        for each in open_
    ]
    requests = {each.topic_id: each.haystack.request for each in open_}
    found = dedupe.by_model(topics, requests, model, progress)
    for each, topic in zip(open_, found.topics, strict=True):
        if each.topic_id in found.ungrouped:
            each.haystack.is_planned = False
            continue
        own = {insight.insight_id: (place, insight) for place, insight in each.all_insights}
        for nugget in topic.nuggets:
            first, *others = nugget.extra.get("merged_from", [{}])
            for other in others:
                reason = f"it repeats {quoted(str(first['answer']))}"
                each.drop(*own[other["nugget_id"]], reason)


def _claim(insight: Insight) -> Nugget:
    return Nugget(insight.insight_id, question=None, answers=(Answer(insight.text),))


# --- the end --------------------------------------------------------------------------------------


def _finish(each: _Plan) -> None:
    """Gives a haystack its subtopics that have insights, and says what it lacks."""
    haystack, shape = each.haystack, each.shape
    if not haystack.is_planned:
        return
    for place, subtopic in enumerate(each.subtopics):
        insights = tuple(each.insights.get(place, ()))
        is_kept = len(insights) >= min(FEWEST_INSIGHTS, shape.num_insights)
        if is_kept:
            haystack.subtopics.append(subtopic._replace(insights=insights))
        if len(insights) < shape.num_insights:
            message = f"the subtopic {shorten(subtopic.name)} has {len(insights):,} insights of the"
            message += f" {shape.num_insights:,} wanted"
            message += "" if is_kept else ", and is left out"
            haystack.warn("few_insights", message, "ask for fewer insights, or another model")
    if len(haystack.subtopics) < shape.num_subtopics:
        haystack.is_planned = bool(haystack.subtopics)
        message = f"{len(haystack.subtopics):,} subtopics of the {shape.num_subtopics:,} wanted"
        hint = "ask for fewer subtopics, describe the topic more broadly, or take another model"
        haystack.warn("few_subtopics", message, hint)
