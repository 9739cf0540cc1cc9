"""Merges nugget banks: nuggets that ask the same become one, which names all its originals.

Every original is in exactly one group, whose first gives its id and its words; the nuggets of the
first bank keep their ids. Importance is proposed where the banks differ or say nothing; people
decide.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from argue_eval.curation import dedupe
from argue_eval.curation.likeness import Likeness, question_words
from argue_eval.curation.model import Call, Model, Progress
from argue_eval.judges import Judge
from argue_eval.records import Aggregator, Answer, Importance, Nugget, ReportRequest, TopicNuggets
from argue_eval.text.words import FILLERS, words

PROPOSED = "proposed"
"""The further key of a nugget that has what is proposed: importance, weight."""

_LINKED = 0.3
"""How alike any two questions of a group are, at least."""

_SHOWN_ANSWERS = 5


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


def by_likeness(banks: Sequence[Bank], judge: Judge) -> Merged:
    """Merges banks without a model.

    Args:
        judge: says which claims cover each other.
    """
    pooled = _pooled(banks)
    factors = question_words([each.nugget for each in pool] for pool in pooled.values())
    merged = Merged()
    making = _Uniting(banks, judge, f"merge {judge.signature}")
    for topic_id, pool in pooled.items():
        questions = [place for place, each in enumerate(pool) if not each.nugget.is_claim]
        groups = _alike(pool, questions, factors)
        claims = [place for place, each in enumerate(pool) if each.nugget.is_claim]
        texts = [pool[place].nugget.answers[0].answer for place in claims]
        same = dedupe.groups_by_judge(topic_id, texts, judge)
        groups += [[claims[member] for member in group.members] for group in same]
        making.add(merged, topic_id, pool, groups)
    return merged


def by_model(
    banks: Sequence[Bank],
    requests: Mapping[str, ReportRequest],
    model: Model,
    judge: Judge,
    progress: Progress | None = None,
) -> Merged:
    """Merges banks with a language model that groups questions and claims.

    Args:
        judge: says which answers of a group cover each other.
    """
    pooled = _pooled(banks)
    singles, equal = _singles(pooled)

    def make_call(key: _Key, part: Sequence[dedupe.Group]) -> Call:
        topic_id, is_claim = key
        step = "dedupe" if is_claim else "merge"
        return dedupe.grouping_call(step, topic_id, requests.get(topic_id), part)

    found, ungrouped = dedupe.groups_by_model(singles, make_call, model, progress)
    merged = Merged(ungrouped=list(dict.fromkeys(key[0] for key in ungrouped)))
    making = _Uniting(banks, judge, f"merge {model.signature('merge')}")
    for topic_id, pool in pooled.items():
        groups = [
            [place for member in group.members for place in equal[key][member]]
            for key in ((topic_id, False), (topic_id, True))
            for group in found.get(key, ())
        ]
        making.add(merged, topic_id, pool, groups)
    return merged


# --- which ask the same ---------------------------------------------------------------------------

_Pools = dict[str, list[Original]]


def _pooled(banks: Sequence[Bank]) -> _Pools:
    pooled: _Pools = {}
    for bank in banks:
        for topic in bank.topics:
            own = pooled.setdefault(topic.topic_id, [])
            own += [Original(bank.name, nugget) for nugget in topic.nuggets]
    return pooled


def _equal(pool: Sequence[Original], places: Iterable[int]) -> list[list[int]]:
    """The places of nuggets with the same words, together.

    A bank that asks one question twice, with other answers, has two nuggets, and so has the result.
    """
    found: dict[tuple[str, ...], list[list[int]]] = defaultdict(list)
    for place in places:
        bank, nugget = pool[place]
        same = found[_plain(nugget)]
        having = [each for each in same if any(_share(pool[x].nugget, nugget) for x in each)]
        free = [each for each in same if all(pool[x].bank != bank for x in each)]
        for each in (having or free)[:1]:
            each.append(place)
        if not having and not free:
            same.append([place])
    return [each for same in found.values() for each in same]


def _plain(nugget: Nugget) -> tuple[str, ...]:
    """The words of a question or claim that matter; its text if it has none."""
    text = nugget.answers[0].answer if nugget.is_claim else nugget.question or ""
    return tuple([word for word in words(text) if word not in FILLERS]) or (text,)


def _share(one: Nugget, other: Nugget) -> bool:
    """Whether two nuggets have an answer in common, or none at all."""
    mine, theirs = ({words(each.answer) for each in nugget.answers} for nugget in (one, other))
    return not mine.isdisjoint(theirs) or not (mine or theirs)


def _alike(pool: Sequence[Original], places: Sequence[int], factors: Mapping[str, float]) -> Groups:
    """Groups in which no question contradicts another, joined from the most alike on."""
    equal = _equal(pool, places)
    banks = [{pool[place].bank for place in each} for each in equal]
    likeness = Likeness([pool[each[0]].nugget for each in equal], factors)
    texts = [_plain(pool[each[0]].nugget) for each in equal]
    pairs = {
        (each.first, each.second): each
        for each in likeness.pairs(_LINKED)
        if texts[each.first] != texts[each.second]  # those were kept apart
    }
    group_of = list(range(len(equal)))
    members = {place: [place] for place in group_of}
    for pair in sorted(pairs.values(), key=lambda each: (-each.likeness, each)):
        first, second = sorted((group_of[pair.first], group_of[pair.second]))
        if (
            first != second
            and pair.asks_the_same(banks[first], banks[second])
            and all(
                (min(mine, theirs), max(mine, theirs)) in pairs
                for mine in members[first]
                for theirs in members[second]
            )
        ):
            members[first] += members.pop(second)
            banks[first] |= banks[second]
            group_of = [first if each == second else each for each in group_of]
    return [sorted(place for each in own for place in equal[each]) for own in members.values()]


_Key = tuple[str, bool]
"""A topic, and whether it is about claims: they are grouped apart from questions."""


def _singles(pooled: _Pools) -> tuple[dict[_Key, list[dedupe.Group]], dict[_Key, list[list[int]]]]:
    """What a model is shown, and the places that each stands for: equal texts are shown once."""
    shown, equal = {}, {}
    for topic_id, pool in pooled.items():
        for is_claim in (False, True):
            places = [at for at, each in enumerate(pool) if each.nugget.is_claim is is_claim]
            same = equal[topic_id, is_claim] = _equal(pool, places)
            shown[topic_id, is_claim] = [
                dedupe.Group(_shown(pool[group[0]].nugget), (at,)) for at, group in enumerate(same)
            ]
    return shown, equal


def _shown(nugget: Nugget) -> str:
    if nugget.question is None:
        return nugget.answers[0].answer
    some = " / ".join(each.answer for each in nugget.answers[:_SHOWN_ANSWERS])
    return f"{nugget.question} [{some or 'no answer'}]"


# --- nuggets of groups ----------------------------------------------------------------------------


class _Uniting:
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
