"""Which language a text is in, as far as splitting it into sentences needs to know."""

from __future__ import annotations

import re

OTHER = "xx"
"""The code for a language that has no rules of its own."""

SAMPLE_CHARS = 1000
"""How much of a text is looked at. More would not change the answer, only the time."""

_CODES = """
    eng:en zho:zh chi:zh cmn:zh rus:ru fas:fa per:fa pes:fa prs:fa ara:ar arb:ar spa:es deu:de
    ger:de fra:fr fre:fr ita:it por:pt ukr:uk jpn:ja kor:ko hin:hi urd:ur tur:tr nld:nl dut:nl
    pol:pl ces:cs cze:cs swe:sv ell:el gre:el heb:he
"""
_THREE_LETTERS = dict(pair.split(":") for pair in _CODES.split())

_UNDETERMINED = frozenset(("", "und", "mul", "mis", "zxx", OTHER))

_UNKNOWN_SCRIPT = "unknown"
_SCRIPTS = (
    ("latin", re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")),
    ("cyrillic", re.compile("[\u0400-\u052f]")),
    ("arabic", re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]")),
    ("kana", re.compile("[\u3040-\u30ff]")),
    ("han", re.compile("[\u3400-\u9fff\uf900-\ufaff]")),
    ("hangul", re.compile("[\u1100-\u11ff\uac00-\ud7af]")),
    ("greek", re.compile("[\u0370-\u03ff]")),
    ("hebrew", re.compile("[\u0590-\u05ff]")),
    ("devanagari", re.compile("[\u0900-\u097f]")),
)
_WRITTEN_IN = {
    "han": "zh",
    "kana": "ja",
    "hangul": "ko",
    "cyrillic": "ru uk",
    "arabic": "fa ar ur",
    "greek": "el",
    "hebrew": "he",
    "devanagari": "hi",
    "latin": "en es de fr it pt tr nl pl cs sv",
}
_SCRIPT_OF = {code: script for script, codes in _WRITTEN_IN.items() for code in codes.split()}
_COMMON_WORDS = {
    "en": "the and of to in that is was for with as by are from it has were not",
    "es": "el la los las de que y en un una del se por con para su al es fue",
    "de": "der die das und in von den zu mit ist im des dem nicht ein eine auf für wurde",
    "fr": "le la les de et des du un une en est que dans pour par sur au il qui",
    "it": "il la di che e in un una del della per con non sono è gli nel alla",
    "pt": "o a os as de que e em um uma do da não para com por dos das é foi",
}
_WORD_SETS = {code: frozenset(words.split()) for code, words in _COMMON_WORDS.items()}
_CODE = re.compile("[a-z]{2,3}")
_WORD = re.compile(r"[^\W\d_]+")
_UKRAINIAN = re.compile("[іїєґ]")
_URDU = re.compile("[ٹڈڑےں]")
_PERSIAN = re.compile("[پچژگکی]")
_ARABIC = re.compile("[ةىكيأإ]")


def base_code(language: str) -> str:
    """The two-letter code of a language tag; three letters if there is no shorter code.

    It is empty for what is no language tag.

    >>> base_code("zh-Hans"), base_code("fas"), base_code("EN_us")
    ('zh', 'fa', 'en')
    """
    code = language.strip().lower().replace("_", "-").partition("-")[0]
    return _THREE_LETTERS.get(code, code if _CODE.fullmatch(code) else "")


def guess_language(text: str) -> str:
    """Guesses the code of a text's language by its script and words.

    It is ``xx`` for a script that has no rules of its own, and for a text without letters.

    >>> guess_language("Это было вчера."), guess_language("这是一个报告。")
    ('ru', 'zh')
    """
    sample = text[:SAMPLE_CHARS]
    script = _main_script(sample)
    if script == "latin":
        return _by_words(sample)
    if script == "cyrillic":
        return "uk" if _UKRAINIAN.search(sample) else "ru"
    if script == "arabic":
        if _URDU.search(sample):
            return "ur"
        is_persian = len(_PERSIAN.findall(sample)) > len(_ARABIC.findall(sample))
        return "fa" if is_persian else "ar"
    return _WRITTEN_IN.get(script, OTHER)


def language_of(text: str, language: str | None) -> str:
    """The code of the rules for a text: the given one, if the text is in its script.

    Reports are often in another language than the collection that they are about, whose code a
    request may carry: English sentences need English rules whatever the code says.
    """
    code = base_code(language or "")
    if code in _UNDETERMINED:
        return guess_language(text)
    expected = _SCRIPT_OF.get(code)
    found = _main_script(text[:SAMPLE_CHARS])
    if expected is None:
        return code if found in ("latin", "cyrillic") else guess_language(text)
    same = found in (expected, "") or {found, expected} == {"kana", "han"}
    return code if same else guess_language(text)


def _main_script(sample: str) -> str:
    """The script of most letters, empty for none; kana distinguishes Japanese from Chinese."""
    if sample.isascii():
        return "latin" if any(map(str.isalpha, sample)) else ""
    counts = {script: len(letters.findall(sample)) for script, letters in _SCRIPTS}
    # A character of these scripts weighs as much as a short word of the others.
    for script in ("han", "kana", "hangul"):
        counts[script] *= 3
    if counts["kana"] * 4 > counts["han"]:
        counts["kana"] += counts["han"]
    best = max(counts, key=counts.__getitem__)
    if counts[best]:
        return best
    return _UNKNOWN_SCRIPT if any(map(str.isalpha, sample)) else ""


def _by_words(sample: str) -> str:
    words = _WORD.findall(sample.lower())
    hits = {code: sum(word in known for word in words) for code, known in _WORD_SETS.items()}
    best = max(hits, key=hits.__getitem__)
    return best if hits[best] > hits["en"] else "en"
