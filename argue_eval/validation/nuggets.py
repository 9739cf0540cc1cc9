"""What is wrong with nuggets: ids, duplicate questions, answers that overlap, unknown documents."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from functools import partial
from itertools import chain
from math import ceil

from argue_eval.errors import Finding, Findings, count, shorten, some
from argue_eval.formats import collection
from argue_eval.records import Aggregator, Nugget, TopicNuggets
from argue_eval.text.words import FILLERS, contains, words
from argue_eval.validation.doc_ids import ANY_DOCUMENT, Expected, check_placeholders, doc_ids
from argue_eval.validation.requests import check_ids

Words = tuple[str, ...]


def check(findings: Findings, topics: Sequence[TopicNuggets]) -> None:
    """Warns of what is unusual about the nuggets themselves: ids, questions, answers."""
    for topic in topics:
        check_ids(findings, [topic.topic_id], "topic", topic.topic_id)
    for topic in topics:
        topic_id = topic.topic_id
        check_ids(findings, [nugget.nugget_id for nugget in topic.nuggets], "nugget", topic_id)
        check_ids(findings, list(doc_ids([topic])), "document", topic_id)
        if not topic.nuggets:
            hint = "add its nuggets: without any, its recall is undefined"
            findings.warn("empty_topic", "the topic has no nuggets", hint, topic_id=topic_id)
        _check_questions(findings, topic)
        for nugget in topic.nuggets:
            _AnswerChecks(findings, topic_id, nugget).run()
    _check_importance(findings, topics)


def unwritable(topics: Sequence[TopicNuggets], file: str) -> Iterator[Finding]:
    """Yields an error for nuggets of which only the ids are known: no file can hold them."""
    bare = [
        each for topic in topics for each in topic.nuggets for x in each.answers if not x.answer
    ]
    if bare:
        message = f"{count(len(bare), 'answer')} without text, the first in {_named(bare[0])}"
        hint = "these are judgments: name the file that has the nuggets"
        yield Finding("no_texts", message, hint, file)


def _named(nugget: Nugget) -> str:
    return f"{'claim' if nugget.is_claim else 'nugget'} {shorten(nugget.nugget_id)}"


def _check_importance(findings: Findings, topics: Sequence[TopicNuggets]) -> None:
    nuggets = [(topic, nugget) for topic in topics for nugget in topic.nuggets]
    bare = [place for place in nuggets if place[1].importance is None]
    if bare and len(bare) < len(nuggets):
        topic, nugget = bare[0]
        message = (
            f"{count(len(bare), 'nugget')} of {len(nuggets):,} without importance; "
            f"the first is {_named(nugget)}"
        )
        hint = "write vital or okay: without, a nugget weighs 1 in the weighted measures"
        findings.warn("missing_importance", message, hint, topic_id=topic.topic_id)


# --- questions: the same, or nearly ---

_OVERLAP = 0.8
_FEWEST = 3
_VARIANT_LETTERS = 5
_MAX_COMPARED = 200_000
"""Pairs of questions that are compared for one topic. Only texts made to be slow need more."""

_WIDTH = 100


def _check_questions(findings: Findings, topic: TopicNuggets) -> None:
    groups: dict[tuple[bool, Words | str], list[Nugget]] = defaultdict(list)
    for nugget in topic.nuggets:
        text = _text_of(nugget)
        groups[nugget.is_claim, words(text) or text].append(nugget)
    for nuggets in groups.values():
        if len(nuggets) > 1:
            _same_question(findings, topic.topic_id, nuggets)
    for is_claim in (False, True):
        first = [nuggets[0] for key, nuggets in groups.items() if key[0] is is_claim]
        _check_near(findings, topic.topic_id, first)


def _text_of(nugget: Nugget) -> str:
    if nugget.question is not None:
        return nugget.question
    return nugget.answers[0].answer if nugget.answers else ""


def _same_question(findings: Findings, topic_id: str, nuggets: Sequence[Nugget]) -> None:
    """Nuggets with one question are either one nugget twice, or differ in the answer."""
    texts = Counter(text for nugget in nuggets for text in _comparable_answers(nugget))
    same = [nug for nug in nuggets if any(texts[each] > 1 for each in _comparable_answers(nug))]
    twins = same or nuggets
    which = f"{count(len(twins), 'nugget')} ({some([each.nugget_id for each in twins])})"
    asked = shorten(_text_of(nuggets[0]), _WIDTH)
    if same:
        what = "claim" if nuggets[0].is_claim else "question and an answer"
        message = f"{which} have the same {what}: {asked}"
        hint = "keep one of them: recall counts every nugget"
        findings.warn("duplicate_question", message, hint, topic_id=topic_id)
        return
    message = f"{which} share a question and have different answers: {asked}"
    hint = "they are kept apart; if they are one nugget, put the answers of all into one"
    findings.warn("shared_question", message, hint, topic_id=topic_id)


def _comparable_answers(nugget: Nugget) -> set[Words | str]:
    """Absence nuggets are comparable as well: their one answer is that there is none."""
    return {words(each.answer) or each.answer for each in nugget.answers} or {""}


def _check_near(findings: Findings, topic_id: str, nuggets: Sequence[Nugget]) -> None:
    """Warns of every question that is nearly an earlier one; once for each question."""
    sets = [frozenset(words(_text_of(nugget))) - FILLERS for nugget in nuggets]
    reported: set[int] = set()
    pairs, is_cut = _near_pairs(sets)
    for earlier, later in pairs:
        if later in reported:
            continue
        reported.add(later)
        first, second = nuggets[earlier], nuggets[later]
        apart = some(sorted(sets[earlier] ^ sets[later]))
        message = (
            f"{_named(second)} is nearly {_named(first)}: "
            f"{shorten(_text_of(second), _WIDTH)} and {shorten(_text_of(first), _WIDTH)}"
            + (f" differ in {apart}" if apart else " have the same words")
        )
        hint = "if they ask the same, keep one: recall counts every nugget"
        findings.warn("near_duplicate_question", message, hint, topic_id=topic_id)
    if is_cut:
        message = f"{count(len(nuggets), 'question')} of a topic are too alike to compare them all"
        hint = "look for duplicates among them yourself"
        findings.warn("questions_not_compared", message, hint, topic_id=topic_id)


def _near_pairs(sets: Sequence[frozenset[str]]) -> tuple[list[tuple[int, int]], bool]:
    """Pairs of sets of words that are nearly the same, as indexes, the smaller one first.

    Sets that are nearly the same must share one of their rarest words, so only those that do are
    compared. The second value is True if there are too many to compare them all.
    """
    frequency = Counter(word for each in sets for word in each)
    with_word: dict[str, list[int]] = defaultdict(list)
    pairs: list[tuple[int, int]] = []
    num_compared = 0
    for index, each in enumerate(sets):
        size = len(each)
        if size < _FEWEST:
            continue
        by_rarity = sorted(each, key=lambda word: (frequency[word], word))
        least_common = min(ceil(_OVERLAP * size), size - 1)
        seen: set[int] = set()
        for word in by_rarity[: size - least_common + 1]:
            for other in with_word[word]:
                num_compared += 1
                if num_compared > _MAX_COMPARED:
                    return pairs, True
                if other not in seen and _are_near(each, sets[other]):
                    pairs.append((other, index))
                seen.add(other)
            with_word[word].append(index)
    return pairs, False


def _are_near(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether one only adds a few words, or writes one word differently.

    A word in the place of another makes another question: of Spain, not of France.
    """
    only_first, only_second = first - second, second - first
    if not only_first or not only_second:
        return len(first & second) >= _OVERLAP * len(first | second)
    if len(only_first) > 1 or len(only_second) > 1:
        return False
    return _is_variant(*only_first, *only_second)


def _is_variant(first: str, second: str) -> bool:
    """Whether two words differ in one letter, as a misprint or a plural does."""
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) < _VARIANT_LETTERS or not (shorter + longer).isalpha():
        return False
    if len(longer) - len(shorter) > 1:
        return False
    at = 0
    while at < len(shorter) and shorter[at] == longer[at]:
        at += 1
    rest = longer[at + 1 :]
    return shorter[at + (len(shorter) == len(longer)) :] == rest


# --- answers: against each other and against the question ---

_LONG = 60
_LONG_SENTENCES = 25
_SENTENCES = re.compile(r"(?:[^\W_]{4}|\d)[)\"'”’]*[.!?…]+[)\"'”’]*\s+\w|[。！？](?=[^。！？]*\w)")

_KNOWN = "specified|stated|found|mentioned|available|provided|reported|known|disclosed|given|named"
_NO_ANSWER = re.compile(
    rf"unknown|unspecified|undisclosed|n a|no (?:\w+ ){{0,3}}(?:{_KNOWN})(?: in \w+(?: \w+)?)?|"
    rf"(?:\w+ ){{0,2}}(?:not|none) (?:yet )?(?:{_KNOWN}|applicable)(?: in \w+(?: \w+)?)?"
)
"""Answers that say, in English, that there is no answer."""

_PART_WORDS = 12
_WHOLE_WORDS = 400
"""How many words of an answer are compared, so that no answer takes long."""

_YES_NO = frozenset(("yes", "no", "none", "not", "unknown", "true", "false"))
_LIMITING = "no not non never without less more than nearly almost under over"
_LIMITS = frozenset(_LIMITING.split())
_LIMITS_BEFORE = 3
_VERBS = "is are was were do does did has have had can could will would"
_ASKS_WHETHER = frozenset(_VERBS.split())
_SHORT = 3


class _AnswerChecks:
    """Compares the answers of one nugget with each other and with its question."""

    def __init__(self, findings: Findings, topic_id: str, nugget: Nugget) -> None:
        self._warn = partial(findings.warn, topic_id=topic_id)
        self._nugget = nugget
        self._name = _named(nugget)
        self._answers = nugget.answers
        self._texts = [words(answer.answer) for answer in nugget.answers]

    def run(self) -> None:
        nugget = self._nugget
        if nugget.aggregator is Aggregator.AND and len(self._texts) == 1 and not nugget.is_claim:
            message = f"{self._name} requires all answers (AND) but has only one"
            hint = "write OR, or add the answers that are missing"
            self._warn("and_with_one_answer", message, hint)
        if len(self._texts) > 1:
            self._check_same()
            self._check_parts()
        for answer, text in zip(self._answers, self._texts, strict=True):
            self._check_one(answer.answer, text)
        if nugget.question:
            self._check_question(nugget.question)

    def _check_one(self, answer: str, text: Words) -> None:
        has_sentences = len(text) >= _LONG_SENTENCES and _SENTENCES.search(answer) is not None
        if len(text) > _LONG or has_sentences:
            message = f"{self._name} has an answer of {len(text):,} words: {shorten(answer, 80)}"
            hint = "an answer is a fact, as short as possible: split it into several nuggets"
            self._warn("long_answer", message, hint)
        elif _NO_ANSWER.fullmatch(" ".join(text)):
            message = f"{self._name} has the answer {shorten(answer)}, which says nothing"
            hint = "drop it; a nugget without answers says that the collection does not have one"
            self._warn("no_information", message, hint)

    def _check_same(self) -> None:
        alike: dict[Words, list[str]] = defaultdict(list)
        for answer, text in zip(self._answers, self._texts, strict=True):
            if text:
                alike[text].append(answer.answer)
        for same in alike.values():
            if len(same) > 1:
                number = count(len(same), "answer")
                message = f"{number} of {self._name} differ only in case or punctuation: "
                hint = "write one of them, with the documents of all"
                self._warn("same_answer", message + some(same), hint)

    def _check_parts(self) -> None:
        """Warns if a document attests an answer and not the more general one that is part of it."""
        missing: dict[int, list[str]] = defaultdict(list)
        wholes: dict[int, list[str]] = defaultdict(list)
        for part, whole in _parts(self._texts):
            general, specific = self._answers[part], self._answers[whole]
            lacking = [each for each in specific.doc_ids if each not in general.doc_ids]
            if general.doc_ids and lacking:
                missing[part].extend(each for each in lacking if each not in missing[part])
                wholes[part].append(specific.answer)
        for part, lacked in missing.items():
            message = (
                f"the answer {shorten(self._answers[part].answer)} of {self._name} is part of "
                f"{some(wholes[part], 2)}; only the longer one lists "
                f"{count(len(lacked), 'document')}: {some(lacked, 3)}"
            )
            hint = "if the longer one says the shorter one too, list these documents for both"
            self._warn("part_of_answer", message, hint)

    def _check_question(self, question: str) -> None:
        asked = words(question)
        if "or" in asked and ("whether" in asked or asked[0] in _ASKS_WHETHER):
            return  # it offers its answers to choose from
        given = [
            answer.answer
            for answer, text in zip(self._answers, self._texts, strict=True)
            if _says_something(text) and sum(map(len, text)) >= _SHORT and contains(asked, text)
        ]
        if given:
            message = f"the question of {self._name} contains the answer {some(given, 2)}: "
            hint = "ask without giving the answer, or drop the answer"
            self._warn("answer_in_question", message + shorten(question, 100), hint)


def _parts(texts: Sequence[Words]) -> Iterator[tuple[int, int]]:
    """Yields the indexes of an answer and of one that contains it as whole words."""
    by_words: dict[Words, int] = {}
    for index, text in enumerate(texts):
        if text and len(text) <= _PART_WORDS and _says_something(text):
            by_words.setdefault(text, index)
    sizes = sorted({len(text) for text in by_words})
    for whole, text in enumerate(texts):
        seen: set[int] = set()
        cut = text[:_WHOLE_WORDS]
        for size in sizes:
            for at in range(len(cut) - size + 1) if size < len(text) else ():
                part = by_words.get(cut[at : at + size])
                before = cut[max(0, at - _LIMITS_BEFORE) : at]
                if part is not None and part not in seen and _LIMITS.isdisjoint(before):
                    seen.add(part)
                    yield part, whole


def _says_something(text: Words) -> bool:
    return not _YES_NO.issuperset(text) and not FILLERS.issuperset(text)


# --- documents: none, placeholders, or unknown to the collection ---


def check_documents(
    findings: Findings,
    topics: Sequence[TopicNuggets],
    existing: Set[str],
    collections: Sequence[collection.Collection] = (),
    expected: Expected | None = None,
) -> None:
    """Warns of answers without documents, of placeholders and of ids that no collection has.

    Args:
        existing: those of the ids that a collection has.
        collections: where to look for the ids that were meant; without any, the ids are not
            compared with a collection.
    """
    _check_named(findings, topics)
    placeholders = check_placeholders(findings, topics, existing, expected)
    if not collections:
        return
    left_out = placeholders | existing
    unknown = {
        topic.topic_id: [each for each in doc_ids([topic]) if each not in left_out]
        for topic in topics
    }
    distinct = list(dict.fromkeys(chain(*unknown.values())))
    meant = collection.nearest(distinct, collections)
    num_strange = len(distinct) - len(meant)
    if num_strange > 1:
        num_ids = len(distinct) + len(left_out)
        message = f"{num_strange:,} of {count(num_ids, 'document id')} are not in the collection"
        hint = "check that it is the track's own collection, and that these are ids of documents"
        findings.warn("other_collection", message, hint)
    for topic_id, missing in unknown.items():
        for doc_id in missing:
            near = meant.get(doc_id)
            guess = f"is {near} meant? " if near else ""
            message = f"no document of the collection has the id {shorten(doc_id)}"
            hint = f"{guess}{'A' if guess else 'a'}n answer counts only if its document is cited"
            findings.warn("unknown_document", message, hint, topic_id=topic_id)


def _check_named(findings: Findings, topics: Sequence[TopicNuggets]) -> None:
    times = doc_ids(topics)
    num_answers = sum(len(nugget.answers) for topic in topics for nugget in topic.nuggets)
    if not times:
        if num_answers:
            message = f"none of the {count(num_answers, 'answer')} names a document"
            findings.warn("no_document_ids", message, ANY_DOCUMENT)
        return
    for topic in topics:
        for nugget in topic.nuggets:
            bare = [answer.answer for answer in nugget.answers if not answer.doc_ids]
            if bare:
                without = f"{count(len(bare), 'answer')} without documents"
                message = f"{_named(nugget)} has {without}: {some(bare, 3)}"
                hint = "add the ids of documents that attest them; no citation can be credited now"
                findings.warn("answer_without_documents", message, hint, topic_id=topic.topic_id)
