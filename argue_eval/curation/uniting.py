"""Makes one nugget of several that ask the same: one bank of the nuggets of many.

The first of a group gives its id and its words. Importance is proposed where the banks differ or
say nothing; people decide.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from argue_eval.curation import dedupe
from argue_eval.judges import Judge
from argue_eval.records import Aggregator, Answer, Importance, Nugget, TopicNuggets
from argue_eval.text.words import FILLERS, words

PROPOSED = "proposed"
"""The further key of a nugget that has what is proposed: importance, weight."""


class Bank(NamedTuple):
    """Nuggets, and the name by which what was made of them names them."""

    name: str
    topics: Sequence[TopicNuggets]


class Original(NamedTuple):
    """A nugget of one of the banks."""

    bank: str
    nugget: Nugget


Groups = list[list[int]]
"""Which originals of a topic ask the same: their places, the groups by their first member."""


@dataclass(slots=True)
class Merged:
    """The bank that was made of several.

    Attributes:
        num_originals: number of nuggets in all banks; `num_shared`: nuggets that more than one bank
            has.
        answered_absences: topic and id of nuggets that one bank answers, and another calls absent.
        kept_apart: topic and ids of nuggets with one question that cannot be one nugget, since they
            require other answers.
        ungrouped: topics for which the model gave no usable grouping; only equal questions are
            grouped there.
    """

    topics: list[TopicNuggets] = field(default_factory=list)
    num_originals: int = 0
    num_shared: int = 0
    answered_absences: list[tuple[str, str]] = field(default_factory=list)
    kept_apart: list[tuple[str, str, str]] = field(default_factory=list)
    ungrouped: list[str] = field(default_factory=list)

    @property
    def num_proposed(self) -> int:
        """The number of nuggets whose importance is proposed."""
        return sum(
            "importance" in nugget.extra.get(PROPOSED, {})
            for topic in self.topics
            for nugget in topic.nuggets
        )

    @property
    def num_nuggets(self) -> int:
        """The number of nuggets of the bank."""
        return sum(len(topic.nuggets) for topic in self.topics)


class Uniting:
    """Makes nuggets of the groups of a topic."""

    def __init__(self, banks: Sequence[Bank], judge: Judge, made_by: str) -> None:
        self._banks = [bank.name for bank in banks]
        self._judge = judge
        self._made_by = made_by
        self._extra: dict[str, dict[str, Any]] = {}
        for bank in banks:
            for topic in bank.topics:
                known = self._extra.setdefault(topic.topic_id, {})
                known.update({key: topic.extra[key] for key in topic.extra.keys() - known.keys()})

    def add(
        self, merged: Merged, topic_id: str, pool: Sequence[Original], groups: Iterable[list[int]]
    ) -> None:
        """Adds a topic: a nugget for each group, in the order of their first members."""
        ids = {each.nugget.nugget_id for each in pool if each.bank == self._banks[0]}
        nuggets: list[Nugget] = []
        for group in sorted(groups):
            parts = _requiring_the_same(pool, group)
            for part in parts:
                originals = [pool[place] for place in part]
                nugget = self._nugget(topic_id, originals, ids)
                nuggets.append(nugget)
                merged.num_shared += len({each.bank for each in originals}) > 1
                if nugget.answers and any(each.nugget.is_absence for each in originals):
                    merged.answered_absences.append((topic_id, nugget.nugget_id))
            if len(parts) > 1:
                merged.kept_apart.append((topic_id, nuggets[-2].nugget_id, nuggets[-1].nugget_id))
        merged.num_originals += len(pool)
        merged.topics.append(TopicNuggets(topic_id, tuple(nuggets), self._extra[topic_id]))

    def _nugget(self, topic_id: str, originals: Sequence[Original], ids: set[str]) -> Nugget:
        first = originals[0].nugget
        members = [each.nugget for each in originals]
        extra = {
            **{key: first.extra[key] for key in first.extra if key != PROPOSED},
            "merged_from": [part for each in originals for part in _record(each)],
        }
        if len(members) > 1:
            extra |= dedupe.joined_extras(members)
            made_by = map(str, dedupe.extras(members, "made_by"))
            extra["made_by"] = [*dict.fromkeys(made_by), self._made_by]
        importance, weight = self._importance(originals, extra), _weight(members, extra)
        answers = self._answers(topic_id, members)
        aggregator = first.aggregator
        if len(members) > 1 and len(answers) > 1:
            is_all = any(_all_needed(each) for each in members)
            aggregator = Aggregator.AND if is_all else Aggregator.OR
        return first._replace(
            nugget_id=self._id(originals[0], ids),
            answers=answers,
            aggregator=aggregator,
            importance=importance,
            weight=weight,
            extra=extra,
        )

    def _id(self, original: Original, ids: set[str]) -> str:
        """The nugget's own id; with the number of its bank where the first bank has it too."""
        own = original.nugget.nugget_id
        if original.bank == self._banks[0]:
            return own
        found = own
        while found in ids:
            found = f"{found}-{self._banks.index(original.bank) + 1}"
        ids.add(found)
        return found

    def _importance(
        self, originals: Sequence[Original], extra: dict[str, Any]
    ) -> Importance | None:
        """The importance that all have. Otherwise, one is proposed.

        At least half of those that have one say vital; or, where none has one, more than half of
        the banks have the nugget.
        """
        given = [each.nugget.importance for each in originals]
        if None not in given and len(set(given)) == 1:
            return given[0]
        known = Counter(each for each in given if each is not None)
        num_banks = len({each.bank for each in originals})
        is_vital = 2 * known[Importance.VITAL] >= known.total()
        if not known:
            is_vital = len(self._banks) > 1 and 2 * num_banks > len(self._banks)
        proposed = Importance.VITAL if is_vital else Importance.OKAY
        extra[PROPOSED] = {**extra.get(PROPOSED, {}), "importance": proposed.value}
        return None

    def _answers(self, topic_id: str, members: Sequence[Nugget]) -> tuple[Answer, ...]:
        """The answers of all; of those that say the same, the first, with the documents of all."""
        if len(members) == 1:
            return members[0].answers
        answers = [answer for member in members for answer in member.answers]
        texts = [answer.answer for answer in answers]
        if members[0].is_claim:
            same = [dedupe.Group(texts[0], tuple(range(len(texts))))]
        elif any(_all_needed(each) for each in members):
            same = _equal_texts(texts)
        else:
            same, equal = [], _equal_texts(texts)
            alike = dedupe.groups_by_judge(topic_id, [each.text for each in equal], self._judge)
            owners = [place for place, each in enumerate(members) for _ in each.answers]
            for group in alike:
                places = sorted(place for at in group.members for place in equal[at].members)
                same += _across(places, texts, owners)
        same.sort(key=lambda group: group.members)
        return tuple([_united([answers[place] for place in group.members]) for group in same])


def _requiring_the_same(pool: Sequence[Original], group: Sequence[int]) -> list[list[int]]:
    """Splits a group: nuggets that require several answers stay apart from those that do not.

    A nugget with one of the required answers, and no other, belongs to them.
    """
    needs = {place: _all_needed(pool[place].nugget) for place in group}
    parts: dict[frozenset[tuple[str, ...]], list[int]] = defaultdict(list)
    for place in group:
        own = frozenset(words(each.answer) for each in pool[place].nugget.answers)
        fitting = [each for each in needs.values() if len(own) == 1 and own <= each]
        parts[(*fitting, needs[place])[0]].append(place)
    return list(parts.values())


def _all_needed(nugget: Nugget) -> frozenset[tuple[str, ...]]:
    """The words of several answers that are all required; none of any other nugget."""
    if nugget.aggregator is not Aggregator.AND or len(nugget.answers) < 2:
        return frozenset()
    return frozenset(words(each.answer) for each in nugget.answers)


def _equal_texts(texts: Sequence[str]) -> list[dedupe.Group]:
    """Groups texts with the same words, but for those that say nothing."""
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        own = words(text)
        places[tuple([word for word in own if word not in FILLERS]) or own].append(place)
    return [dedupe.Group(texts[each[0]], tuple(each)) for each in places.values()]


def _across(
    places: Iterable[int], texts: Sequence[str], owners: Sequence[int]
) -> Iterator[dedupe.Group]:
    """Joins answers that say the same, but none of one nugget, which tells its answers apart."""
    parts: list[list[int]] = []
    for place in places:
        for part in parts:
            if owners[place] not in [owners[other] for other in part]:
                part.append(place)
                break
        else:
            parts.append([place])
    return (dedupe.Group(texts[part[0]], tuple(part)) for part in parts)


def _united(answers: Sequence[Answer]) -> Answer:
    doc_ids = dict.fromkeys(doc_id for answer in answers for doc_id in answer.doc_ids)
    return answers[0]._replace(doc_ids=tuple(doc_ids))


def _weight(members: Sequence[Nugget], extra: dict[str, Any]) -> float | None:
    """The weight that all have; otherwise, their mean is proposed."""
    given = [member.weight for member in members]
    known = [weight for weight in given if weight is not None]
    if not known or len(set(given)) == 1:
        return given[0]
    extra[PROPOSED] = {**extra.get(PROPOSED, {}), "weight": round(sum(known) / len(known), 6)}
    return None


def _record(original: Original) -> Iterator[dict[str, Any]]:
    """What a nugget was made of: itself, or what it was merged from before."""
    bank, nugget = original
    before = nugget.extra.get("merged_from")
    if isinstance(before, list) and before and all(isinstance(each, dict) for each in before):
        yield from ({"bank": bank, **each} for each in before)
        return
    yield {
        "bank": bank,
        "nugget_id": nugget.nugget_id,
        "question": nugget.question,
        "answers": [
            {"answer": each.answer, "doc_ids": list(each.doc_ids)} for each in nugget.answers
        ],
    }
