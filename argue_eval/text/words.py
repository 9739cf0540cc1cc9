"""Texts as words, such that small differences in writing do not matter."""

from __future__ import annotations

import re
import unicodedata

from argue_eval.text.boundaries import CJK

_WORD = re.compile(rf"\d+(?:[.,:/]\d+)+%?|[{CJK}]|(?:(?![{CJK}])\w)+%?")

_FILLING = """
    a an the of in on at for by and is are was were be been do does did has have had this that these
    those its their s
"""
FILLERS = frozenset(_FILLING.split())
"""English words in which two wordings of one question may differ."""


def words(text: str) -> tuple[str, ...]:
    """The words of a text without case; Chinese and Japanese character by character.

    >>> words("The U.K. spent 1,200.5 (55%) in 2019")
    ('the', 'u', 'k', 'spent', '1,200.5', '55%', 'in', '2019')
    """
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def contains(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Whether the words of one text occur consecutively in another.

    >>> contains(("on", "26", "june"), ("june",)), contains(("june",), ("26", "june"))
    (True, False)
    """
    size = len(part)
    return bool(part) and any(
        whole[at : at + size] == part for at in range(len(whole) - size + 1) if whole[at] == part[0]
    )
