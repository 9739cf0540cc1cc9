"""Key points that say the same become one, which keeps what it was made of.

Source: Long2RAG (2024), section 3.3. Every original is in exactly one group: a model's grouping is
checked for that, and asked for again if it fails. Without a model, two key points are the same if
each of them covers the other, as a judge sees it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from argue_eval.judges import Judge, Workload
from argue_eval.nuggets.model import (
    NO_JSON,
    Call,
    Model,
    Progress,
    numbered,
    object_with,
    request_block,
)
from argue_eval.nuggets.replies import Kept
from argue_eval.records import Answer, Ask, Judgment, Nugget, ReportRequest, TopicNuggets
from argue_eval.terms import Importance, Kind, Verdict

MAX_POINTS = 150
"""So many key points are grouped in one call; of more, the groups of parts are grouped again."""

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|\w+(?:'t)?")
_TURNING = frozenset(
    [
        *("all", "almost", "any", "both", "each", "every", "few", "fewer", "half", "hardly"),
        *("less", "many", "more", "most", "neither", "never", "no", "nobody", "none", "nor"),
        *("not", "nothing", "only", "or", "several", "some", "without"),
    ]
)

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


class Group(NamedTuple):
    """Key points that say the same.

    Attributes:
        text: what all of them say.
        members: their places among the originals, in order.
    """

    text: str
    members: tuple[int, ...]


@dataclass(slots=True)
class Deduped:
    """What became of the key points.

    Attributes:
        num_points: key points before and `num_groups` after.
        ungrouped: topics whose grouping was not usable; their key points are as they were.
    """

    topics: list[TopicNuggets] = field(default_factory=list)
    num_points: int = 0
    num_groups: int = 0
    ungrouped: list[str] = field(default_factory=list)


def by_model(
    topics: Sequence[TopicNuggets],
    requests: Mapping[str, ReportRequest],
    model: Model,
    progress: Progress | None = None,
) -> Deduped:
    """Returns the nuggets with their claims grouped by a language model."""
    groups = {topic.topic_id: _alone(_claims(topic)) for topic in topics}
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
    return _deduped(topics, groups, list(ungrouped), f"dedupe {model.signature}")


def workload(
    topics: Sequence[TopicNuggets], requests: Mapping[str, ReportRequest], model: Model
) -> Workload:
    """Returns what the first grouping takes at most."""
    found = {topic.topic_id: _alone(_claims(topic)) for topic in topics}
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
        claims = _claims(topic)
        same = _same(topic.topic_id, [claim.answers[0].answer for claim in claims], judge)
        members: dict[int, list[int]] = {}
        for place in range(len(claims)):
            first = next((each for each in members if (each, place) in same), place)
            members.setdefault(first, []).append(place)
        alone = _alone(claims)
        groups[topic.topic_id] = [
            Group(alone[first].text, tuple(places)) for first, places in members.items()
        ]
    return _deduped(topics, groups, [], f"dedupe {judge.signature}")


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


def _claims(topic: TopicNuggets) -> list[Nugget]:
    return [nugget for nugget in topic.nuggets if nugget.is_claim]


def _alone(claims: Sequence[Nugget]) -> list[Group]:
    """Returns every claim as a group by itself."""
    return [Group(claim.answers[0].answer, (place,)) for place, claim in enumerate(claims)]


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


def _deduped(
    topics: Sequence[TopicNuggets],
    groups: Mapping[str, Sequence[Group]],
    ungrouped: list[str],
    made_by: str,
) -> Deduped:
    found = Deduped(ungrouped=ungrouped)
    for topic in topics:
        claims = _claims(topic)
        found.num_points += len(claims)
        found.num_groups += len(groups[topic.topic_id])
        merged = {
            group.members[0]: _merged(
                group.text, [claims[place] for place in group.members], made_by
            )
            for group in groups[topic.topic_id]
        }
        places = {id(claim): place for place, claim in enumerate(claims)}
        kept = [
            merged[places[id(nugget)]] if nugget.is_claim else nugget
            for nugget in topic.nuggets
            if not nugget.is_claim or places[id(nugget)] in merged
        ]
        found.topics.append(topic._replace(nuggets=tuple(kept)))
    return found


def _merged(text: str, members: Sequence[Nugget], made_by: str) -> Nugget:
    """Returns one nugget for several, with what it was made of; a single one as it is."""
    first = members[0]
    if len(members) == 1:
        return first
    answers = [member.answers[0] for member in members]
    doc_ids = dict.fromkeys(doc_id for answer in answers for doc_id in answer.doc_ids)
    ranks = [member.importance for member in members if member.importance is not None]
    importance = Importance.VITAL if Importance.VITAL in ranks else next(iter(ranks), None)
    extra = {
        **first.extra,
        "spans": _listed(members, "spans"),
        "made_by": [*dict.fromkeys(_listed(members, "made_by")), made_by],
        "merged_from": [original for member in members for original in _originals(member)],
    }
    answer = Answer(text, tuple(doc_ids), answers[0].extra)
    return first._replace(answers=(answer,), importance=importance, extra=extra)


def _originals(nugget: Nugget) -> list[Any]:
    """Returns what a nugget was made of: itself, if it was not made of others before."""
    answer = nugget.answers[0]
    own = {"nugget_id": nugget.nugget_id, "answer": answer.answer, "doc_ids": answer.doc_ids}
    before = nugget.extra.get("merged_from")
    return before if isinstance(before, list) and before else [own]


def _listed(members: Sequence[Nugget], key: str) -> list[Any]:
    """Returns what members say under a key, one after the other."""
    values = [member.extra.get(key, []) for member in members]
    return [each for value in values for each in (value if isinstance(value, list) else [value])]
