"""From characters to tokens: one form of each character, one stem of each word, any script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from argue_eval.judges.lexical import numbers
from argue_eval.judges.lexical.quantity import Quantity
from argue_eval.judges.lexical.stem import stem
from argue_eval.judges.lexical.words import NEGATOR_WORDS, NEGATORS, STOP_WORDS

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
TOKEN = re.compile(
    r"[A-Za-z]{2,64}(?=[ ,.;:)\x1e])"  # most words, fast
    r"|\[\d{1,4}(?:[,;\s]{1,3}\d{1,4}){0,50}\]"  # a citation mark
    r"|\d{4}-\d{1,2}-\d{1,2}(?!\d)|\d{1,2}[./]\d{1,2}[./]\d{4}(?!\d)"
    r"|\d{1,40}(?:[.,٫٬]\d{1,40}){0,12}[A-Za-z]{0,20}"
    r"|(?:[A-Za-z]\.){2,20}"
    rf"|[^\W_{_UNSPACED}]{{1,64}}(?:'[^\W_{_UNSPACED}]{{1,64}}){{0,3}}"
    rf"|[{_UNSPACED}]{{1,64}}"
    r"|[$€£¥₽₹%٪°,\x1e-]"
)
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_MARKS = re.compile(
    "[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u0640\u200b-\u200f\u202a-\u202e]"
)
BREAK = "\x1e"
"""Stands between the sentences of a document, so that it is read in one go."""

_MAX_WORD = 64
_ACRONYMS = {"US": "usa", "WHO": "who", "IT": "it"}
_CJK_NEGATORS = tuple(NEGATORS["zh"])


class Token(NamedTuple):
    """What a token is by itself. `term` is empty for stop words and signs."""

    term: str
    is_name: bool = False
    is_quantity: bool = False
    is_negator: bool = False
    is_unspaced: bool = False
    is_special: bool = False


def clean(text: str, limit: int) -> str:
    """Returns the text up to a limit in one form of each character, without marks."""
    text = text[:limit].replace("’", "'").replace(BREAK, " ")
    if text.isascii():
        return text
    return _MARKS.sub("", unicodedata.normalize("NFKC", text))[:limit]


_Item = tuple[str, bool, "Quantity | None", bool]


def scan(raws: Sequence[str]) -> Iterator[_Item]:
    """Yields (term, is it a name, quantity, is it a negator), stop words and signs left out."""
    at, end = 0, len(raws)
    is_first = True
    while at < end:
        raw = raws[at]
        token = token_of(raw)
        if token.is_unspaced:
            yield from bigrams(raw)
        elif token.is_quantity:
            quantity, used = numbers.read(raws, at)
            if quantity is not None:
                yield "", False, quantity, False
                at += used
                is_first = False
                continue
            if token.term:
                yield token.term, False, None, False
        elif token.term:
            is_name = token.is_name
            if is_name and is_first and not raw.isupper():
                is_name = at + 1 < end and raws[at + 1][0].isupper()
            yield token.term, is_name, None, token.is_negator
        elif token.is_negator:
            yield "", False, None, True
        is_first = False
        at += 1


def bigrams(run: str) -> Iterator[_Item]:
    """Yields the pairs of adjacent characters of a text that is written without spaces."""
    if len(run) == 1:
        yield run, False, None, run in _CJK_NEGATORS
        return
    for first, second in pairwise(run):
        if first in _CJK_NEGATORS:
            yield "", False, None, True
        yield first + second, False, None, False


@lru_cache(maxsize=1 << 16)
def token_of(raw: str) -> Token:
    """Returns what a token is, whatever stands beside it."""
    first = raw[0]
    if first.isdigit():
        return Token(raw.lower()[:_MAX_WORD], is_quantity=True, is_special=True)
    if _IS_UNSPACED.match(first):
        return Token("", is_unspaced=True, is_special=True)
    if not first.isalpha():
        return Token("")
    word = raw.lower()
    if len(word) > 3 and word[1] == "'" and first in "lLdDjJnNsScCmM":
        word = word[2:]  # an elided French article or pronoun
    if word in NEGATOR_WORDS or word.endswith("n't"):
        return Token("", is_negator=True)
    if raw in _ACRONYMS:
        return Token(_ACRONYMS[raw], is_name=True)
    is_quantity = numbers.is_quantity_word(word)
    if word in STOP_WORDS:
        return Token("", is_quantity=is_quantity, is_special=is_quantity)
    return Token(
        stem(word), is_name=first.isupper(), is_quantity=is_quantity, is_special=is_quantity
    )
