"""Samples with unequal probabilities: how probably each unit is drawn, and which ones are."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from argue_eval.analysis.bootstrap import Floats

DESIGNS = ("stratified", "uniform", "optimal")

_UNIFORM_SHARE = 0.1
"""Of the rows of an optimal sample, so many are drawn whatever the judge says of its own errors."""


def hashed(parts: Iterable[str], seed: int | None = None) -> int:
    """A number for some texts; those of a seed are in an order by chance."""
    key = b"" if seed is None else seed.to_bytes(16, "big", signed=True)
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8, key=key).digest(), "big")


def probabilities(design: str, size: int, strata: Floats, sizes: Floats) -> Floats:
    """The probability of each unit to be drawn; their sum is the size of the sample.

    Args:
        strata: the number of each unit's stratum.
        sizes: how much each unit adds to the standard errors.

    Source: of ``optimal``: Neyman: On the two different aspects of the representative method (JRSS
        1934); Zrnic, Candès: Active statistical inference (ICML 2024).
    """
    num = len(strata)
    if size >= num:
        return np.ones(num)
    if design == "uniform":
        return np.full(num, size / num)
    if design == "stratified":
        return _capped(1 / np.bincount(strata)[strata], size)
    total = sizes.sum()
    shares = sizes / total if total > 0 else np.full(num, 1 / num)
    return _capped((1 - _UNIFORM_SHARE) * shares + _UNIFORM_SHARE / num, size)


def _capped(sizes: Floats, total: float) -> Floats:
    """Numbers in proportion to sizes with a given sum, none above 1."""
    is_full = np.zeros(len(sizes), dtype=bool)
    while True:
        factor = (total - is_full.sum()) / sizes[~is_full].sum()
        beyond = ~is_full & (factor * sizes >= 1)
        if not beyond.any():
            return np.where(is_full, 1.0, factor * sizes)
        is_full |= beyond


def systematic(chances: Floats, start: float) -> Floats:
    """The places that a systematic sample draws, each with its probability, as many as their sum.

    Source: Madow: On the theory of systematic sampling (Annals of Mathematical Statistics 1949).
    """
    certain = np.flatnonzero(chances >= 1)
    open_ = np.flatnonzero(chances < 1)
    ends = np.cumsum(chances[open_])
    if len(ends):
        ends *= round(float(ends[-1])) / ends[-1]
    ends = np.floor(np.round(ends, 9) + start)
    return np.sort(np.concatenate([certain, open_[np.diff(ends, prepend=0.0) > 0]]))
