"""Insights of subtopics: asked for, sorted into subtopics, and compared with each other.

Source: "Summary of a Haystack" (EMNLP 2024), appendix A.1.2.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from argue_eval.curation import dedupe
from argue_eval.curation.haystack.plans import (
    PAIR_TOKENS,
    REPLY_TOKENS,
    TOKENS,
    Listed,
    Plan,
    asked,
    check_numbers,
    open_plans,
    rejections,
    subtopics_block,
)
from argue_eval.curation.haystack.records import Insight
from argue_eval.curation.haystack.values import is_alike, values
from argue_eval.curation.model import Call, Kept, Model, Progress
from argue_eval.curation.texts import Listing, ReplyError, filler, numbered
from argue_eval.formats.jsonl import encode
from argue_eval.judges.llm.prompts import Block, quoted
from argue_eval.records import Answer, Nugget, TopicNuggets

MAX_SORTED = 50
"""Insights that are sorted in one call."""

_FIELDS = ("name", "insight")
_INSIGHTS = Listing("insights", **dict.fromkeys(_FIELDS, "string"))
_SORTED = Listing("sorted", insight="integer", subtopic="integer", name="string")


def invent(plans: Sequence[Plan], place: int, model: Model, progress: Progress | None) -> None:
    """Asks for the insights that one subtopic of each haystack still needs."""
    calls = [
        (each, _invention(each, place))
        for each in open_plans(plans)
        if place < len(each.subtopics) and each.missing(place)
    ]
    for each, _, found in asked(calls, _INSIGHTS.read, model, progress):
        for value in found[: each.missing(place)]:
            name, text = (" ".join(value[key].split()) for key in _FIELDS)
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
        shared=(*each.shared, subtopics_block(each)),
        own=Block("wanted_insights", lines),
        max_tokens=REPLY_TOKENS + TOKENS * number,
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
    for each, call, found in asked(calls, _read_sorted, model, progress):
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
        shared=(each.shared[0], subtopics_block(each)),
        own=numbered("unsorted", [insight.text for _, insight in part]),
        max_tokens=REPLY_TOKENS + PAIR_TOKENS * len(part),
        schema=_SORTED.schema,
        likely=encode({"sorted": likely}),
    )


def _read_sorted(call: Call, kept: Kept) -> Listed:
    found = _SORTED.read(call, kept)
    wanted = list(range(1, len(call.own.lines) + 1))
    if sorted(each["insight"] for each in found) != wanted:
        raise ReplyError("the insights of the reply are not those of the list, each once")
    check_numbers((each["subtopic"] for each in found), call.shared[-1])
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
