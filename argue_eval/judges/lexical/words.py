"""Words by language: stop words, negators and irregular forms, and the stems of all others.

The words are in ``words.json``. To add a language, add a row to its tables. Of words that are
grouped, the first stands for the others.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from argue_eval.judges.lexical import tables

_TABLES = tables.read("words")


def _set(name: str) -> frozenset[str]:
    return frozenset(tables.words(_TABLES[name]))


def _by_language(name: str) -> Mapping[str, frozenset[str]]:
    return {language: frozenset(tables.words(rows)) for language, rows in _TABLES[name].items()}


def _by_first(name: str) -> Mapping[str, str]:
    split = map(str.split, _TABLES[name])
    return {word: first for first, *others in split for word in others}


FUNCTION_WORDS = _by_language("function_words")
"""Common words without content. They also distinguish languages of the same script."""

NEGATORS = _by_language("negators")
"""Words that negate what follows them."""

IRREGULAR = _by_first("irregular")
"""Inflected forms that no suffix rule covers, with their base form."""

ENGLISH_CONTENT = _set("english_content")
"""Function words of other languages that are content words in English."""

SYNONYM_STEMS = _by_first("synonym_stems")
"""Stems that are replaced by another, so that synonyms match."""

PERSONS = _set("persons")
"""Words for who speaks and who is spoken to."""

_OPPOSITES = {"rise": "fall", "win": "lose", "open": "clos"}
OPPOSITE_STEMS = {**_OPPOSITES, **{other: one for one, other in _OPPOSITES.items()}}
"""Stems that contradict each other if they are said of the same thing."""

STOP_WORDS = frozenset().union(*FUNCTION_WORDS.values()) - ENGLISH_CONTENT
NEGATOR_WORDS = frozenset().union(*NEGATORS.values())

POLAR_WORDS = {
    **dict.fromkeys(_set("affirmative"), True),
    **dict.fromkeys(_set("negative"), False),
}
"""Answers that only affirm or deny the question."""

_DERIVED = _set("english_suffixes")
_RUSSIAN = _set("russian_suffixes")
_ARABIC_PREFIXES = ("وال", "بال", "كال", "فال", "لل", "ال")
_ARABIC_SUFFIXES = ("هایی", "های", "ها", "ات", "ون", "ين", "ان", "ية", "یه", "ه", "ی")
_ARABIC_FOLD = str.maketrans("أإآٱىيكةئؤ", "ااااییکهیو", "ـ‌")
_LONGEST_SUFFIX, _MIN_STEM = 7, 4
_VOWELS = frozenset("aeiouy")


def stem(word: str) -> str:
    """One stem for the forms of a lower-case word, by simple suffix rules for its script.

    >>> [stem(word) for word in ("regulations", "regulating", "stopped", "countries", "ólafur")]
    ['regul', 'regul', 'stop', 'countr', 'olafur']
    """
    first = word[0]
    if first < "\u0250":
        return _latin(word)
    if "\u0400" <= first < "\u0530":
        return _without_suffix(word.replace("ё", "е"), _RUSSIAN, 3)
    if "\u0600" <= first < "\u0780":
        return _arabic(word)
    return word


def _latin(word: str) -> str:
    if not word.isascii():
        split = unicodedata.normalize("NFD", word)
        word = "".join(char for char in split if not unicodedata.combining(char))
    if "'" in word:
        word = word.removesuffix("'s").replace("'", "")
    word = IRREGULAR.get(word, word)
    if len(word) <= 3:
        return word
    base = _without_suffix(_uninflected(word), _DERIVED, _MIN_STEM)
    return SYNONYM_STEMS.get(base, base)


def _uninflected(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("sses", "shes", "ches", "xes")) else word[:-1]
    if not word.endswith(("ing", "ed")):
        return word
    base = word[:-3] if word[-1] == "g" else word[:-2]
    if len(base) < 3 or _VOWELS.isdisjoint(base):
        return word
    return base[:-1] if base[-1] == base[-2] and base[-1] not in "lsz" else base


def _without_suffix(word: str, suffixes: frozenset[str], shortest: int) -> str:
    for length in range(min(_LONGEST_SUFFIX, len(word) - shortest), 0, -1):
        if word[-length:] in suffixes:
            return word[:-length]
    return word


def _arabic(word: str) -> str:
    word = word.translate(_ARABIC_FOLD)
    for prefix in _ARABIC_PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= 3:
            word = word[len(prefix) :]
            break
    for suffix in _ARABIC_SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word
