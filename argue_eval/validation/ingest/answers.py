"""Answers of a nugget against each other and against the question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from argue_eval.errors import shorten
from argue_eval.records import Aggregator, Answer, Nugget, TopicNuggets
from argue_eval.validation.ingest.found import Found, named, some
from argue_eval.validation.ingest.words import FILLERS, contains, words

Words = tuple[str, ...]

_LONG = 60
_LONG_SENTENCES = 25
_SENTENCES = re.compile(r"(?:[^\W_]{4,}|\d)[)\"'”’]*[.!?…]+[)\"'”’]*\s+\w|[。！？].*\w", re.DOTALL)

_KNOWN = "specified|stated|found|mentioned|available|provided|reported|known|disclosed|given|named"
_NOTHING = re.compile(
    rf"unknown|unspecified|undisclosed|n a|no (?:\w+ ){{0,3}}(?:{_KNOWN})(?: in \w+(?: \w+)?)?|"
    rf"(?:\w+ ){{0,2}}(?:not|none) (?:yet )?(?:{_KNOWN}|applicable)(?: in \w+(?: \w+)?)?"
)
"""Answers that say, in English, that there is no answer."""

_PART_WORDS = 12
_WHOLE_WORDS = 400
"""How many words of an answer are looked at, so that no answer takes long."""

_YES_NO = frozenset(("yes", "no", "none", "not", "unknown", "true", "false"))
_LIMITING = "no not non never without less more than nearly almost under over"
_LIMITS = frozenset(_LIMITING.split())
_LIMITS_BEFORE = 3
_VERBS = "is are was were do does did has have had can could will would"
_ASKS_WHETHER = frozenset(_VERBS.split())
_SHORT = 3


def check(topic: TopicNuggets, found: Found) -> None:
    """Warns of what is odd about the answers of each nugget."""
    for nugget in topic.nuggets:
        texts = [words(answer.answer) for answer in nugget.answers]
        if nugget.aggregator is Aggregator.AND and len(texts) == 1 and not nugget.is_claim:
            message = f"{named(nugget)} asks for all answers (AND) and has one"
            hint = "write OR, or add the answers that are missing"
            found.warn("and_with_one_answer", message, hint, topic.topic_id)
        if len(texts) > 1:
            _check_same(topic.topic_id, nugget, texts, found)
            _check_parts(topic.topic_id, nugget, texts, found)
        for answer, text in zip(nugget.answers, texts, strict=True):
            _check_one(topic.topic_id, nugget, answer, text, found)
        if nugget.question:
            _check_question(topic.topic_id, nugget, texts, found)


def _check_one(topic_id: str, nugget: Nugget, answer: Answer, text: Words, found: Found) -> None:
    if _is_long(answer.answer, text):
        message = f"{named(nugget)} has an answer of {len(text)} words: "
        hint = "an answer is a fact, as short as can be: part it into several nuggets"
        found.warn("long_answer", message + shorten(answer.answer, 80), hint, topic_id)
    elif _NOTHING.fullmatch(" ".join(text)):
        message = f"{named(nugget)} has the answer {shorten(answer.answer)}, which tells nothing"
        hint = "drop it; a nugget without answers says that the collection does not have one"
        found.warn("no_information", message, hint, topic_id)


def _check_same(topic_id: str, nugget: Nugget, texts: Sequence[Words], found: Found) -> None:
    alike: dict[Words, list[str]] = defaultdict(list)
    for answer, text in zip(nugget.answers, texts, strict=True):
        if text:
            alike[text].append(answer.answer)
    for same in alike.values():
        if len(same) > 1:
            message = f"the answers {some(same)} of {named(nugget)} differ in case or signs alone"
            hint = "write one of them, with the documents of all"
            found.warn("same_answer", message, hint, topic_id)


def _check_parts(topic_id: str, nugget: Nugget, texts: Sequence[Words], found: Found) -> None:
    """Warns if a document attests an answer and not the more general one that is part of it."""
    missing: dict[int, list[str]] = defaultdict(list)
    wholes: dict[int, list[str]] = defaultdict(list)
    for part, whole in _parts(texts):
        general, specific = nugget.answers[part], nugget.answers[whole]
        lacking = [each for each in specific.doc_ids if each not in general.doc_ids]
        if general.doc_ids and lacking:
            missing[part].extend(each for each in lacking if each not in missing[part])
            wholes[part].append(specific.answer)
    for part, doc_ids in missing.items():
        message = (
            f"the answer {shorten(nugget.answers[part].answer)} of {named(nugget)} is part of "
            f"{some(wholes[part], 2)}; only the longer one lists {some(doc_ids, 3)}"
        )
        hint = "if the longer one says the shorter one too, list these documents for both"
        found.warn("part_of_answer", message, hint, topic_id)


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


def _check_question(topic_id: str, nugget: Nugget, texts: Sequence[Words], found: Found) -> None:
    asked = words(nugget.question or "")
    if "or" in asked and ("whether" in asked or asked[0] in _ASKS_WHETHER):
        return  # it offers its answers to choose from
    given = [
        answer.answer
        for answer, text in zip(nugget.answers, texts, strict=True)
        if _says_something(text) and sum(map(len, text)) >= _SHORT and contains(asked, text)
    ]
    if given:
        shown = shorten(nugget.question, 100)
        message = f"the question of {named(nugget)} contains the answer {some(given, 2)}: {shown}"
        hint = "ask without giving the answer, or drop the answer"
        found.warn("answer_in_question", message, hint, topic_id)


def _is_long(answer: str, text: Words) -> bool:
    if len(text) > _LONG:
        return True
    return len(text) >= _LONG_SENTENCES and _SENTENCES.search(answer) is not None
