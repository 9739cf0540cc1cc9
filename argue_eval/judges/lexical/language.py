"""Which script and language a text is in, as far as its letters and commonest words tell."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from argue_eval.judges.lexical.words import ENGLISH_CONTENT, FUNCTION_WORDS

SAMPLE_CHARS = 1500
"""How much of a text is looked at. More would not change the answer, only the time."""

_SCRIPTS = (
    ("latin", "A-Za-z\u00c0-\u024f\u1e00-\u1eff"),
    ("cyrillic", "\u0400-\u052f"),
    ("arabic", "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff"),
    ("kana", "\u3040-\u30ff"),
    ("han", "\u3400-\u9fff\uf900-\ufaff"),
    ("hangul", "\u1100-\u11ff\uac00-\ud7af"),
    ("greek", "\u0370-\u03ff"),
    ("hebrew", "\u0590-\u05ff"),
    ("devanagari", "\u0900-\u097f"),
    ("thai", "\u0e00-\u0e7f"),
)
_LETTERS = {script: re.compile(f"[{ranges}]") for script, ranges in _SCRIPTS}
_MIN_DISTINCT = 3
_WORD = re.compile(r"[^\W\d_]+")
_OF_SCRIPT = {"latin": ("en", "de", "fr", "es"), "arabic": ("fa", "ar")}
# Particles of names say nothing: "in Villanueva de la Serena" may stand in an English sentence.
_IN_NAME = re.compile(r"(?<=\w)(?: (?:de|del|des|du|el|la|las|le|los|y))+ (?=[A-Z\u00c0-\u00de])")
_UKRAINIAN = re.compile("[іїєґ]")
_PERSIAN = re.compile("[پچژگکی]")
_ARABIC = re.compile("[ةىكيأإ]")


class Language(NamedTuple):
    """A script and, where the words tell, a language. Both are None for a text without letters."""

    script: str | None = None
    code: str | None = None

    def differs(self, other: Language) -> bool:
        """Returns whether two texts are surely in different languages."""
        if self.script is None or other.script is None:
            return False
        if self.script != other.script:
            return True
        return None not in (self.code, other.code) and self.code != other.code


def detect(text: str) -> Language:
    """Returns the script and language of a text; what is unsure is None.

    >>> detect("The bridge was closed to all traffic in the spring.")
    Language(script='latin', code='en')
    >>> detect("They saw Castilblanco de los Arroyos, Puebla del Prior and Cabeza la Vaca.").code
    >>> detect("2019").script is None
    True
    """
    sample = text[:SAMPLE_CHARS]
    if sample.isascii():
        has_letters = _LETTERS["latin"].search(sample) is not None
        return Language("latin", _by_words(sample, "latin")) if has_letters else Language()
    counts = {script: len(pattern.findall(sample)) for script, pattern in _LETTERS.items()}
    if counts["kana"] * 10 > counts["han"]:
        counts["kana"] += counts["han"]
    script = max(counts, key=lambda name: counts[name])
    if not counts[script]:
        return Language()
    return Language("han" if script == "kana" else script, _code(sample, script))


def _code(sample: str, script: str) -> str | None:
    if script == "cyrillic":
        return "uk" if len(_UKRAINIAN.findall(sample.lower())) > len(sample) / 100 else "ru"
    if script == "arabic":
        persian, arabic = len(_PERSIAN.findall(sample)), len(_ARABIC.findall(sample))
        if persian + arabic >= 3 and max(persian, arabic) >= 3 * min(persian, arabic):
            return "fa" if persian > arabic else "ar"
        return _by_words(sample, script)
    if script == "latin":
        return _by_words(sample, script)
    return {"kana": "ja", "han": "zh", "hangul": "ko"}.get(script)


def _by_words(sample: str, script: str) -> str | None:
    """Returns the language whose commonest words are clearly more frequent than any other's."""
    words = _WORD.findall(_IN_NAME.sub(" ", sample).lower())
    found: Counter[str] = Counter()
    for code in _OF_SCRIPT[script]:
        known = FUNCTION_WORDS[code] if code == "en" else FUNCTION_WORDS[code] - ENGLISH_CONTENT
        hits = [word for word in words if word in known]
        # One word over and over, as in a list of names, is no language.
        found[code] = len(hits) if len(set(hits)) >= _MIN_DISTINCT else 0
    (best, most), (_, second) = found.most_common(2)
    is_clear = most > 0 and most >= 2 * second and most * 8 >= len(words)
    return best if is_clear else None
