"""What changed between two versions of a bank: nuggets, answers and documents.

A nugget with the same id is the same nugget, unless question and answers are others. Nuggets that
are gone are sought in those that are there: by what these say that they were merged from, by the
same words, by all their answers, and by questions that ask the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from argue_eval.curation.likeness import Likeness, question_words
from argue_eval.curation.versions import BankDiff, Change, Size, version_of
from argue_eval.errors import count
from argue_eval.records import Importance, Nugget, TopicNuggets
from argue_eval.text.words import FILLERS, words

_REWORDED = 0.6
"""How alike a question is that was worded anew."""


def diff(old: Sequence[TopicNuggets], new: Sequence[TopicNuggets]) -> BankDiff:
    """Compares two versions of a bank."""
    before = {topic.topic_id: topic.nuggets for topic in old}
    after = {topic.topic_id: topic.nuggets for topic in new}
    factors = question_words([*before.get(key, ()), *after.get(key, ())] for key in after)
    changes = [
        change
        for topic_id in dict.fromkeys([*before, *after])
        for change in _Topic(
            topic_id, before.get(topic_id, ()), after.get(topic_id, ()), factors
        ).changes()
    ]
    return BankDiff(version_of(old), version_of(new), _size(old), _size(new), tuple(changes))


def _size(topics: Sequence[TopicNuggets]) -> Size:
    nuggets = [nugget for topic in topics for nugget in topic.nuggets]
    answers = [answer for nugget in nuggets for answer in nugget.answers]
    doc_ids = {doc_id for answer in answers for doc_id in answer.doc_ids}
    return Size(len(topics), len(nuggets), len(answers), len(doc_ids))


class _Topic:
    """The nuggets of a topic in both versions, and which of them belong together."""

    def __init__(
        self,
        topic_id: str,
        old: Sequence[Nugget],
        new: Sequence[Nugget],
        factors: Mapping[str, float],
    ) -> None:
        self._topic_id = topic_id
        self._old, self._new = list(old), list(new)
        self._factors = factors
        self._pairs: list[tuple[Nugget, Nugget]] = []
        self._merged: dict[str, list[Nugget]] = {}
        self._split: dict[str, list[Nugget]] = {}
        self._match()

    def _match(self) -> None:
        """Finds what became of every old nugget: pairs, then what was merged or split."""
        by_id = {nugget.nugget_id: nugget for nugget in self._new}
        for nugget in self._old[:]:
            same = by_id.get(nugget.nugget_id)
            if same is not None and _is_same(nugget, same):
                self._pair(nugget, same)
        by_text: dict[tuple[str, ...], Nugget] = {}
        for nugget in self._new:
            by_text.setdefault(words(_text(nugget)), nugget)
        for nugget in self._old[:]:
            same = by_text.pop(words(_text(nugget)), None)
            if same is not None and same in self._new and same.is_claim is nugget.is_claim:
                self._pair(nugget, same)
        kept = [(before, after, _answers(before), _answers(after)) for before, after in self._pairs]
        for nugget in self._old[:]:
            own = _answers(nugget)
            for _, after, before_answers, after_answers in kept:
                gained = own and own <= after_answers and not own <= before_answers
                if _names(after, nugget) or gained:
                    self._merged.setdefault(after.nugget_id, []).append(nugget)
                    self._old.remove(nugget)
                    break
        for nugget in self._new[:]:
            own = _answers(nugget)
            for before, _, before_answers, after_answers in kept:
                if own and own <= before_answers and own.isdisjoint(after_answers):
                    self._split.setdefault(before.nugget_id, []).append(nugget)
                    self._new.remove(nugget)
                    break
        self._match_reworded()

    def _pair(self, old: Nugget, new: Nugget) -> None:
        self._pairs.append((old, new))
        self._old.remove(old)
        self._new.remove(new)

    def _match_reworded(self) -> None:
        """Pairs what is left and asks the same, the most alike first."""
        left = [each for each in self._old if not each.is_claim]
        nuggets = [*left, *(each for each in self._new if not each.is_claim)]
        pairs = Likeness(nuggets, self._factors).pairs(_REWORDED)
        for one, other, *_ in sorted(pairs, key=lambda each: (-each.likeness, each)):
            old, new = nuggets[one], nuggets[other]
            if one < len(left) <= other and old in self._old and new in self._new:
                self._pair(old, new)

    def changes(self) -> Iterator[Change]:
        """Yields what changed, in the order of the old version, then of the new one."""
        for old, new in self._pairs:
            yield from self._of_pair(old, new)
        for nugget in self._old:
            yield Change(self._topic_id, "removed", (nugget.nugget_id,), before=_in_words(nugget))
        for nugget in self._new:
            yield Change(self._topic_id, "added", (), (nugget.nugget_id,), after=_in_words(nugget))

    def _of_pair(self, old: Nugget, new: Nugget) -> Iterator[Change]:
        topic_id, ids = self._topic_id, ((old.nugget_id,), (new.nugget_id,))
        gone = self._merged.get(new.nugget_id, [])
        parts = self._split.get(old.nugget_id, [])
        if gone:
            texts = " / ".join(_text(each) for each in (old, *gone))
            merged = (old.nugget_id, *(each.nugget_id for each in gone))
            yield Change(topic_id, "merged", merged, ids[1], texts, _text(new))
        if parts:
            texts = " / ".join(_text(each) for each in (new, *parts))
            split = (new.nugget_id, *(each.nugget_id for each in parts))
            yield Change(topic_id, "split", ids[0], split, _text(old), texts)
        if _text(old) != _text(new) and not gone:
            yield Change(topic_id, "reworded", *ids, _text(old), _text(new))
        if old.nugget_id != new.nugget_id:
            yield Change(topic_id, "renamed", *ids, old.nugget_id, new.nugget_id)
        yield from self._of_answers(ids, (old, *gone), (new, *parts))
        for kind, before, after in (
            ("aggregator", old.aggregator.value, new.aggregator.value),
            ("importance", _or_none(old.importance), _or_none(new.importance)),
            ("weight", _or_none(old.weight), _or_none(new.weight)),
            ("group", old.group, new.group),
        ):
            if before != after:
                yield Change(topic_id, kind, *ids, before, after)

    def _of_answers(
        self, ids: tuple[_Ids, _Ids], old: Sequence[Nugget], new: Sequence[Nugget]
    ) -> Iterator[Change]:
        before, after = _attested(old), _attested(new)
        for text, doc_ids in before.items():
            if text not in after:
                yield Change(self._topic_id, "answer_removed", *ids, before=text)
            elif doc_ids.keys() != after[text].keys():
                gone = " ".join(f"-{each}" for each in doc_ids if each not in after[text])
                more = " ".join(f"+{each}" for each in after[text] if each not in doc_ids)
                told = f"{gone} {more}".strip()
                yield Change(self._topic_id, "documents", *ids, before=text, after=told)
        for text in after:
            if text not in before:
                yield Change(self._topic_id, "answer_added", *ids, after=text)


_Ids = tuple[str, ...]


def _text(nugget: Nugget) -> str:
    if nugget.question is not None:
        return nugget.question
    return nugget.answers[0].answer if nugget.answers else ""


def _in_words(nugget: Nugget) -> str:
    number = f" ({count(len(nugget.answers), 'answer')})" if nugget.question else ""
    return f"{_text(nugget)}{number}"


def _answers(nugget: Nugget) -> frozenset[tuple[str, ...]]:
    return frozenset(words(each.answer) for each in nugget.answers)


def _attested(nuggets: Sequence[Nugget]) -> dict[str, dict[str, None]]:
    """The documents of every answer; those of a claim, whose words are compared already, as one."""
    found: dict[str, dict[str, None]] = {}
    for nugget in nuggets:
        for answer in nugget.answers:
            own = found.setdefault("" if nugget.is_claim else answer.answer, {})
            own.update(dict.fromkeys(answer.doc_ids))
    return found


def _or_none(value: Importance | float | None) -> str:
    if value is None:
        return "none"
    return value.value if isinstance(value, Importance) else f"{value:g}"


def _is_same(old: Nugget, new: Nugget) -> bool:
    """Whether nuggets with one id are one nugget: not if nothing that they say is the same."""
    if old.is_claim is not new.is_claim:
        return False
    same_words = set(words(_text(old))) & set(words(_text(new)))
    return bool(_answers(old) & _answers(new)) or not same_words.issubset(FILLERS)


def _names(nugget: Nugget, old: Nugget) -> bool:
    """Whether a nugget says that it was merged from another."""
    originals = nugget.extra.get("merged_from")
    return isinstance(originals, list) and any(
        isinstance(each, Mapping)
        and each.get("nugget_id") == old.nugget_id
        and each.get("question") == old.question
        and (old.question is not None or each.get("answer", _text(old)) == _text(old))
        for each in originals
    )
