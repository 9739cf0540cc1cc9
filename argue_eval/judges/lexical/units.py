"""Names of months, numbers, scales and units by language, from ``units.json``.

To add a language, add its words there.
"""

from __future__ import annotations

from argue_eval.judges.lexical import tables

_TABLES = tables.read("units")


def _numbered(rows: list[str]) -> dict[str, int]:
    return {word: at for at, row in enumerate(rows, start=1) for word in row.split()}


def _valued(rows: dict[str, str]) -> dict[str, float]:
    return {word: float(value) for value, row in rows.items() for word in row.split()}


MONTHS = _numbered(_TABLES["months"])
AMBIGUOUS_MONTHS = frozenset(tables.words(_TABLES["ambiguous_months"]))
"""Names of months that are ordinary words, too."""

ABBREVIATED_MONTHS = _numbered(_TABLES["abbreviated_months"])
"""Months only next to a number."""

NUMBER_WORDS = _valued(_TABLES["number_words"])
TENS = frozenset(tables.words(_TABLES["tens"]))
SCALES = _valued(_TABLES["scales"])
UNITS: dict[str, str] = {
    word: unit for unit, row in _TABLES["units"].items() for word in [unit, *row.split()]
}
CURRENCY_SIGNS: dict[str, str] = _TABLES["currency_signs"]
