"""Texts as words, such that small differences in writing do not matter."""

from __future__ import annotations

import re
import unicodedata

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"\d+(?:[.,:/]\d+)+%?|[{_CJK}]|(?:(?![{_CJK}])\w)+%?")

_FILLING = """
    a an the of in on at for by and is are was were be been do does did has have had this that these
    those its their s
"""
FILLERS = frozenset(_FILLING.split())
"""English words that two forms of one question may differ in."""


def words(text: str) -> tuple[str, ...]:
    """Returns the words of a text without case; Chinese and Japanese character by character.

    >>> words("The U.K. spent 1,200.5 (55%) in 2019")
    ('the', 'u', 'k', 'spent', '1,200.5', '55%', 'in', '2019')
    """
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def contains(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Returns whether some words stand one after the other in others.

    >>> contains(("on", "26", "june"), ("june",)), contains(("june",), ("26", "june"))
    (True, False)
    """
    size = len(part)
    return bool(part) and any(
        whole[at : at + size] == part for at in range(len(whole) - size + 1) if whole[at] == part[0]
    )
