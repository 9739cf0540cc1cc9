"""Merges nugget banks: nuggets that ask the same become one, which names all its originals.

Every original is in exactly one group. The nuggets of the first bank keep their ids. Importance is
proposed where the banks differ or say nothing; people decide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from argue_eval.curation import dedupe
from argue_eval.curation.likeness import Likeness, question_words
from argue_eval.curation.model import Call, Model, Progress
from argue_eval.curation.uniting import Bank, Groups, Merged, Original, Uniting
from argue_eval.judges import Judge
from argue_eval.records import Nugget, ReportRequest
from argue_eval.text.words import FILLERS, words

_LINKED = 0.3
"""How alike any two questions of a group are, at least."""

_SHOWN_ANSWERS = 5


def by_likeness(banks: Sequence[Bank], judge: Judge) -> Merged:
    """Merges banks without a model.

    Args:
        judge: says which claims cover each other.
    """
    pooled = _pooled(banks)
    factors = question_words([each.nugget for each in pool] for pool in pooled.values())
    merged = Merged()
    making = Uniting(banks, judge, f"merge {judge.signature}")
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
    making = Uniting(banks, judge, f"merge {model.signature('merge')}")
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


def _singles(
    pooled: _Pools,
) -> tuple[dict[_Key, list[dedupe.Group]], dict[_Key, list[list[int]]]]:
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
