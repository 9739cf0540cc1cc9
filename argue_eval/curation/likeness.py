"""How alike nuggets' questions are in what they ask, without a model.

Shared words count by how rare they are among the questions of the topic; common documents and like
answers count in favour. Two questions are never alike if each names something that the other does
not, or has a number of its own, if one negates what the other states, or if they differ in one
phrase only: *the share of solar power* and *the share of wind power* are two questions in one
frame. Joining different questions is worse than keeping equal ones apart.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from argue_eval.judges.lexical.overlap import negation_conflict
from argue_eval.judges.lexical.text import Text, analyse
from argue_eval.judges.lexical.weights import TermWeights
from argue_eval.records import Nugget

LEAST = 0.5
"""Questions of two banks that are less alike are different; see `Pair.asks_the_same`."""

_RIVALLED = 0.6
_OF_ONE_BANK = 0.75

_ANSWERS = 0.2
"""What an answer in common adds."""

_TELLING = 0.45
"""A name or number of this weight or more tells questions of a topic apart."""

_REST = 0.03
"""A question that has only this share of its own is contained in the other."""

_ENOUGH_ANSWER = 1.5
"""An answer of less weight, such as yes, counts in part."""

_EXAMPLES = re.compile(
    r"\([^()]*\)|"
    r",? (?:such as|including|for example|e\.g\.)\b[^?;]*?(?:,(?! (?:and|or)\b)|(?=\?)|$)"
)
"""What a question names to show what it means."""

_EXCLUDED = re.compile(
    r"\b(?:other than|besides|except(?: for)?|excluding|apart from|outside(?: of)?)"
    r"((?: [^ ,;?]+){1,5})"
)
"""What a question is not about."""

_LEAST_TOPICS = 10
_LEAST_COMMON = 0.2
_MAX_PHRASE, _MIN_FRAME = 3, 3
_MAX_POSTINGS = 300
_MAX_ANSWERS = 20


class _Terms(NamedTuple):
    """The terms of a text and what they weigh together."""

    weights: dict[str, float]
    total: float


class _Asked(NamedTuple):
    """A question, and what else tells what it asks.

    Attributes:
        excluded: the terms that it excludes.
    """

    text: Text
    excluded: frozenset[str]
    terms: _Terms
    answers: tuple[_Terms, ...]
    doc_ids: frozenset[str]


def question_words(topics: Iterable[Sequence[Nugget]]) -> dict[str, float]:
    """By what to multiply the weight of terms that questions about anything have, such as
    *primary*: the share of topics without them. Of few topics, nothing is known.
    """
    of_topics = [{term for each in nuggets for term in _text(each).sequence} for nuggets in topics]
    number = len(of_topics)
    if number < _LEAST_TOPICS:
        return {}
    times = Counter(term for terms in of_topics for term in terms)
    return {term: max(_LEAST_COMMON, 1 - times[term] / number) for term in times}


class Pair(NamedTuple):
    """Two questions that may ask the same.

    Attributes:
        first: place of one of them; `second`: of the other, which comes later.
        likeness: the share of their words, by weight, that they have in common, and more if they
            have an answer in common; at most 1.2.
        of_words: the same without answers.
        has_other_documents: both have documents that attest answers, and none in common.
    """

    first: int
    second: int
    likeness: float
    of_words: float
    has_other_documents: bool

    def asks_the_same(self, banks: Set[str], others: Set[str]) -> bool:
        """Whether the two are one question.

        A bank's own questions are meant to differ. So the more is required, the more of the two
        have a counterpart in the other's bank already.

        Args:
            banks: those that have the first question; `others`: those that have the second.
        """
        rivals = [
            (bank in others) + (other in banks)
            for bank in banks
            for other in others
            if bank != other
        ]
        num_rivals = min(rivals, default=2)
        if num_rivals == 0:
            return self.likeness >= LEAST
        if num_rivals == 1:
            return self.likeness >= _RIVALLED and not self.has_other_documents
        return self.of_words >= _OF_ONE_BANK


class Likeness:
    """Compares the questions of one topic.

    Args:
        factors: by what to multiply the weights of some terms; see `question_words`.
    """

    def __init__(self, nuggets: Sequence[Nugget], factors: Mapping[str, float]) -> None:
        weights = TermWeights([nugget.question or "" for nugget in nuggets])
        of_answers = TermWeights([answer.answer for nugget in nuggets for answer in nugget.answers])
        self._asked = [_asked(nugget, weights, of_answers, factors) for nugget in nuggets]

    def pairs(self, least: float = LEAST) -> Iterator[Pair]:
        """Yields the pairs that are so alike and do not contradict each other.

        Questions whose shared words are all very common ones are not compared.
        """
        places: dict[str, list[int]] = defaultdict(list)
        for second, asked in enumerate(self._asked):
            seen: dict[int, None] = {}
            for term in asked.terms.weights:
                if len(places[term]) <= _MAX_POSTINGS:
                    seen.update(dict.fromkeys(places[term]))
                places[term].append(second)
            for first in sorted(seen):
                found = self._pair(first, second, least)
                if found is not None and found.likeness >= least:
                    yield found

    def _pair(self, first: int, second: int, least: float) -> Pair | None:
        one, other = self._asked[first], self._asked[second]
        dice = _dice(one.terms, other.terms)
        if dice + _ANSWERS < least or _differ(one, other):
            return None
        answers = [
            _dice(mine, theirs) * min(1.0, mine.total / _ENOUGH_ANSWER)
            for mine in one.answers
            for theirs in other.answers
        ]
        has_documents = bool(one.doc_ids and other.doc_ids)
        return Pair(
            first,
            second,
            likeness=dice + _ANSWERS * max(answers, default=0.0),
            of_words=dice,
            has_other_documents=has_documents and one.doc_ids.isdisjoint(other.doc_ids),
        )


def _text(nugget: Nugget) -> Text:
    return analyse(_EXAMPLES.sub(" ", nugget.question or ""))


def _asked(
    nugget: Nugget, weights: TermWeights, of_answers: TermWeights, factors: Mapping[str, float]
) -> _Asked:
    text = _text(nugget)
    given = nugget.answers[:_MAX_ANSWERS]
    return _Asked(
        text,
        frozenset(
            term
            for each in _EXCLUDED.findall(nugget.question or "")
            for term in analyse(each).terms
        ),
        _terms(text, weights, factors),
        tuple([_terms(analyse(each.answer), of_answers, {}) for each in given]),
        frozenset(doc_id for each in nugget.answers for doc_id in each.doc_ids),
    )


def _terms(text: Text, weights: TermWeights, factors: Mapping[str, float]) -> _Terms:
    found = {term: weights.claim_weight(term) * factors.get(term, 1.0) for term in text.sequence}
    return _Terms(found, sum(found.values()))


def _shared(one: _Terms, other: _Terms) -> float:
    return sum(weight for term, weight in one.weights.items() if term in other.weights)


def _dice(one: _Terms, other: _Terms) -> float:
    total = one.total + other.total
    return 2 * _shared(one, other) / total if total else 0.0


def _differ(one: _Asked, other: _Asked) -> bool:
    """Whether two questions ask different things, however many words they share."""
    shared = _shared(one.terms, other.terms)
    named, too = _own_names(one, other), _own_names(other, one)
    if (named and too) or (one.excluded ^ other.excluded) & one.text.keys & other.text.keys:
        return True
    numbers = [each for each in one.text.needs if each not in other.text.needs]
    others = [each for each in other.text.needs if each not in one.text.needs]
    if numbers and others:
        return True
    for own, quantities, theirs in ((named, numbers, other), (too, others, one)):
        keys = [*own, *(need[0] for need in quantities)]
        weights = (one if theirs is other else other).terms.weights
        is_telling = any(weights.get(key, 0.0) >= _TELLING for key in keys)
        if is_telling and theirs.terms.total - shared > _REST * theirs.terms.total:
            return True
    return negation_conflict(one.text, other.text) > 0.5 or _is_substituted(one, other)


def _own_names(one: _Asked, other: _Asked) -> frozenset[str]:
    return one.text.names - other.text.keys


def _is_substituted(one: _Asked, other: _Asked) -> bool:
    """Whether one phrase in the place of another is all that distinguishes two questions."""
    mine, theirs = one.text.sequence, other.text.sequence
    start = _num_equal(mine, theirs)
    end = _num_equal(mine[start:][::-1], theirs[start:][::-1])
    phrases = mine[start : len(mine) - end], theirs[start : len(theirs) - end]
    if start + end < _MIN_FRAME or not all(0 < len(each) <= _MAX_PHRASE for each in phrases):
        return False
    return set(phrases[0]).isdisjoint(phrases[1]) and all(
        max(asked.terms.weights[term] for term in phrase) >= _TELLING
        for asked, phrase in zip((one, other), phrases, strict=True)
    )


def _num_equal(one: Iterable[str], other: Iterable[str]) -> int:
    number = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        number += 1
    return number
