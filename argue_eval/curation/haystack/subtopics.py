"""Subtopics: asked for, and checked for overlaps.

Source: "Summary of a Haystack" (EMNLP 2024), appendix A.1.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.curation.haystack.plans import (
    PAIR_TOKENS,
    REPLY_TOKENS,
    TOKENS,
    Asking,
    Listed,
    Plan,
    asked,
    no_such,
    open_plans,
    rejections,
    shown,
)
from argue_eval.curation.haystack.records import Subtopic
from argue_eval.curation.haystack.values import is_alike
from argue_eval.curation.model import Call, Model, Progress
from argue_eval.curation.texts import filler, list_schema, numbered
from argue_eval.formats.jsonl import encode
from argue_eval.judges.llm.prompts import Block, quoted

_FIELDS = ("name", "subtopic", "query")
_SUBTOPICS = list_schema("subtopics", dict.fromkeys(_FIELDS, "string"))
_OVERLAPS = list_schema("overlaps", {"numbers": "array", "why": "string"})
_OVERLAPS["properties"]["overlaps"]["items"]["properties"]["numbers"]["items"] = {"type": "integer"}


def propose(plans: Sequence[Plan], model: Model, progress: Progress | None) -> None:
    """Asks for the subtopics that haystacks still need."""
    calls = [
        (each, _proposal(each, number))
        for each in open_plans(plans)
        if (number := each.shape.num_subtopics - len(each.subtopics))
    ]
    for each, _, found in asked(calls, _PROPOSED, model, progress):
        for value in found:
            name, text, query = (" ".join(value[key].split()) for key in _FIELDS)
            is_known = any(is_alike(text, other.text) for other in each.subtopics)
            if is_known or len(each.subtopics) == each.shape.num_subtopics:
                continue
            each.num_proposed += 1
            subtopic_id = f"{each.topic_id}-s{each.num_proposed}"
            each.subtopics.append(Subtopic(subtopic_id, name, text, query))


def _proposal(each: Plan, number: int) -> Call:
    known = [f"known: {quoted(shown(other))}" for other in each.subtopics]
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
        max_tokens=REPLY_TOKENS + TOKENS * number,
        schema=_SUBTOPICS,
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
                own=numbered("overlapping", map(shown, each.subtopics)),
                max_tokens=REPLY_TOKENS + PAIR_TOKENS * len(each.subtopics),
                schema=_OVERLAPS,
                likely=encode({"overlaps": []}),
            ),
        )
        for each in open_plans(plans)
        if len(each.subtopics) > 1
    ]
    for each, _, found in asked(calls, _OVERLAPPING, model, progress):
        firsts = {
            number: min(one["numbers"])
            for one in found
            for number in one["numbers"]
            if number != min(one["numbers"])
        }
        for number in sorted(firsts, reverse=True):
            gone = each.subtopics.pop(number - 1)
            first = each.subtopics[firsts[number] - 1]
            each.rejected.append((shown(gone), f"it overlaps with {quoted(first.name)}"))


def _why_wrong(call: Call, found: Listed) -> str:
    return no_such((number for each in found for number in each["numbers"]), call.own)


_PROPOSED = Asking("subtopics", dict.fromkeys(_FIELDS, str))
_OVERLAPPING = Asking("overlaps", {"numbers": list, "why": str}, _why_wrong)
