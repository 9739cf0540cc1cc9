"""Words by language: function words, months, numbers and units, and the stems of all others.

They are in ``words.json`` and ``units.json``. To add a language, add rows to their tables. Of words
that are grouped, the first stands for the others.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def table(name: str) -> dict[str, Any]:
    """The tables of a JSON file beside this module."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name(f"{name}.json").read_bytes())
    return found


def _set(rows: str | Iterable[str]) -> frozenset[str]:
    return frozenset((rows if isinstance(rows, str) else " ".join(rows)).split())


def _by_first(rows: Iterable[str]) -> Mapping[str, str]:
    return {word: first for first, *others in map(str.split, rows) for word in others}


def _valued(rows: Mapping[Any, str]) -> dict[str, Any]:
    return {word: value for value, row in rows.items() for word in row.split()}


_WORDS, _UNITS = table("words"), table("units")

FUNCTION_WORDS = {code: _set(rows) for code, rows in _WORDS["function_words"].items()}
"""Common words without content. They also distinguish languages of the same script."""

NEGATORS = {code: _set(rows) for code, rows in _WORDS["negators"].items()}
"""Words that negate what follows them."""

IRREGULAR = _by_first(_WORDS["irregular"])
"""Inflected forms that no suffix rule covers, with their base form."""

ENGLISH_CONTENT = _set(_WORDS["english_content"])
"""Function words of other languages that are content words in English."""

SYNONYM_STEMS = _by_first(_WORDS["synonym_stems"])
"""Stems that are replaced by another, so that synonyms match."""

PERSONS = _set(_WORDS["persons"])
"""Words for who speaks and who is spoken to."""

_OPPOSITES = {"rise": "fall", "win": "lose", "open": "clos"}
OPPOSITE_STEMS = {**_OPPOSITES, **{other: one for one, other in _OPPOSITES.items()}}
"""Stems that contradict each other if they are said of the same thing."""

STOP_WORDS = frozenset().union(*FUNCTION_WORDS.values()) - ENGLISH_CONTENT
NEGATOR_WORDS = frozenset().union(*NEGATORS.values())

POLAR_WORDS = {
    **dict.fromkeys(_set(_WORDS["affirmative"]), True),
    **dict.fromkeys(_set(_WORDS["negative"]), False),
}
"""Answers that only affirm or deny the question."""

MONTHS: dict[str, int] = _valued(dict(enumerate(_UNITS["months"], 1)))
AMBIGUOUS_MONTHS = _set(_UNITS["ambiguous_months"])
"""Names of months that are ordinary words, too."""

ABBREVIATED_MONTHS: dict[str, int] = _valued(dict(enumerate(_UNITS["abbreviated_months"], 1)))
"""Months only next to a number."""

NUMBER_WORDS = {word: float(value) for word, value in _valued(_UNITS["number_words"]).items()}
SCALES = {word: float(value) for word, value in _valued(_UNITS["scales"]).items()}
TENS = _set(_UNITS["tens"])
UNITS: dict[str, str] = _valued({unit: f"{unit} {row}" for unit, row in _UNITS["units"].items()})
CURRENCY_SIGNS: dict[str, str] = _UNITS["currency_signs"]

_DERIVED = _set(_WORDS["english_suffixes"])
_RUSSIAN = _set(_WORDS["russian_suffixes"])
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
