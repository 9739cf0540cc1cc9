"""The script and language of a text, guessed from its letters and most frequent words."""

from __future__ import annotations

import re
from typing import NamedTuple

from argue_eval.judges.lexical.words import ENGLISH_CONTENT, FUNCTION_WORDS

SAMPLE_CHARS = 1500
"""The part of a text that is examined. More would take longer and give the same answer."""

_LETTERS = {
    "latin": re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    "cyrillic": re.compile("[\u0400-\u052f]"),
    "arabic": re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff]"),
    "kana": re.compile("[\u3040-\u30ff]"),
    "han": re.compile("[\u3400-\u9fff\uf900-\ufaff]"),
    "hangul": re.compile("[\u1100-\u11ff\uac00-\ud7af]"),
    "greek": re.compile("[\u0370-\u03ff]"),
    "hebrew": re.compile("[\u0590-\u05ff]"),
    "devanagari": re.compile("[\u0900-\u097f]"),
    "thai": re.compile("[\u0e00-\u0e7f]"),
}
_MIN_DISTINCT = 3
_WORD = re.compile(r"[^\W\d_]+")
_WORDS_OF_SCRIPT = {
    "latin": {
        "en": FUNCTION_WORDS["en"],
        **{code: FUNCTION_WORDS[code] - ENGLISH_CONTENT for code in ("de", "fr", "es")},
    },
    "arabic": {code: FUNCTION_WORDS[code] - ENGLISH_CONTENT for code in ("fa", "ar")},
}
_FUNCTION_WORDS = frozenset().union(*FUNCTION_WORDS.values())
# Particles of names do not count: "in Villanueva de la Serena" can be part of an English sentence.
_IN_NAME = re.compile(r"(?<=\w)(?: (?:de|del|des|du|el|la|las|le|los|y))+ (?=[A-Z\u00c0-\u00de])")
_UKRAINIAN = re.compile("[іїєґ]")
_PERSIAN = re.compile("[پچژگکی]")
_ARABIC = re.compile("[ةىكيأإ]")


class Language(NamedTuple):
    """A script, and a language if the words are clear. Both are None for a text without letters."""

    script: str | None = None
    code: str | None = None

    def differs(self, other: Language) -> bool:
        """True only if the two texts are certainly in different languages."""
        if self.script is None or other.script is None:
            return False
        if self.script != other.script:
            return True
        return None not in (self.code, other.code) and self.code != other.code


def detect(text: str) -> Language:
    """Guesses the script and language of a text; what is uncertain is None.

    >>> detect("The bridge was closed to all traffic in the spring.")
    Language(script='latin', code='en')
    >>> detect("They saw Castilblanco de los Arroyos, Puebla del Prior and Cabeza la Vaca.").code
    >>> detect("2019").script is None
    True
    """
    sample = text[:SAMPLE_CHARS]
    if sample.isascii():
        if not _LETTERS["latin"].search(sample):
            return Language()
        return Language(script="latin", code=_by_words(sample, "latin"))
    counts = {script: len(pattern.findall(sample)) for script, pattern in _LETTERS.items()}
    if counts["kana"] * 10 > counts["han"]:
        counts["kana"] += counts["han"]
    script = max(counts, key=lambda name: counts[name])
    if not counts[script]:
        return Language()
    code = _code(sample, script)
    return Language(script="han" if script == "kana" else script, code=code)


def _code(sample: str, script: str) -> str | None:
    if script == "cyrillic":
        return "uk" if len(_UKRAINIAN.findall(sample.lower())) > len(sample) / 100 else "ru"
    if script == "arabic":
        persian, arabic = len(_PERSIAN.findall(sample)), len(_ARABIC.findall(sample))
        if persian + arabic >= 3 and max(persian, arabic) >= 3 * min(persian, arabic):
            return "fa" if persian > arabic else "ar"
    if script in _WORDS_OF_SCRIPT:
        return _by_words(sample, script)
    return {"kana": "ja", "han": "zh", "hangul": "ko"}.get(script)


def _by_words(sample: str, script: str) -> str | None:
    """The language whose function words are clearly more frequent than any other's."""
    words = _WORD.findall(_IN_NAME.sub(" ", sample).lower())
    common = [word for word in words if word in _FUNCTION_WORDS]
    found: dict[str, int] = {}
    for code, known in _WORDS_OF_SCRIPT[script].items():
        hits = [word for word in common if word in known]
        # A single word that is repeated, as in a list of names, proves nothing.
        found[code] = len(hits) if len(set(hits)) >= _MIN_DISTINCT else 0
    best, second = sorted(found, key=found.__getitem__, reverse=True)[:2]
    most = found[best]
    is_clear = most > 0 and most >= 2 * found[second] and most * 8 >= len(words)
    return best if is_clear else None
