"""Key points that say the same become one, which keeps what it was made of.

Source: Long2RAG (2024), section 3.3. Every original is in exactly one group: a model's grouping is
checked for that, and asked for again if it fails. Without a model, two key points are the same if
each of them covers the other, as a judge sees it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from argue_eval.curation.groups import Deduped, Group, alone, claims_of, deduped
from argue_eval.curation.model import Call, Model, Progress
from argue_eval.curation.replies import Kept
from argue_eval.curation.texts import NO_JSON, numbered, object_with, request_block
from argue_eval.judges import Judge, Workload
from argue_eval.records import Ask, Judgment, Kind, ReportRequest, TopicNuggets, Verdict

MAX_POINTS = 150
"""So many key points are grouped in one call; of more, the groups of parts are grouped again."""

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|\w+(?:'t)?")
_TURNING = frozenset(
    [
        *("all", "almost", "any", "both", "each", "every", "few", "fewer", "half", "hardly"),
        *("less", "many", "more", "most", "neither", "never", "no", "nobody", "none", "nor"),
        *("not", "nothing", "only", "or", "several", "some", "without"),
        # negations of other languages: de fr es it pt nl da no sv pl ru
        *("kein", "keine", "keinem", "keinen", "keiner", "nicht", "nie", "niemals", "ohne"),
        *("aucun", "aucune", "jamais", "n", "ne", "ni", "pas", "rien", "sans"),
        *("jamás", "nada", "ningún", "ninguna", "ninguno", "nunca", "sin"),
        *("mai", "nessun", "nessuna", "nessuno", "non", "senza"),
        *("nem", "nenhum", "nenhuma", "não", "sem"),
        *("geen", "niet", "nooit", "zonder"),
        *("aldri", "aldrig", "ikke", "ingen", "inte", "utan", "uten", "uden"),
        *("bez", "nigdy", "żaden", "żadna"),
        *("без", "не", "нет", "ни", "никогда"),
    ]
)
"""Words that turn a statement: claims that have not the same of them are not the same."""

_REPLY_TOKENS_PER_POINT = 60
_REPLY_TOKENS = 512

_SCHEMA = {
    "type": "object",
    "properties": {
        "groups": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "point": {"type": "string"},
                    "numbers": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["point", "numbers"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["groups"],
    "additionalProperties": False,
}


def by_model(
    topics: Sequence[TopicNuggets],
    requests: Mapping[str, ReportRequest],
    model: Model,
    progress: Progress | None = None,
) -> Deduped:
    """Returns the nuggets with their claims grouped by a language model."""
    groups = {topic.topic_id: alone(claims_of(topic)) for topic in topics}
    ungrouped: dict[str, None] = {}
    left = [topic_id for topic_id, members in groups.items() if len(members) > 1]
    while left:
        parts = [(topic_id, part) for topic_id in left for part in _parts(groups[topic_id])]
        calls = [_call(topic_id, requests.get(topic_id), part) for topic_id, part in parts]
        replies = model.ask(calls, _why_unusable, progress)
        merged: dict[str, list[Group]] = {}
        for place, (topic_id, part) in enumerate(parts):
            if place in replies:
                part = list(_joined(part, replies[place]))
            else:
                ungrouped[topic_id] = None
            merged.setdefault(topic_id, []).extend(part)
        # What several calls have grouped is grouped again, until that changes nothing.
        left = [
            topic_id
            for topic_id in left
            if MAX_POINTS < len(groups[topic_id]) > len(merged[topic_id])
            and topic_id not in ungrouped
        ]
        groups.update(merged)
    return deduped(topics, groups, list(ungrouped), f"dedupe {model.signature}")


def workload(
    topics: Sequence[TopicNuggets], requests: Mapping[str, ReportRequest], model: Model
) -> Workload:
    """Returns what the first grouping takes at most."""
    found = {topic.topic_id: alone(claims_of(topic)) for topic in topics}
    return model.workload(
        [
            _call(topic_id, requests.get(topic_id), part)
            for topic_id, members in found.items()
            if len(members) > 1
            for part in _parts(members)
        ]
    )


def by_judge(topics: Sequence[TopicNuggets], judge: Judge) -> Deduped:
    """Returns the nuggets with those claims grouped of which each covers the other.

    A claim joins the first group whose first member says the same. Only pairs are looked at that
    share half of the words of the shorter one, and have the same numbers and the same of some
    words that turn a statement: to join what differs is worse than to leave what is equal apart.
    """
    groups = {}
    for topic in topics:
        claims = claims_of(topic)
        same = _same(topic.topic_id, [claim.answers[0].answer for claim in claims], judge)
        members: dict[int, list[int]] = {}
        for place in range(len(claims)):
            first = next((each for each in members if (each, place) in same), place)
            members.setdefault(first, []).append(place)
        groups[topic.topic_id] = [
            Group(claims[first].answers[0].answer, tuple(places))
            for first, places in members.items()
        ]
    return deduped(topics, groups, [], f"dedupe {judge.signature}")


def _same(topic_id: str, claims: Sequence[str], judge: Judge) -> set[tuple[int, int]]:
    """Returns the pairs of claims of which each covers the other."""
    words = [frozenset(_WORD.findall(claim.casefold())) for claim in claims]
    decisive = [{word for word in each if word[0].isdigit() or word in _TURNING} for each in words]
    pairs = [
        (one, other)
        for one, other in combinations(range(len(claims)), 2)
        if decisive[one] == decisive[other]
        and 2 * len(words[one] & words[other]) >= min(len(words[one]), len(words[other]))
    ]
    both_ways = [pair for one, other in pairs for pair in ((one, other), (other, one))]
    asks = [
        Ask(Kind.COVERS, topic_id, claims[one], answer=claims[other]) for one, other in both_ways
    ]
    covered = {
        both_ways[reply.ask_index]
        for reply in judge.judge(asks)
        if isinstance(reply.answer, Judgment) and reply.answer.verdict is Verdict.YES
    }
    return {(one, other) for one, other in pairs if {(one, other), (other, one)} <= covered}


def _parts(groups: Sequence[Group]) -> Iterator[list[Group]]:
    """Yields groups in lists of about equal length that are short enough for a call.

    Of several lists, each has those that begin alike.
    """
    num_parts = -(-len(groups) // MAX_POINTS)
    ordered = groups if num_parts == 1 else sorted(groups, key=lambda each: each.text.casefold())
    for part in range(num_parts):
        first, last = (len(groups) * each // num_parts for each in (part, part + 1))
        yield list(ordered[first:last])


def _call(topic_id: str, request: ReportRequest | None, part: Sequence[Group]) -> Call:
    shared = (request_block(request or ReportRequest(topic_id)),)
    own = numbered("points", [group.text for group in part])
    max_tokens = _REPLY_TOKENS + _REPLY_TOKENS_PER_POINT * len(part)
    return Call("dedupe", {"topic_id": topic_id}, shared, own, max_tokens, _SCHEMA)


def _why_unusable(call: Call, kept: Kept) -> str:
    """Returns why a reply does not put every key point into exactly one group."""
    value = object_with(kept.text, "groups")
    if value is None:
        return NO_JSON
    groups = value["groups"]
    if not isinstance(groups, list) or not all(_is_group(group) for group in groups):
        return "the groups of the reply are no list of objects with a point and its numbers"
    counts = Counter(number for group in groups for number in group["numbers"])
    wanted = range(1, len(call.own.lines) + 1)
    for what, numbers in (
        ("is in two groups", [number for number, times in counts.items() if times > 1]),
        ("is in no group", [number for number in wanted if number not in counts]),
        ("does not exist", [number for number in counts if number not in wanted]),
    ):
        if numbers:
            return f"the key point {min(numbers)} {what}"
    return ""


def _is_group(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("point"), str):
        return False
    numbers = value.get("numbers")
    is_list = isinstance(numbers, list) and all(type(number) is int for number in numbers)
    return is_list and bool(numbers) and bool(value["point"].strip())


def _joined(part: Sequence[Group], kept: Kept) -> Iterator[Group]:
    """Yields the groups that a reply makes of others. What stays alone keeps its words."""
    for value in (object_with(kept.text, "groups") or {"groups": []})["groups"]:
        members = [part[number - 1] for number in sorted(value["numbers"])]
        text = " ".join(value["point"].split()) if len(members) > 1 else members[0].text
        yield Group(text, tuple(sorted(place for each in members for place in each.members)))
