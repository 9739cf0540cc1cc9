"""Numbers with their units, and the one entry to every kind of quantity."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from argue_eval.judges.lexical.dates import read_date
from argue_eval.judges.lexical.quantity import Quantity, token_at
from argue_eval.judges.lexical.units import (
    ABBREVIATED_MONTHS,
    CURRENCY_SIGNS,
    MONTHS,
    NUMBER_WORDS,
    SCALES,
    TENS,
    UNITS,
)

MAX_DIGITS = 24
"""Longer digit strings are identifiers, not quantities."""

_NUMBER = re.compile(r"(\d+(?:[.,٫٬]\d+)*)([A-Za-z%]{0,12})")
_THOUSANDS = re.compile(r"\d{1,3}(?:[,٬]\d{3})+(?:[.٫]\d+)?")
_DOTTED_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_CJK_SCALES = {"万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "千": 1e3, "百": 1e2}
_FOLLOWERS = frozenset(
    (*MONTHS, *ABBREVIATED_MONTHS, *UNITS, *SCALES, *CURRENCY_SIGNS, "of", "de", "-", "per")
)
_FORERUNNERS = frozenset((*CURRENCY_SIGNS, "-"))
_FIRST_UNSPACED = "\u0e00"


class _Value(NamedTuple):
    """A number as read: its value, another possible value, and how many tokens it took."""

    value: float
    other: float | None
    used: int
    is_word: bool = False
    suffix: str = ""


def is_quantity_word(word: str) -> bool:
    """Returns whether a lower-case word can start a number or a date."""
    return word in NUMBER_WORDS or word in MONTHS or word in ABBREVIATED_MONTHS


def read(tokens: Sequence[str], at: int) -> tuple[Quantity | None, int]:
    """Returns the quantity that starts at a token and how many tokens it takes.

    Tokens are in their original case. None and 1 if no quantity starts there.
    """
    if _stands_alone(tokens, at):
        return _plain(tokens[at]), 1
    if _is_in_a_name(tokens, at):
        return None, 1
    for reader in (read_date, _read_number):
        quantity, used = reader(tokens, at)
        if quantity is not None:
            return quantity, used
    return None, 1


def _stands_alone(tokens: Sequence[str], at: int) -> bool:
    """Returns whether a bare number has no neighbour that could matter. A short cut, no more."""
    if not tokens[at].isdecimal() or len(tokens[at]) > MAX_DIGITS:
        return False
    following = token_at(tokens, at + 1)
    if following and (following[0] >= _FIRST_UNSPACED or following.lower() in _FOLLOWERS):
        return False
    before = token_at(tokens, at - 1)
    return before not in _FORERUNNERS and not (len(before) == 3 and before.isupper())


@lru_cache(maxsize=1 << 14)
def _plain(token: str) -> Quantity:
    return _number([float(token)], "")


def _is_in_a_name(tokens: Sequence[str], at: int) -> bool:
    """Returns whether a number belongs to the name before it, as in "COVID-19"."""
    if at < 2 or tokens[at - 1] != "-" or not tokens[at][0].isdigit():
        return False
    name = tokens[at - 2]
    return name[0].isupper() and not is_quantity_word(name.lower())


def _read_number(tokens: Sequence[str], at: int) -> tuple[Quantity | None, int]:
    number = _read_digits(tokens[at]) if tokens[at][0].isdigit() else _read_words(tokens, at)
    if number is None:
        return None, 1
    used, scale = number.used, 1.0
    suffix_scale = SCALES.get(number.suffix)
    if suffix_scale is not None:
        scale = suffix_scale
    following = token_at(tokens, at + used)
    if following.lower() in SCALES and not number.suffix and len(following) > 1:
        scale, used = scale * SCALES[following.lower()], used + 1
    elif following[:1] in _CJK_SCALES:
        scale = _CJK_SCALES[following[0]]
    unit, unit_used = _unit(tokens, at, used, number.suffix)
    # "one of the ships" counts nothing.
    if number.is_word and number.value <= 1 and scale == 1.0 and not unit:
        return None, 1
    values = [number.value] if number.other is None else [number.value, number.other]
    return _number([round(value * scale, 6) for value in values], unit), used + unit_used


def _number(values: Sequence[float], unit: str) -> Quantity:
    names = [f"n:{value:.15g}" for value in values]
    keys = tuple(key for name in names for key in (name, f"{name}|{unit}"))
    if not unit:
        return Quantity(keys, (tuple(names),))
    need = tuple(key for name in names for key in (f"{name}|{unit}", f"{name}|"))
    return Quantity(keys, (need,))


def _read_digits(token: str) -> _Value | None:
    if token.isdecimal():
        return _Value(float(token), None, 1) if len(token) <= MAX_DIGITS else None
    match = _NUMBER.fullmatch(token)
    if match is None or len(match.group(1)) > MAX_DIGITS:
        return None
    digits, suffix = match.group(1), match.group(2).lower()
    if suffix in ("st", "nd", "rd", "th"):
        suffix = ""
    if suffix and suffix not in UNITS and suffix not in SCALES:
        return None
    if _THOUSANDS.fullmatch(digits):
        return _Value(_float(re.sub("[,٬]", "", digits)), None, 1, suffix=suffix)
    if _DOTTED_THOUSANDS.fullmatch(digits):
        whole = _float(digits.replace(".", "").replace(",", "."))
        is_plain = digits.count(".") == 1 and "," not in digits
        return _Value(whole, _float(digits) if is_plain else None, 1, suffix=suffix)
    try:
        return _Value(_float(digits.replace(",", ".")), None, 1, suffix=suffix)
    except ValueError:
        return None


def _float(digits: str) -> float:
    return float(digits.replace("٫", "."))


def _read_words(tokens: Sequence[str], at: int) -> _Value | None:
    """Reads "six", "twenty-five"."""
    word = tokens[at].lower()
    if word not in NUMBER_WORDS:
        return None
    value, used = NUMBER_WORDS[word], 1
    following = token_at(tokens, at + 1).lower()
    if following == "-":
        following, used = token_at(tokens, at + 2).lower(), 2
    if word in TENS and 1 <= NUMBER_WORDS.get(following, 0) <= 9:
        return _Value(value + NUMBER_WORDS[following], None, used + 1, is_word=True)
    return _Value(value, None, 1, is_word=True)


def _unit(tokens: Sequence[str], at: int, used: int, suffix: str) -> tuple[str, int]:
    if suffix in UNITS:
        return UNITS[suffix], 0
    if at and tokens[at - 1] in CURRENCY_SIGNS:
        return CURRENCY_SIGNS[tokens[at - 1]], 0
    if at and len(tokens[at - 1]) == 3 and tokens[at - 1].isupper():
        unit = UNITS.get(tokens[at - 1].lower(), "")
        if unit:
            return unit, 0
    skip = 1 if token_at(tokens, at + used) == "-" else 0
    following = token_at(tokens, at + used + skip)
    if following in CURRENCY_SIGNS:
        return CURRENCY_SIGNS[following], 0
    if following.lower() == "per" and token_at(tokens, at + used + skip + 1).lower() == "cent":
        return "percent", skip + 2
    unit = UNITS.get(following.lower(), "")
    return unit, (skip + 1 if unit else 0)
