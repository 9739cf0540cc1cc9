"""How alike two rankings of systems are, for many weightings of the topics at once.

Scores have the shape (weightings, systems).
"""

from __future__ import annotations

import numpy as np

from argue_eval.analysis.agreement.bootstrap import Floats, ratio


def kendall_tau(one: Floats, other: Floats) -> Floats:
    """Returns Kendall's tau-b; undefined if one side ties all systems."""
    first, second = _signs(one), _signs(other)
    both = (first * second).sum((-2, -1))
    return ratio(both, np.sqrt((first**2).sum((-2, -1)) * (second**2).sum((-2, -1))))


def tau_ap(one: Floats, other: Floats) -> Floats:
    """Returns the symmetric tau_AP: the mean of both directions.

    Tied systems count as if all their orders were averaged. Undefined with fewer than two systems,
    or if one side ties all of them.

    Source: Yilmaz, Aslam, Robertson: A new rank correlation coefficient for information
        retrieval (SIGIR 2008), section 3.
    """
    found = (_tau_ap(one, other) + _tau_ap(other, one)) / 2
    is_ranked = [(each.max(-1) > each.min(-1)) for each in (one, other)]
    return np.where(is_ranked[0] & is_ranked[1], found, np.nan)


def spearman(one: Floats, other: Floats) -> Floats:
    """Returns Spearman's correlation; tied systems share the mean of their ranks."""
    return pearson(_signs(one).sum(-1), _signs(other).sum(-1))


def pearson(one: Floats, other: Floats) -> Floats:
    """Returns Pearson's correlation; undefined if one side is constant."""
    first = one - one.mean(-1, keepdims=True)
    second = other - other.mean(-1, keepdims=True)
    found = ratio(
        (first * second).sum(-1), np.sqrt((first**2).sum(-1)) * np.sqrt((second**2).sum(-1))
    )
    is_varied = (np.ptp(one, axis=-1) > 0) & (np.ptp(other, axis=-1) > 0)
    return np.where(is_varied, np.clip(found, -1.0, 1.0), np.nan)


def _signs(scores: Floats) -> Floats:
    """Returns, for each pair, 1 where the first is better, 0 where they tie, -1 otherwise."""
    return np.sign(scores[..., :, None] - scores[..., None, :])


def _tau_ap(ranking: Floats, other: Floats) -> Floats:
    """Returns tau_AP with the positions of one ranking.

    A system that has b systems above it, and is one of g that tie, is at each of the g places
    with the same chance. With c of the b above it in the other ranking too (ties count half), and k
    of its equals above it, (c + k / 2) / (b + k) of those above it are rightly so. Its mean over
    k = 0 … g - 1 is 1/2 + (c - b / 2) * (1 / b + … + 1 / (b + g - 1)) / g; the one at the top is
    left out.
    """
    num = ranking.shape[-1]
    if num < 2:
        return np.full(ranking.shape[:-1], np.nan)
    mine, theirs = _signs(ranking), _signs(other)
    is_above = mine < 0
    above = is_above.sum(-1)
    right = (is_above * (1 - theirs) / 2).sum(-1)
    equal = (mine == 0).sum(-1)
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, num + 1))))
    spread = harmonic[above + equal - 1] - harmonic[np.maximum(above - 1, 0)]
    inner = 0.5 + (right - above / 2) * spread / equal
    top = (equal - 1) / (2 * equal)
    return 2 * np.where(above > 0, inner, top).sum(-1) / (num - 1) - 1
