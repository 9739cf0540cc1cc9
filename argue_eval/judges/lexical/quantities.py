"""Numbers, dates and units as keys: two quantities are equal if their keys are.

A quantity that a text mentions becomes a few keys; a quantity that a claim needs becomes a tuple of
keys of which one must be present. "12 June 2023" mentions ``d:6-12``, ``m:6`` and ``n:2023`` and
needs the first and the last, so "26 June" matches "June" but not "12 June".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from argue_eval.judges.lexical.words import (
    ABBREVIATED_MONTHS,
    AMBIGUOUS_MONTHS,
    CURRENCY_SIGNS,
    MONTHS,
    NUMBER_WORDS,
    SCALES,
    TENS,
    UNITS,
)

MAX_DIGITS = 24
"""Longer strings of digits are identifiers, not quantities."""

_ISO_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_NUMERIC_DATE = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})")
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?", re.IGNORECASE)
_YEAR_SIGNS, _MONTH_SIGNS, _DAY_SIGNS = ("年", "년"), ("月", "월"), ("日", "号", "號", "일")
_BEFORE_A_MONTH = frozenset({"in", "of", "since", "until", "by", "from", "early", "late", "mid"})

_NUMBER = re.compile(r"(\d+(?:[.,٫٬]\d+)*)([A-Za-z%]{0,12})")
_THOUSANDS = re.compile(r"\d{1,3}(?:[,٬]\d{3})+(?:[.٫]\d+)?")
_DOTTED_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_CJK_SCALES = {"万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "千": 1e3, "百": 1e2}
_FOLLOWERS = frozenset(
    (*MONTHS, *ABBREVIATED_MONTHS, *UNITS, *SCALES, *CURRENCY_SIGNS, "of", "de", "-", "per")
)
_FORERUNNERS = frozenset((*CURRENCY_SIGNS, "-"))
_FIRST_UNSPACED = "\u0e00"

Need = tuple[str, ...]
"""Keys of which one must be present."""


class Quantity(NamedTuple):
    """One mention of a number or date: its keys, and the keys that a claim needs."""

    keys: tuple[str, ...]
    needs: tuple[Need, ...]


Found = tuple[Quantity, int]
"""A quantity and the number of tokens that it takes."""


class _Value(NamedTuple):
    """A number as it was read: its possible values, and the number of tokens that it took."""

    values: tuple[float, ...]
    used: int
    is_word: bool = False
    suffix: str = ""


def is_quantity_word(word: str) -> bool:
    """Whether a lower-case word can start a number or a date."""
    return word in NUMBER_WORDS or word in MONTHS or word in ABBREVIATED_MONTHS


def read(tokens: Sequence[str], at: int) -> Found | None:
    """The quantity that starts at a token. Tokens are in their original case."""
    if _stands_alone(tokens, at):
        return _plain(tokens[at]), 1
    if _is_in_a_name(tokens, at):
        return None
    return _read_date(tokens, at) or _read_number(tokens, at)


def _token(tokens: Sequence[str], at: int) -> str:
    return tokens[at] if 0 <= at < len(tokens) else ""


def _stands_alone(tokens: Sequence[str], at: int) -> bool:
    """Whether a bare number has no neighbour that could matter. This is only a shortcut."""
    if not tokens[at].isdecimal() or len(tokens[at]) > MAX_DIGITS:
        return False
    following = _token(tokens, at + 1)
    if following and (following[0] >= _FIRST_UNSPACED or following.lower() in _FOLLOWERS):
        return False
    before = _token(tokens, at - 1)
    return before not in _FORERUNNERS and not (len(before) == 3 and before.isupper())


@lru_cache(maxsize=1 << 14)
def _plain(token: str) -> Quantity:
    return _number((float(token),), "")


def _is_in_a_name(tokens: Sequence[str], at: int) -> bool:
    """Whether a number belongs to the name before it, as in "COVID-19"."""
    if at < 2 or tokens[at - 1] != "-" or not tokens[at][0].isdigit():
        return False
    name = tokens[at - 2]
    return name[0].isupper() and not is_quantity_word(name.lower())


# --- dates --------------------------------------------------------------------------------------


def _read_date(tokens: Sequence[str], at: int) -> Found | None:
    token = tokens[at]
    if not token[0].isdigit():
        month = _month(tokens, at)
        return _read_month_first(tokens, at, month) if month else None
    if not token.isdecimal():
        if match := _ISO_DATE.fullmatch(token):
            year, month, day = map(int, match.groups())
            return _date(1, year, (month, day))
        if match := _NUMERIC_DATE.fullmatch(token):
            first, second, year = map(int, match.groups())
            return _date(1, year, (second, first), (first, second))
    return _read_day_first(tokens, at)


def _read_day_first(tokens: Sequence[str], at: int) -> Found | None:
    """Reads "12 June 2023", "12th of June", "2023年6月12日", "6月12日"."""
    following = _token(tokens, at + 1)
    if following[:1] in _YEAR_SIGNS or following[:1] in _MONTH_SIGNS:
        return _read_cjk(tokens, at)
    day = _day(tokens[at])
    if day is None:
        return None
    next_at = at + 2 if following.lower() in ("of", "de") else at + 1
    month = _month(tokens, next_at, is_beside_number=True)
    if not month:
        return None
    if _token(tokens, next_at + 1) in (",", "de"):
        next_at += 1
    year = _year(_token(tokens, next_at + 1))
    return _date(next_at + (2 if year else 1) - at, year, (month, day))


def _read_month_first(tokens: Sequence[str], at: int, month: int) -> Found | None:
    """Reads "June 12, 2023", "June 2023", "June"."""
    day = _day(_token(tokens, at + 1))
    next_at = at + (1 if day is None else 2)
    year = _year(_token(tokens, next_at))
    if year is None and _token(tokens, next_at) == ",":
        year = _year(_token(tokens, next_at + 1))
        next_at += 1 if year else 0
    used = next_at + (1 if year else 0) - at
    return _dated(used, year, (f"m:{month}",)) if day is None else _date(used, year, (month, day))


def _read_cjk(tokens: Sequence[str], at: int) -> Found | None:
    """Reads "2023年6月12日", "2023年6月", "2023年", "6月12日", "6月"."""
    year, start = None, at
    if _token(tokens, at + 1)[:1] in _YEAR_SIGNS:
        year = _year(tokens[at])
        if year is None:
            return None
        has_month = _token(tokens, at + 3)[:1] in _MONTH_SIGNS
        if not has_month or tokens[at + 1] not in _YEAR_SIGNS:
            return _dated(1, year)
        at += 2
    if not tokens[at].isdecimal() or not 1 <= int(tokens[at][:4]) <= 12:
        return None
    month, day = int(tokens[at]), _day(_token(tokens, at + 2))
    if day is not None and _token(tokens, at + 3)[:1] in _DAY_SIGNS:
        return _date(at - start + 3, year, (month, day))
    return _dated(at - start + 1, year, (f"m:{month}",))


def _date(used: int, year: int | None, *readings: tuple[int, int]) -> Found | None:
    """A date that can be read as one of several pairs of month and day."""
    valid = [(month, day) for month, day in readings if 1 <= month <= 12 and 1 <= day <= 31]
    if not valid:
        return None
    days = tuple(f"d:{month}-{day}" for month, day in valid)
    return _dated(used, year, days, tuple(f"m:{month}" for month, _ in valid))


def _dated(used: int, year: int | None, needed: Need = (), also: Need = ()) -> Found:
    years = () if year is None else (f"n:{year}",)
    keys = (*needed, *also, *years, *(f"{key}|" for key in years))
    return Quantity(keys=keys, needs=tuple(need for need in (needed, years) if need)), used


def _month(tokens: Sequence[str], at: int, is_beside_number: bool = False) -> int | None:
    """The month that a token names. "may" and "Mar" need a number next to them."""
    token = _token(tokens, at)
    word = token.lower()
    is_full = word in MONTHS
    month = MONTHS[word] if is_full else ABBREVIATED_MONTHS.get(word)
    if month is None or (is_full and word not in AMBIGUOUS_MONTHS):
        return month
    if not token[0].isupper():
        return None
    if is_beside_number or _token(tokens, at + 1)[:1].isdigit():
        return month
    is_month = _token(tokens, at - 1).lower() in _BEFORE_A_MONTH or len(tokens) == 1
    return month if is_full and is_month else None


def _day(token: str) -> int | None:
    match = _DAY.fullmatch(token)
    return int(match[1]) if match and 1 <= int(match[1]) <= 31 else None


def _year(token: str) -> int | None:
    if len(token) == 4 and token.isdecimal() and 1000 <= int(token) <= 2199:
        return int(token)
    return None


# --- numbers ------------------------------------------------------------------------------------


def _read_number(tokens: Sequence[str], at: int) -> Found | None:
    number = _read_digits(tokens[at]) if tokens[at][0].isdigit() else _read_words(tokens, at)
    if number is None:
        return None
    used, scale = number.used, SCALES.get(number.suffix, 1.0)
    following = _token(tokens, at + used)
    if following.lower() in SCALES and not number.suffix and len(following) > 1:
        scale, used = SCALES[following.lower()], used + 1
    elif following[:1] in _CJK_SCALES:
        scale = _CJK_SCALES[following[0]]
    unit, unit_used = _unit(tokens, at, used, number.suffix)
    # "one of the ships" counts nothing.
    if number.is_word and number.values[0] <= 1 and scale == 1.0 and not unit:
        return None
    values = [round(value * scale, 6) for value in number.values]
    return _number(values, unit), used + unit_used


def _number(values: Sequence[float], unit: str) -> Quantity:
    names = tuple(f"n:{value:.15g}" for value in values)
    keys = tuple(key for name in names for key in (name, f"{name}|{unit}"))
    if not unit:
        return Quantity(keys=keys, needs=(names,))
    need = tuple(key for name in names for key in (f"{name}|{unit}", f"{name}|"))
    return Quantity(keys=keys, needs=(need,))


def _read_digits(token: str) -> _Value | None:
    if token.isdecimal() and len(token) <= MAX_DIGITS:  # the usual case, fast
        return _Value(values=(float(token),), used=1)
    match = _NUMBER.fullmatch(token)
    if match is None or len(match[1]) > MAX_DIGITS:
        return None
    digits, suffix = match[1], match[2].lower()
    if suffix in ("st", "nd", "rd", "th"):
        suffix = ""
    if suffix and suffix not in UNITS and suffix not in SCALES:
        return None
    readings = [digits.replace(",", ".")]
    if _THOUSANDS.fullmatch(digits):
        readings = [re.sub("[,٬]", "", digits)]
    elif _DOTTED_THOUSANDS.fullmatch(digits):
        readings = [digits.replace(".", "").replace(",", ".")]
        if digits.count(".") == 1 and "," not in digits:
            readings.append(digits)
    try:
        values = tuple(float(each.replace("٫", ".")) for each in readings)
    except ValueError:  # "1.2.3"
        return None
    return _Value(values=values, used=1, suffix=suffix)


def _read_words(tokens: Sequence[str], at: int) -> _Value | None:
    """Reads "six", "twenty-five"."""
    word = tokens[at].lower()
    if word not in NUMBER_WORDS:
        return None
    value, used = NUMBER_WORDS[word], 1
    following = _token(tokens, at + 1).lower()
    if following == "-":
        following, used = _token(tokens, at + 2).lower(), 2
    if word in TENS and 1 <= NUMBER_WORDS.get(following, 0) <= 9:
        return _Value(values=(value + NUMBER_WORDS[following],), used=used + 1, is_word=True)
    return _Value(values=(value,), used=1, is_word=True)


def _unit(tokens: Sequence[str], at: int, used: int, suffix: str) -> tuple[str, int]:
    """The unit of a number, and the number of tokens that it takes after the number."""
    if suffix in UNITS:
        return UNITS[suffix], 0
    before = _token(tokens, at - 1)
    if before in CURRENCY_SIGNS:
        return CURRENCY_SIGNS[before], 0
    if len(before) == 3 and before.isupper() and before.lower() in UNITS:
        return UNITS[before.lower()], 0
    skip = 1 if _token(tokens, at + used) == "-" else 0
    following = _token(tokens, at + used + skip)
    if following in CURRENCY_SIGNS:
        return CURRENCY_SIGNS[following], 0
    if following.lower() == "per" and _token(tokens, at + used + skip + 1).lower() == "cent":
        return "percent", skip + 2
    unit = UNITS.get(following.lower(), "")
    return unit, (skip + 1 if unit else 0)
