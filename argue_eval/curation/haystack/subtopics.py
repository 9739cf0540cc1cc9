"""Subtopics: asked for, and checked for overlaps.

Source: "Summary of a Haystack" (EMNLP 2024), appendix A.1.1.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    shown,
)
from argue_eval.curation.haystack.records import Subtopic
from argue_eval.curation.haystack.values import is_alike
from argue_eval.curation.model import Call, Kept, Model, Progress
from argue_eval.curation.texts import Listing, filler, list_of, numbered
from argue_eval.formats.jsonl import encode
from argue_eval.judges.llm.prompts import Block, quoted

_FIELDS = ("name", "subtopic", "query")
_SUBTOPICS = Listing("subtopics", **dict.fromkeys(_FIELDS, "string"))
_OVERLAPS = Listing("overlaps", numbers=list_of("integer"), why="string")


def propose(plans: Sequence[Plan], model: Model, progress: Progress | None) -> None:
    """Asks for the subtopics that haystacks still need."""
    calls = [
        (each, _proposal(each, number))
        for each in open_plans(plans)
        if (number := each.shape.num_subtopics - len(each.subtopics))
    ]
    for each, _, found in asked(calls, _SUBTOPICS.read, model, progress):
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
                own=numbered("overlapping", map(shown, each.subtopics)),
                max_tokens=REPLY_TOKENS + PAIR_TOKENS * len(each.subtopics),
                schema=_OVERLAPS.schema,
                likely=encode({"overlaps": []}),
            ),
        )
        for each in open_plans(plans)
        if len(each.subtopics) > 1
    ]
    for each, _, found in asked(calls, _read_overlaps, model, progress):
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


def _read_overlaps(call: Call, kept: Kept) -> Listed:
    found = _OVERLAPS.read(call, kept)
    check_numbers((number for each in found for number in each["numbers"]), call.own)
    return found
