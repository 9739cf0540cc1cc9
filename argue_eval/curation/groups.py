"""Groups of claims, and the nuggets that become of them: each keeps what it was made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from argue_eval.records import Answer, Importance, Nugget, TopicNuggets


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


def claims_of(topic: TopicNuggets) -> list[Nugget]:
    """Returns the claims of a topic."""
    return [nugget for nugget in topic.nuggets if nugget.is_claim]


def alone(claims: Sequence[Nugget]) -> list[Group]:
    """Returns every claim as a group by itself."""
    return [Group(claim.answers[0].answer, (place,)) for place, claim in enumerate(claims)]


def deduped(
    topics: Sequence[TopicNuggets],
    groups: Mapping[str, Sequence[Group]],
    ungrouped: list[str],
    made_by: str,
) -> Deduped:
    """Returns the nuggets of all topics, the claims of each group as one."""
    found = Deduped(ungrouped=ungrouped)
    for topic in topics:
        claims = claims_of(topic)
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
