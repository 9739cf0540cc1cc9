"""Questions of a topic that are the same, or nearly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import ceil

from argue_eval.errors import shorten
from argue_eval.records import Nugget, TopicNuggets
from argue_eval.validation.ingest.found import Found, count, named, some
from argue_eval.validation.ingest.words import FILLERS, words

_OVERLAP = 0.8
_FEWEST = 3
_VARIANT_LETTERS = 5
_MAX_COMPARED = 200_000
"""Pairs of questions that are looked at for one topic. Only texts made to be slow need more."""

_WIDTH = 100

Words = frozenset[str]


def check(topic: TopicNuggets, found: Found) -> None:
    """Warns of nuggets of one topic that ask the same, or nearly."""
    groups: dict[tuple[bool, tuple[str, ...] | str], list[Nugget]] = defaultdict(list)
    for nugget in topic.nuggets:
        text = text_of(nugget)
        groups[nugget.is_claim, words(text) or text].append(nugget)
    for nuggets in groups.values():
        if len(nuggets) > 1:
            _check_same(topic.topic_id, nuggets, found)
    for is_claim in (False, True):
        first = [nuggets[0] for key, nuggets in groups.items() if key[0] is is_claim]
        _check_near(topic.topic_id, first, found)


def text_of(nugget: Nugget) -> str:
    """Returns a nugget's question; the claim of a claim nugget."""
    if nugget.question is not None:
        return nugget.question
    return nugget.answers[0].answer if nugget.answers else ""


def _check_same(topic_id: str, nuggets: Sequence[Nugget], found: Found) -> None:
    """Tells whether nuggets with one question are one nugget twice, or differ in the answer."""
    texts = Counter(text for nugget in nuggets for text in _answers(nugget))
    same = [nug for nug in nuggets if any(texts[each] > 1 for each in _answers(nug))]
    ids = some([nugget.nugget_id for nugget in (same or nuggets)])
    asked = shorten(text_of(nuggets[0]), _WIDTH)
    if same:
        what = "claim" if nuggets[0].is_claim else "question and an answer"
        message = f"the nuggets {ids} have the same {what}: {asked}"
        hint = "keep one of them: recall counts every nugget"
        found.warn("duplicate_question", message, hint, topic_id)
        return
    message = f"the nuggets {ids} share a question and have different answers: {asked}"
    hint = "they are kept apart; if they are one nugget, put the answers of all into one"
    found.warn("shared_question", message, hint, topic_id)


def _answers(nugget: Nugget) -> set[tuple[str, ...] | str]:
    """Returns the answers in comparable form; that of an absence nugget is that there is none."""
    return {words(each.answer) or each.answer for each in nugget.answers} or {""}


def _check_near(topic_id: str, nuggets: Sequence[Nugget], found: Found) -> None:
    """Warns of every question that is nearly one before it; once for each question."""
    sets = [frozenset(words(text_of(nugget))) - FILLERS for nugget in nuggets]
    told: set[int] = set()
    pairs = _Pairs(sets)
    for earlier, later in pairs:
        if later in told:
            continue
        told.add(later)
        first, second = nuggets[earlier], nuggets[later]
        apart = some(sorted(sets[earlier] ^ sets[later]))
        message = (
            f"{named(second)} is nearly {named(first)}: "
            f"{shorten(text_of(second), _WIDTH)} and {shorten(text_of(first), _WIDTH)}"
            + (f" differ in {apart}" if apart else " have the same words")
        )
        hint = "if they ask the same, keep one: recall counts every nugget"
        found.warn("near_duplicate_question", message, hint, topic_id)
    if pairs.is_cut:
        message = f"{count(len(nuggets), 'question')} of a topic are too alike to compare them all"
        hint = "look for duplicates among them yourself"
        found.warn("questions_not_compared", message, hint, topic_id)


class _Pairs:
    """Pairs of sets of words that are nearly the same, as indexes, the smaller one first.

    Sets that are nearly the same must share one of their rarest words, so only those that do are
    compared.
    """

    def __init__(self, sets: Sequence[Words]) -> None:
        self._sets = sets
        self.is_cut = False

    def __iter__(self) -> Iterator[tuple[int, int]]:
        frequency = Counter(word for each in self._sets for word in each)
        with_word: dict[str, list[int]] = defaultdict(list)
        num_compared = 0
        for index, each in enumerate(self._sets):
            if len(each) < _FEWEST:
                continue
            by_rarity = sorted(each, key=lambda word: (frequency[word], word))
            rarest = by_rarity[: len(each) - _least_common(len(each)) + 1]
            seen: set[int] = set()
            for word in rarest:
                for other in with_word[word]:
                    num_compared += 1
                    if num_compared > _MAX_COMPARED:
                        self.is_cut = True
                        return
                    if other not in seen and _are_near(each, self._sets[other]):
                        yield other, index
                    seen.add(other)
                with_word[word].append(index)


def _least_common(size: int) -> int:
    """Returns how many words a set of this size shares with any that is nearly the same."""
    return min(ceil(_OVERLAP * size), size - 1)


def _are_near(first: Words, second: Words) -> bool:
    """Returns whether one only adds a few words, or writes one word differently.

    A word in the place of another makes another question: of Spain, not of France.
    """
    only_first, only_second = first - second, second - first
    if not only_first or not only_second:
        return len(first & second) >= _OVERLAP * len(first | second)
    if len(only_first) > 1 or len(only_second) > 1:
        return False
    return _is_variant(*only_first, *only_second)


def _is_variant(first: str, second: str) -> bool:
    """Returns whether two words differ in one letter, as a misprint or a plural do."""
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) < _VARIANT_LETTERS or not (shorter + longer).isalpha():
        return False
    if len(longer) - len(shorter) > 1:
        return False
    at = 0
    while at < len(shorter) and shorter[at] == longer[at]:
        at += 1
    if len(shorter) < len(longer):
        return shorter[at:] == longer[at + 1 :]
    return shorter[at + 1 :] == longer[at + 1 :]
