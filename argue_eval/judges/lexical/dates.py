"""Dates in the forms that reports and their sources use, as quantities."""

from __future__ import annotations

import re
from collections.abc import Sequence

from argue_eval.judges.lexical.quantity import Need, Quantity, token_at
from argue_eval.judges.lexical.units import ABBREVIATED_MONTHS, AMBIGUOUS_MONTHS, MONTHS

_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_NUMERIC_DATE = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})")
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)", re.IGNORECASE)


def read_date(tokens: Sequence[str], at: int) -> tuple[Quantity | None, int]:
    """Returns the date that starts at a token and how many tokens it takes, or None and 1."""
    token = tokens[at]
    if token.isdecimal():
        return _read_day_first(tokens, at)
    match = _ISO.fullmatch(token)
    if match:
        year, month, day = map(int, match.groups())
        return _date(year, [(month, day)]), 1
    match = _NUMERIC_DATE.fullmatch(token)
    if match:
        first, second, year = map(int, match.groups())
        return _date(year, [(second, first), (first, second)]), 1
    if token[0].isdigit():
        return _read_day_first(tokens, at)
    month_of = _month(tokens, at)
    return _read_month_first(tokens, at, month_of) if month_of else (None, 1)


def _read_day_first(tokens: Sequence[str], at: int) -> tuple[Quantity | None, int]:
    """Reads "12 June 2023", "12th of June", "2023年6月12日", "6月12日"."""
    following = token_at(tokens, at + 1)
    if following[:1] in ("年", "년"):
        return _read_cjk_year(tokens, at)
    if following[:1] in ("月", "월"):
        return _read_cjk_month(tokens, at, None, 0)
    day = _day(tokens[at])
    if day is None:
        return None, 1
    next_at = at + 2 if following.lower() in ("of", "de") else at + 1
    month = _month(tokens, next_at, beside_number=True)
    if not month:
        return None, 1
    if token_at(tokens, next_at + 1) in (",", "de"):
        next_at += 1
    year = _year(token_at(tokens, next_at + 1))
    return _date(year, [(month, day)]), next_at + (2 if year else 1) - at


def _read_month_first(tokens: Sequence[str], at: int, month: int) -> tuple[Quantity | None, int]:
    """Reads "June 12, 2023", "June 2023", "June"."""
    following = token_at(tokens, at + 1)
    day = _day(following) if following[:1].isdigit() else None
    next_at = at + (1 if day is None else 2)
    year = _year(token_at(tokens, next_at))
    if year is None and token_at(tokens, next_at) == ",":
        year = _year(token_at(tokens, next_at + 1))
        next_at += 1 if year else 0
    used = next_at + (1 if year else 0) - at
    if day is None:
        keys = [f"m:{month}", *_year_keys(year)]
        return Quantity(tuple(keys), ((f"m:{month}",), *_year_needs(year))), used
    return _date(year, [(month, day)]), used


def _read_cjk_year(tokens: Sequence[str], at: int) -> tuple[Quantity | None, int]:
    year = _year(tokens[at])
    if year is None:
        return None, 1
    if token_at(tokens, at + 1) in ("年", "년") and token_at(tokens, at + 3)[:1] in ("月", "월"):
        return _read_cjk_month(tokens, at + 2, year, 2)
    return Quantity(_year_keys(year), _year_needs(year)), 1


def _read_cjk_month(
    tokens: Sequence[str], at: int, year: int | None, before: int
) -> tuple[Quantity | None, int]:
    if not tokens[at].isdecimal() or not 1 <= int(tokens[at][:4]) <= 12:
        return None, 1
    month = int(tokens[at])
    day = _day(token_at(tokens, at + 2)) if token_at(tokens, at + 2)[:1].isdigit() else None
    if day is not None and token_at(tokens, at + 3)[:1] in ("日", "号", "號", "일"):
        return _date(year, [(month, day)]), before + 3
    keys = (f"m:{month}", *_year_keys(year))
    return Quantity(keys, ((f"m:{month}",), *_year_needs(year))), before + 1


def _date(year: int | None, readings: Sequence[tuple[int, int]]) -> Quantity | None:
    valid = [(month, day) for month, day in readings if 1 <= month <= 12 and 1 <= day <= 31]
    if not valid:
        return None
    days = tuple(f"d:{month}-{day}" for month, day in valid)
    months = tuple(f"m:{month}" for month, _ in valid)
    return Quantity((*days, *months, *_year_keys(year)), (days, *_year_needs(year)))


def _year_keys(year: int | None) -> tuple[str, ...]:
    return () if year is None else (f"n:{year}", f"n:{year}|")


def _year_needs(year: int | None) -> tuple[Need, ...]:
    return () if year is None else ((f"n:{year}",),)


def _month(tokens: Sequence[str], at: int, beside_number: bool = False) -> int | None:
    """Returns the month that a token names. "may" and "Mar" need a number beside them."""
    token = token_at(tokens, at)
    word = token.lower()
    if word in MONTHS:
        if word not in AMBIGUOUS_MONTHS:
            return MONTHS[word]
        if not token[0].isupper():
            return None
        if beside_number or token_at(tokens, at + 1)[:1].isdigit():
            return MONTHS[word]
        before = tokens[at - 1].lower() if at else ""
        has_cue = before in {"in", "of", "since", "until", "by", "from", "early", "late", "mid"}
        return MONTHS[word] if has_cue or len(tokens) == 1 else None
    if word in ABBREVIATED_MONTHS and token[0].isupper():
        is_beside = beside_number or token_at(tokens, at + 1)[:1].isdigit()
        return ABBREVIATED_MONTHS[word] if is_beside else None
    return None


def _day(token: str) -> int | None:
    digits = token
    if not token.isdecimal():
        match = _ORDINAL.fullmatch(token)
        if match is None:
            return None
        digits = match.group(1)
    if len(digits) > 2:
        return None
    return int(digits) if 1 <= int(digits) <= 31 else None


def _year(token: str) -> int | None:
    if len(token) == 4 and token.isdecimal() and 1000 <= int(token) <= 2199:
        return int(token)
    return None
