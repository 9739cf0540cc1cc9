"""One stem for the forms of a word, by script. Light: it joins forms, it explains nothing."""

from __future__ import annotations

import unicodedata

from argue_eval.judges.lexical.words import IRREGULAR, SYNONYM_STEMS


def _suffixes(row: str) -> tuple[frozenset[str], ...]:
    """Returns the suffixes by length, the longest first."""
    words = row.split()
    longest = max(map(len, words))
    return tuple(
        frozenset(word for word in words if len(word) == length) for length in range(longest, 0, -1)
    )


_DERIVED = _suffixes(
    "ization isation ational fulness iveness ousness ations ation ition ments ment ness ities ity "
    "ances ance ences ence ancy ency ables able ibles ible ically ally ical ful ives ive ions ion "
    "ating ated ates ate ized izes ize ised ises ise ators ator ors or ers er ic al ly at iz is y e"
)
_RUSSIAN = _suffixes(
    "иями ями ами иях ого его ому ему ыми ими ией ий ый ой ей ая яя ое ее ые ие ую юю ов ев ам ям "
    "ах ях ом ем ью ия ья ть ла ло ли ет ют ут ит ат ят ся сь а я о е и ы у ю ь й"
)
_ARABIC_PREFIXES = ("وال", "بال", "كال", "فال", "لل", "ال")
_ARABIC_SUFFIXES = ("هایی", "های", "ها", "ات", "ون", "ين", "ان", "ية", "یه", "ه", "ی")
_ARABIC_FOLD = str.maketrans("أإآٱىيكةئؤ", "ااااییکهیو", "ـ‌")
_MIN_STEM = 4


def stem(word: str) -> str:
    """Returns the stem of one lower-case word.

    >>> [stem(word) for word in ("regulations", "regulating", "regulate", "stopped", "countries")]
    ['regul', 'regul', 'regul', 'stop', 'countr']
    """
    first = word[0]
    if first < "\u0250":
        return _latin(word)
    if "\u0400" <= first < "\u0530":
        return _without_suffix(word.replace("ё", "е"), _RUSSIAN, 3)
    if "\u0600" <= first < "\u0780":
        return _arabic(word)
    return word


def fold(text: str) -> str:
    """Returns the text without accents and other combining marks.

    >>> fold("Ólafur Müller")
    'Olafur Muller'
    """
    if text.isascii():
        return text
    split = unicodedata.normalize("NFD", text)
    return "".join(char for char in split if not unicodedata.combining(char))


def _latin(word: str) -> str:
    word = fold(word)
    if word.endswith("'s"):
        word = word[:-2]
    word = word.replace("'", "")
    word = IRREGULAR.get(word, word)
    if len(word) <= 3:
        return word
    base = _without_suffix(_uninflected(word), _DERIVED, _MIN_STEM)
    return SYNONYM_STEMS.get(base, base)


def _uninflected(word: str) -> str:
    """Undoes a plural, a past tense or a present participle."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("sses", "shes", "ches", "xes")) else word[:-1]
    for suffix in ("ing", "ed"):
        base = word[: -len(suffix)]
        if word.endswith(suffix) and len(base) >= 3 and any(char in "aeiouy" for char in base):
            return base[:-1] if base[-1] == base[-2] and base[-1] not in "lsz" else base
    return word


def _without_suffix(word: str, suffixes: tuple[frozenset[str], ...], shortest: int) -> str:
    for length, known in zip(range(len(suffixes), 0, -1), suffixes, strict=True):
        if len(word) - length >= shortest and word[-length:] in known:
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
