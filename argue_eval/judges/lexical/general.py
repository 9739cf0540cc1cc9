"""How common English words are in general, from the table that the package wordfreq carries."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from math import log10

from argue_eval.judges.lexical.stem import stem

_COMMONEST, _RAREST = -2.0, -6.5
"""Decimal logarithms of the shares of all words between which a stem's weight grows from 0 to 1."""

_LEAST = 0.05


@cache
def general_weights() -> Mapping[str, float]:
    """Returns how much the stems of common English words tell, in [0.05, 1]: less if commoner.

    What is not in it is rarer than one word in a million, or not an English word.
    """
    from wordfreq import get_frequency_dict  # here since it takes a tenth of a second

    shares: Counter[str] = Counter()
    for word, share in get_frequency_dict("en", "small").items():
        if word.isascii() and word.isalpha():
            shares[stem(word)] += share
    return {term: _weight(share) for term, share in shares.items()}


@cache
def digest() -> bytes:
    """Returns a hash of the table."""
    sha = hashlib.sha256()
    for term, weight in sorted(general_weights().items()):
        sha.update(f"\n{term}\t{weight}".encode())
    return sha.digest()


def _weight(share: float) -> float:
    weight = (_COMMONEST - log10(share)) / (_COMMONEST - _RAREST)
    return round(min(1.0, max(_LEAST, weight)), 3)
