"""The numbers and names of an insight, which a document has to keep exactly; asks nobody."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise
from unicodedata import normalize

from argue_eval.text.languages import guess_language

_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_SEPARATED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_BEGINS = re.compile(r"(?:^|[.!?:;…][\"'”’»)\]]*\s)[\s\"'“‘«(\[]*$")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")
_CAPITALISED_NOUNS = frozenset({"de", "lb"})
_FEWEST = 2
_LEAST_SHARE = 0.5
_SHORT = 3


@lru_cache(maxsize=1 << 12)
def values(text: str) -> tuple[str, ...]:
    """The numbers and names of a text, each once, in order.

    A name is a word with a capital that does not begin a sentence, or one with letters and digits.

    >>> values("Anna takes the 25-minute breaks of 'Pomodoro', and walked 1,200 m on 4 May.")
    ('25', 'Pomodoro', '1200', '4', 'May')
    """
    text = normalize("NFKC", text)
    has_names = guess_language(text) not in _CAPITALISED_NOUNS
    found = {match.start(): _plain(match[0]) for match in _NUMBER.finditer(text)}
    for match in _WORD.finditer(text):
        start, word = match.start(), match[0]
        if start not in found and has_names and _is_name(text, start, word):
            found[start] = word
    return tuple(dict.fromkeys(found[start] for start in sorted(found)))


def _is_name(text: str, start: int, word: str) -> bool:
    letters = word[1:]
    if letters != letters.lower() and not word.isdigit():
        return True
    return word[0].isupper() and len(word) > 1 and not _BEGINS.search(text, 0, start)


def _plain(number: str) -> str:
    return _SEPARATED.sub("", number)


def lost(wanted: Collection[str], text: str) -> list[str]:
    """The values that a text does not have.

    >>> lost(("25", "Pomodoro"), "The Pomodoro method: work for 35 minutes.")
    ['25']
    """
    numbers, parts = _numbers_and_words(text)
    return [each for each in wanted if each not in (numbers if each[0].isdigit() else parts)]


@lru_cache(maxsize=1 << 12)
def _numbers_and_words(text: str) -> tuple[frozenset[str], frozenset[str]]:
    text = normalize("NFKC", text)
    numbers = frozenset([_plain(each) for each in _NUMBER.findall(text)])
    words = _WORD.findall(text)
    return numbers, frozenset([part for word in words for part in (word, *word.split("-"))])


def is_said(insight: str, text: str, others: Collection[str]) -> bool:
    """Whether a passage of a text has all numbers and names of an insight and half of its words.

    Args:
        others: values that do not count, since the text has them for another reason.

    >>> fact = "Since May 2019 the ferry 'Elba' carries 40 cars."
    >>> is_said(fact, "Ana: Is it true? Ben: Yes, 40 cars on the ferry Elba since May 2019!", ())
    True
    """
    wanted = values(insight)
    if len(set(wanted) - set(others)) < _FEWEST or lost(wanted, text):
        return False
    words = _long_words(insight)
    return any(
        not lost(wanted, passage) and len(words & _long_words(passage)) >= _LEAST_SHARE * len(words)
        for passage in _passages(text)
    )


def _long_words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if len(word) > _SHORT}


def _passages(text: str) -> Iterator[str]:
    """Yields every two sentences that follow each other."""
    pieces = [piece for piece in _SENTENCE_END.split(text) if piece.strip()]
    for one, other in pairwise([*pieces, ""]):
        yield f"{one} {other}"


def is_alike(text: str, other: str) -> bool:
    """Whether two texts have the same words, or almost.

    >>> is_alike("The ferry starts on 4 May.", "On 4 May, the ferry starts!")
    True
    """
    one, two = _bag(text), _bag(other)
    return len(one & two) >= 0.85 * len(one | two)


@lru_cache(maxsize=1 << 14)
def _bag(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
