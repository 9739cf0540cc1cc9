"""Merges key points that say the same into one, which keeps its originals.

Source: Long2RAG (2024), section 3.3. Every original is in exactly one group: a model's grouping is
checked for that, and requested again if it fails. Without a model, two key points are the same if a
judge finds that each of them covers the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, islice
from typing import Any, NamedTuple, TypeVar

from argue_eval.curation.model import Call, Kept, Model, Progress
from argue_eval.curation.texts import (
    Listing,
    ReplyError,
    list_of,
    numbered,
    object_with,
    request_block,
)
from argue_eval.errors import shorten
from argue_eval.formats.jsonl import encode
from argue_eval.judges import Judge
from argue_eval.records import (
    Answer,
    Importance,
    Kind,
    Nugget,
    Question,
    ReportRequest,
    TopicNuggets,
    Verdict,
    nfc,
)

MAX_POINTS = 150
"""Key points that are grouped in one call; of more, the groups of the parts are grouped again."""

MAX_EXAMINED = 1_000
"""Groups whose words are counted for a claim, each as often as they share one of its words."""

MAX_COMPARED = 50
"""Groups of which a judge is asked whether they say the same as a claim: the most alike."""

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
"""Words that change what a statement claims: claims that differ in them are not the same."""

_REPLY_TOKENS_PER_POINT = 60
_REPLY_TOKENS = 512
_GROUPS = Listing("groups", point="string", numbers=list_of("integer"))
_Key = TypeVar("_Key", bound=Hashable)


class Group(NamedTuple):
    """Key points that say the same.

    Attributes:
        text: what all of them say.
        members: their indexes among the originals, in order.
    """

    text: str
    members: tuple[int, ...]


@dataclass(slots=True)
class Deduped:
    """The key points after grouping.

    Attributes:
        num_points: number of key points before.
        num_groups: number of key points after.
        ungrouped: topics without a usable grouping; their key points are unchanged.
    """

    topics: list[TopicNuggets] = field(default_factory=list)
    num_points: int = 0
    num_groups: int = 0
    ungrouped: list[str] = field(default_factory=list)


# --- by a language model --------------------------------------------------------------------------


def by_model(
    topics: Sequence[TopicNuggets],
    requests: Mapping[str, ReportRequest],
    model: Model,
    progress: Progress | None = None,
) -> Deduped:
    """Groups the claims of each topic by a language model."""
    singles = {topic.topic_id: _singles(topic) for topic in topics}
    groups, ungrouped = groups_by_model(
        singles,
        lambda topic_id, part: grouping_call("dedupe", topic_id, requests.get(topic_id), part),
        model,
        progress,
    )
    return _deduped(topics, groups, ungrouped, f"dedupe {model.signature('dedupe')}")


def groups_by_model(
    singles: Mapping[_Key, list[Group]],
    make_call: Callable[[_Key, Sequence[Group]], Call],
    model: Model,
    progress: Progress | None = None,
) -> tuple[dict[_Key, list[Group]], list[_Key]]:
    """Groups texts by a language model, those of each key apart from all others.

    Args:
        singles: a group for each text.
        make_call: what to ask of the model about groups of a key; see `grouping_call`.

    Returns:
        The groups, every text in exactly one, and the keys without a usable grouping.
    """
    groups = dict(singles)
    ungrouped: dict[_Key, None] = {}
    left = [key for key, members in groups.items() if len(members) > 1]
    while left:
        parts = [(key, part) for key in left for part in _parts(groups[key])]
        replies = model.ask([make_call(key, part) for key, part in parts], _read, progress)
        merged: dict[_Key, list[Group]] = {}
        for (key, part), found in zip(parts, replies, strict=True):
            if found is None:
                ungrouped[key] = None
            merged.setdefault(key, []).extend(part if found is None else _joined(part, found))
        # The groups of several calls are grouped again, until that changes nothing.
        left = [
            key
            for key in left
            if MAX_POINTS < len(groups[key]) > len(merged[key]) and key not in ungrouped
        ]
        groups.update(merged)
    return groups, list(ungrouped)


def _singles(topic: TopicNuggets) -> list[Group]:
    return [
        Group(claim.answers[0].answer, members=(place,))
        for place, claim in enumerate(_claims(topic))
    ]


def _claims(topic: TopicNuggets) -> list[Nugget]:
    return [nugget for nugget in topic.nuggets if nugget.is_claim]


def _parts(groups: Sequence[Group]) -> Iterator[list[Group]]:
    """Splits groups evenly into lists that a call has room for; those that begin alike together."""
    num_parts = -(-len(groups) // MAX_POINTS)
    ordered = groups if num_parts == 1 else sorted(groups, key=lambda each: each.text.casefold())
    for part in range(num_parts):
        first, last = (len(groups) * each // num_parts for each in (part, part + 1))
        yield list(ordered[first:last])


def grouping_call(
    step: str, topic_id: str, request: ReportRequest | None, part: Sequence[Group]
) -> Call:
    """What asks a model which texts of a topic belong together.

    Args:
        step: ``dedupe`` for claims, ``merge`` for questions.
    """
    return Call(
        step,
        about={"topic_id": topic_id},
        shared=(request_block(request or ReportRequest(topic_id)),),
        own=numbered("points", [group.text for group in part]),
        max_tokens=_REPLY_TOKENS + _REPLY_TOKENS_PER_POINT * len(part),
        schema=_GROUPS.schema,
        likely=encode({"groups": [{"point": "-", "numbers": [at + 1]} for at in range(len(part))]}),
    )


def _read(call: Call, kept: Kept) -> list[dict[str, Any]]:
    """The groups of a reply that puts every key point into exactly one."""
    groups = object_with(kept.text, "groups")["groups"]
    if not isinstance(groups, list) or not all(map(_is_group, groups)):
        raise ReplyError(
            "the groups of the reply are not a list of objects with a point and its numbers"
        )
    counts = Counter(number for group in groups for number in group["numbers"])
    wanted = range(1, len(call.own.lines) + 1)
    for what, numbers in (
        ("is in two groups", [number for number, times in counts.items() if times > 1]),
        ("is in no group", [number for number in wanted if number not in counts]),
        ("does not exist", [number for number in counts if number not in wanted]),
    ):
        if numbers:
            raise ReplyError(f"the key point {shorten(min(numbers))} {what}")
    return groups


def _is_group(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("point"), str):
        return False
    numbers = value.get("numbers")
    is_list = isinstance(numbers, list) and all(type(number) is int for number in numbers)
    return is_list and bool(numbers) and bool(value["point"].strip())


def _joined(part: Sequence[Group], groups: Sequence[Mapping[str, Any]]) -> Iterator[Group]:
    """Joins groups as a reply says. A group that stays alone keeps its words."""
    for value in groups:
        members = [part[number - 1] for number in sorted(value["numbers"])]
        text = " ".join(value["point"].split()) if len(members) > 1 else members[0].text
        yield Group(text, tuple(sorted(place for each in members for place in each.members)))


# --- by a judge -----------------------------------------------------------------------------------


def by_judge(topics: Sequence[TopicNuggets], judge: Judge) -> Deduped:
    """Groups claims that cover each other.

    A claim joins the first group whose first member says the same. Only pairs are judged that share
    half of the words of the shorter claim, all numbers, and all of certain words that change what a
    statement claims: joining different claims is worse than keeping equal ones apart. Of very many
    groups, a claim is compared with those that share its rarest words.
    """
    groups = {
        topic.topic_id: groups_by_judge(
            topic.topic_id, [claim.answers[0].answer for claim in _claims(topic)], judge
        )
        for topic in topics
    }
    return _deduped(topics, groups, [], f"dedupe {judge.signature}")


def groups_by_judge(topic_id: str, claims: Sequence[str], judge: Judge) -> list[Group]:
    """Groups of claims that cover each other, as `by_judge` does it."""
    firsts = _Firsts()
    members: dict[int, list[int]] = {}
    for place, claim in enumerate(claims):
        words = frozenset(_WORD.findall(claim.casefold()))
        alike = firsts.alike(words)
        pairs = [(claims[first], claim) for first in alike]
        same = _covering(topic_id, pairs, judge)
        both = _covering(topic_id, [pairs[each][::-1] for each in same], judge)
        if both:
            members[alike[same[both[0]]]].append(place)
        else:
            members[place] = [place]
            firsts.add(place, words)
    return [Group(claims[first], tuple(places)) for first, places in members.items()]


class _Firsts:
    """The first members of a topic's groups, by the words of their claims."""

    def __init__(self) -> None:
        self._words: dict[int, frozenset[str]] = {}
        self._places: dict[tuple[frozenset[str], str], list[int]] = {}

    def add(self, place: int, words: frozenset[str]) -> None:
        self._words[place] = words
        decisive = _decisive(words)
        for word in words:
            self._places.setdefault((decisive, word), []).append(place)

    def alike(self, words: frozenset[str]) -> list[int]:
        """The places of those with which a claim is compared, in order."""
        decisive = _decisive(words)
        having = sorted([self._places.get((decisive, word), []) for word in words], key=len)
        some = dict.fromkeys(islice(chain.from_iterable(having), MAX_EXAMINED))
        shares = {
            first: len(words & self._words[first]) / min(len(words), len(self._words[first]))
            for first in some
        }
        alike = sorted(
            [first for first in some if shares[first] >= 0.5], key=lambda each: -shares[each]
        )
        return sorted(alike[:MAX_COMPARED])


def _decisive(words: frozenset[str]) -> frozenset[str]:
    return frozenset([word for word in words if word[0].isdigit() or word in _TURNING])


def _covering(topic_id: str, pairs: Sequence[tuple[str, str]], judge: Judge) -> list[int]:
    """The places of the pairs of which the first claim covers the second."""
    questions = [
        Question(
            kind=Kind.COVERS, topic_id=topic_id, answer=claim, text=nfc(text), claim=nfc(claim)
        )
        for text, claim in pairs
    ]
    return sorted(
        [reply.index for reply in judge.answer(questions) if reply.verdict is Verdict.YES]
    )


# --- nuggets of groups ----------------------------------------------------------------------------


def _deduped(
    topics: Sequence[TopicNuggets],
    groups: Mapping[str, Sequence[Group]],
    ungrouped: list[str],
    made_by: str,
) -> Deduped:
    """Replaces the claims of each group by one, in the place of the first."""
    found = Deduped(ungrouped=ungrouped)
    for topic in topics:
        claims = _claims(topic)
        own = groups[topic.topic_id]
        found.num_points += len(claims)
        found.num_groups += len(own)
        merged = {
            group.members[0]: _merged(
                group.text, [claims[place] for place in group.members], made_by
            )
            for group in own
        }
        places = count()
        kept = [merged.get(next(places)) if nugget.is_claim else nugget for nugget in topic.nuggets]
        nuggets = tuple([nugget for nugget in kept if nugget is not None])
        found.topics.append(topic._replace(nuggets=nuggets))
    return found


def _merged(text: str, members: Sequence[Nugget], made_by: str) -> Nugget:
    first = members[0]
    if len(members) == 1:
        return first
    answers = [member.answers[0] for member in members]
    doc_ids = dict.fromkeys(doc_id for answer in answers for doc_id in answer.doc_ids)
    ranks = [member.importance for member in members if member.importance is not None]
    importance = Importance.VITAL if Importance.VITAL in ranks else next(iter(ranks), None)
    extra = {
        **first.extra,
        **joined_extras(members),
        "made_by": [*dict.fromkeys(extras(members, "made_by")), made_by],
        "merged_from": [original for member in members for original in _originals(member)],
    }
    answer = Answer(text, tuple(doc_ids), answers[0].extra)
    return first._replace(answers=(answer,), importance=importance, extra=extra)


def _originals(nugget: Nugget) -> list[Any]:
    """What a nugget was merged from; the nugget itself if it was not merged before."""
    answer = nugget.answers[0]
    own = {"nugget_id": nugget.nugget_id, "answer": answer.answer, "doc_ids": answer.doc_ids}
    before = nugget.extra.get("merged_from")
    return before if isinstance(before, list) and before else [own]


_JOINED = ("spans", "claimed_by")
"""Further keys with lists of where a nugget is from."""


def joined_extras(members: Sequence[Nugget]) -> dict[str, list[Any]]:
    """Where several nuggets are from: the lists of further keys that any of them has, joined."""
    keys = [key for key in _JOINED if any(key in member.extra for member in members)]
    return {key: extras(members, key) for key in keys}


def extras(members: Sequence[Nugget], key: str) -> list[Any]:
    """What several nuggets have under a further key, as one list."""
    values = [member.extra.get(key, []) for member in members]
    return [each for value in values for each in (value if isinstance(value, list) else [value])]
