"""Haystacks whose subtopics and insights come about: asked for, sorted, and compared.

Source: "Summary of a Haystack" (EMNLP 2024), appendix A.1.1 and A.1.2.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from argue_eval.curation import dedupe
from argue_eval.curation.haystack.records import DOMAINS, Haystack, Insight, Shape, Subtopic
from argue_eval.curation.haystack.values import is_alike, values
from argue_eval.curation.model import Call, Kept, Model, Progress, Read
from argue_eval.curation.texts import (
    Listing,
    ReplyError,
    filler,
    list_of,
    numbered,
    rejections,
    request_block,
)
from argue_eval.errors import shorten
from argue_eval.formats.jsonl import encode
from argue_eval.judges.model import Block, quoted
from argue_eval.records import Answer, Nugget, TopicNuggets

MAX_SORTED = 50
"""Insights that are sorted in one call."""

_TOKENS = 120
"""How long a subtopic or an insight in a reply may be; `_PAIR_TOKENS`: a line about two numbers."""
_PAIR_TOKENS = 40
_REPLY_TOKENS = 512

_MAX_IDEA, _MAX_IDEAS = 1500, 5000
"""Words that are shown of a document for ideas, and of all of them."""

_FORMS = dict(zip(DOMAINS, ("transcripts of conversations", "news articles"), strict=True))
_SUBTOPIC = ("name", "subtopic", "query")
_SUBTOPICS = Listing("subtopics", **dict.fromkeys(_SUBTOPIC, "string"))
_OVERLAPS = Listing("overlaps", numbers=list_of("integer"), why="string")
_INSIGHTS = Listing("insights", name="string", insight="string")
_SORTED = Listing("sorted", insight="integer", subtopic="integer", name="string")

_Listed = Sequence[Mapping[str, Any]]
"""The objects of a reply."""


@dataclass(slots=True)
class Plan:
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
        """The haystack's topic."""
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


def open_plans(plans: Iterable[Plan]) -> list[Plan]:
    """The plans of the haystacks that no missing reply has ended."""
    return [each for each in plans if each.haystack.is_planned]


def _asked(
    calls: Sequence[tuple[Plan, Call]], read: Read[_Listed], model: Model, progress: Progress | None
) -> Iterator[tuple[Plan, Call, _Listed]]:
    """Yields the objects of each reply; a haystack without a usable reply is not planned."""
    replies = model.ask([call for _, call in calls], read, progress)
    for (each, call), found in zip(calls, replies, strict=True):
        if found is None:
            each.haystack.is_planned = False
        else:
            yield each, call, found


def _check_numbers(numbers: Iterable[int], block: Block) -> None:
    """Refuses a reply with a number that is none of a block's lines."""
    known = range(1, len(block.lines) + 1)
    wrong = [number for number in numbers if type(number) is not int or number not in known]
    if wrong:
        raise ReplyError(f"the subtopic {shorten(wrong[0])} does not exist")


def _shown(subtopic: Subtopic) -> str:
    """A subtopic as a model is shown it."""
    return f"{subtopic.name}: {subtopic.text}"


def _subtopics_block(each: Plan) -> Block:
    """All subtopics of a plan."""
    return numbered("subtopics", map(_shown, each.subtopics))


def _ideas(haystack: Haystack) -> Iterator[str]:
    """Lines for the documents from which ideas may be taken."""
    left = _MAX_IDEAS
    for document in haystack.ideas:
        words = document.text.split()[: min(left, _MAX_IDEA)]
        if words:
            left -= len(words)
            yield f"document: {quoted(' '.join(words))}"


# --- subtopics ------------------------------------------------------------------------------------


def propose(plans: Sequence[Plan], model: Model, progress: Progress | None) -> None:
    """Asks for the subtopics that haystacks still need."""
    calls = [
        (each, _proposal(each, number))
        for each in open_plans(plans)
        if (number := each.shape.num_subtopics - len(each.subtopics))
    ]
    for each, _, found in _asked(calls, _SUBTOPICS.read, model, progress):
        for value in found:
            name, text, query = (" ".join(value[key].split()) for key in _SUBTOPIC)
            is_known = any(is_alike(text, other.text) for other in each.subtopics)
            if is_known or len(each.subtopics) == each.shape.num_subtopics:
                continue
            each.num_proposed += 1
            subtopic_id = f"{each.topic_id}-s{each.num_proposed}"
            each.subtopics.append(Subtopic(subtopic_id, name, text, query))


def _proposal(each: Plan, number: int) -> Call:
    known = [f"known: {quoted(_shown(other))}" for other in each.subtopics]
    lines = (f"wanted: {number}", *known, *rejections(each.rejected))
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
        schema=_SUBTOPICS.schema,
        likely=encode({"subtopics": likely}),
    )


def remove_overlaps(plans: Sequence[Plan], model: Model, progress: Progress | None) -> None:
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
                schema=_OVERLAPS.schema,
                likely=encode({"overlaps": []}),
            ),
        )
        for each in open_plans(plans)
        if len(each.subtopics) > 1
    ]
    for each, _, found in _asked(calls, _read_overlaps, model, progress):
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


def _read_overlaps(call: Call, kept: Kept) -> _Listed:
    found = _OVERLAPS.read(call, kept)
    _check_numbers((number for each in found for number in each["numbers"]), call.own)
    return found


# --- insights -------------------------------------------------------------------------------------


def invent(plans: Sequence[Plan], place: int, model: Model, progress: Progress | None) -> None:
    """Asks for the insights that one subtopic of each haystack still needs."""
    calls = [
        (each, _invention(each, place))
        for each in open_plans(plans)
        if place < len(each.subtopics) and each.missing(place)
    ]
    for each, _, found in _asked(calls, _INSIGHTS.read, model, progress):
        for value in found[: each.missing(place)]:
            name, text = (" ".join(value[key].split()) for key in ("name", "insight"))
            reason = _why_rejected(text, [other.text for _, other in each.all_insights])
            rejected = each.rejected_insights.setdefault(place, [])
            number = len(each.insights[place]) + len(rejected) + 1
            insight = Insight(f"{each.subtopics[place].subtopic_id}-i{number}", name, text)
            each.insights[place].append(insight)
            if reason:
                each.drop(place, insight, reason)


def _invention(each: Plan, place: int) -> Call:
    number = each.missing(place)
    known = [f"known: {quoted(insight.text)}" for _, insight in each.all_insights]
    rejected = rejections(each.rejected_insights.get(place, ()))
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
        schema=_INSIGHTS.schema,
        likely=encode({"insights": likely}),
    )


def _why_rejected(text: str, others: Iterable[str]) -> str:
    """Why an insight cannot be used, as far as can be seen without asking; empty if it can."""
    if text.upper() != text.lower() and not values(text):
        return "it names no number, date or name"
    same = next((other for other in others if is_alike(text, other)), "")
    return f"it repeats {quoted(same)}" if same else ""


def sort(plans: Sequence[Plan], model: Model, progress: Progress | None) -> None:
    """Drops the insights that belong to another subtopic than the one that they were made for."""
    parts = [(each, part) for each in open_plans(plans) for part in _unsorted(each)]
    calls = [(each, _sorting(each, part)) for each, part in parts]
    members = {id(call): part for (_, call), (_, part) in zip(calls, parts, strict=True)}
    for each, call, found in _asked(calls, _read_sorted, model, progress):
        for value in found:
            place, insight = members[id(call)][value["insight"] - 1]
            each.checked.add(insight.insight_id)
            if value["subtopic"] != place + 1:
                other = quoted(each.subtopics[value["subtopic"] - 1].name)
                each.drop(place, insight, f"it belongs rather to the subtopic {other}")


def _unsorted(each: Plan) -> Iterator[list[tuple[int, Insight]]]:
    """The insights that were not sorted yet, in parts, and in an order that tells nothing."""
    new = [pair for pair in each.all_insights if pair[1].insight_id not in each.checked]
    random.Random(each.topic_id).shuffle(new)
    for at in range(0, len(new), MAX_SORTED):
        yield new[at : at + MAX_SORTED]


def _sorting(each: Plan, part: Sequence[tuple[int, Insight]]) -> Call:
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
        schema=_SORTED.schema,
        likely=encode({"sorted": likely}),
    )


def _read_sorted(call: Call, kept: Kept) -> _Listed:
    found = _SORTED.read(call, kept)
    wanted = list(range(1, len(call.own.lines) + 1))
    if sorted(each["insight"] for each in found) != wanted:
        raise ReplyError("the insights of the reply are not those of the list, each once")
    _check_numbers((each["subtopic"] for each in found), call.shared[-1])
    return found


def remove_duplicates(plans: Sequence[Plan], model: Model, progress: Progress | None) -> None:
    """Drops the insights that say what an earlier one says, by the step `dedupe`."""
    open_ = [each for each in open_plans(plans) if each.all_insights]
    topics = [
        TopicNuggets(
            each.topic_id,
            tuple(
                Nugget(insight.insight_id, question=None, answers=(Answer(insight.text),))
                for _, insight in each.all_insights
            ),
        )
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
