"""Groups of letters: what texts share that no stem shows, as parts of words and set phrases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import sqrt
from typing import NamedTuple

_CITATION = re.compile(r"\[\d[\d,;\s]*\]")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_SIZE, _SIZE_UNSPACED = 4, 2


class Letters(NamedTuple):
    """The squared weight of each group of a text, and the root of their sum."""

    squares: Mapping[str, float]
    norm: float


def groups(text: str) -> frozenset[str]:
    """Returns the groups of four letters of a cleaned text, with the spaces between its words.

    >>> sorted(groups("A dam [3]"))
    [' a d', ' dam', 'a da', 'dam ']
    """
    size = _SIZE_UNSPACED if _UNSPACED.search(text) else _SIZE
    flat = f" {' '.join(_WORD.findall(_CITATION.sub(' ', text)))} ".lower()
    return frozenset(flat[at : at + size] for at in range(len(flat) - size + 1))


def cosine(one: Letters, other: Letters) -> float:
    """Returns how alike two texts are by their letters, in [0, 1]."""
    if not one.norm or not other.norm:
        return 0.0
    few, many = sorted((one.squares, other.squares), key=len)
    return sum(square for group, square in few.items() if group in many) / (one.norm * other.norm)


def weigh(weights: Mapping[str, float]) -> Letters:
    """Returns groups with their weights, in an order that does not depend on the process."""
    squares = {group: weight**2 for group, weight in sorted(weights.items())}
    return Letters(squares, sqrt(sum(squares.values())))
