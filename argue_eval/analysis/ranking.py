"""Agreement of two rankings of systems: rank correlations, their intervals, and paired tests.

Two tables of scores by topic and system are compared, whatever the scores are. A system's score is
its mean over topics.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from argue_eval.analysis.bootstrap import Draws, Floats, figure, ratio
from argue_eval.analysis.results import Pairs, Ranking
from argue_eval.analysis.significance import directions

NUM_TOP = 10
_MAX_CELLS = 2_000_000
_DIGITS = 12
"""Sums in another order differ in the last bits; such differences are ties."""

TopicScores = Mapping[str, Mapping[str, float]]
"""Values by system and topic."""


def rank_scores(
    measure: str, truth: TopicScores, judge: TopicScores, num_resamples: int, top: int = NUM_TOP
) -> Ranking | None:
    """Compares the rankings of the systems that are on both sides; None with fewer than two.

    A system's score is its mean over the topics that it has on both sides. A single topic, such
    as ``all``, gives neither intervals nor tests.

    Args:
        top: how many systems, the best by the truth, one figure is about.
    """
    names = sorted(
        name for name in truth.keys() & judge.keys() if truth[name].keys() & judge[name].keys()
    )
    if len(names) < 2:
        return None
    topic_ids = sorted({topic for name in names for topic in truth[name] if topic in judge[name]})
    tables = np.full((2, len(topic_ids), len(names)), np.nan)
    for row, topic in enumerate(topic_ids):
        for column, name in enumerate(names):
            if topic in truth[name] and topic in judge[name]:
                tables[:, row, column] = truth[name][topic], judge[name][topic]
    has_topics = len(topic_ids) > 1
    drawn = Draws(len(topic_ids), num_resamples if has_topics else 0)
    found = compare_rankings(measure, tables[0], tables[1], drawn, top)
    return found if has_topics else found._replace(pairs=None)


def compare_rankings(
    measure: str, truth: Floats, judge: Floats, drawn: Draws, top: int = NUM_TOP
) -> Ranking:
    """Compares two rankings of the same systems, which stand in the order of their names.

    Args:
        truth: (topics, systems); NaN where a system has no value for a topic.
        judge: the same for the judge.
    """
    num_topics, num_systems = truth.shape
    right, found = _system_means(truth, drawn), _system_means(judge, drawn)
    is_whole = ~np.isnan(right).any(1)
    step = max(1, _MAX_CELLS // num_systems**2)
    figures = []
    of_top = (f"kendall_tau@{top}", partial(_kendall_tau_of_top, top), _FIGURES[0][2])
    for name, compute, reason in (*_FIGURES, of_top):
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = [
                compute(found[start : start + step], right[start : start + step])
                for start in range(0, drawn.num, step)
            ]
        values = np.where(is_whole, np.concatenate(parts), np.nan)
        each = figure(name, values, np.arange(num_topics), reason)
        figures.append(each._replace(num=num_systems))
    return Ranking(
        measure, num_systems, num_topics, figures=tuple(figures), pairs=compare_pairs(truth, judge)
    )


def _system_means(table: Floats, drawn: Draws) -> Floats:
    """Each system's mean over topics, for every weighting; NaN where it has no topic."""
    is_there = ~np.isnan(table)
    sums = drawn.sums(np.where(is_there, table, 0.0))
    return np.round(ratio(sums, drawn.sums(is_there.astype(float))), _DIGITS)


def compare_pairs(truth: Floats, judge: Floats) -> Pairs:
    """Counts the pairs of systems by what the paired tests of both sides decide.

    Args:
        truth: (topics, systems); NaN where a system has no value for a topic.
        judge: the same for the judge.
    """
    right, found = directions(truth), directions(judge)
    is_tested = ~np.isnan(right)
    right, found = right[is_tested], found[is_tested]
    return Pairs(
        both=int(((right == found) & (right != 0)).sum()),
        only_truth=int(((right != 0) & (found == 0)).sum()),
        only_judge=int(((right == 0) & (found != 0)).sum()),
        opposite=int((right * found < 0).sum()),
        neither=int(((right == 0) & (found == 0)).sum()),
        untested=int((~is_tested).sum()),
    )


# --- correlations of scores in the shape (weightings, systems) ------------------------------------


def kendall_tau(one: Floats, other: Floats) -> Floats:
    """Kendall's tau-b; undefined if one side ties all systems."""
    first, second = _signs(one), _signs(other)
    both = (first * second).sum((-2, -1))
    return ratio(both, np.sqrt((first**2).sum((-2, -1)) * (second**2).sum((-2, -1))))


def tau_ap(one: Floats, other: Floats) -> Floats:
    """The symmetric tau_AP: the mean of both directions.

    Tied systems count as the mean over all their orders. Undefined with fewer than two systems, or
    if one side ties all of them.

    Source: Yilmaz, Aslam, Robertson: A new rank correlation coefficient for information
        retrieval (SIGIR 2008), section 3.
    """
    found = (_tau_ap(one, other) + _tau_ap(other, one)) / 2
    is_ranked = [(each.max(-1) > each.min(-1)) for each in (one, other)]
    return np.where(is_ranked[0] & is_ranked[1], found, np.nan)


def tau_gap(judge: Floats, truth: Floats) -> Floats:
    """tau_GAP: at each place of the judge's ranking, the share of the gaps above it that are right.

    The gaps are those of the truth's scores, so that an error between systems that the truth finds
    far apart costs more. Systems that the judge ties stand in the order in which they are given.
    Undefined if one side ties all systems.

    Source: Gao, Oard: A head-weighted gap-sensitive correlation coefficient (SIGIR 2015).
    """
    ranked = np.take_along_axis(truth, np.argsort(-judge, axis=-1, kind="stable"), -1)
    is_above = np.triu(np.ones((ranked.shape[-1],) * 2), 1)
    gaps = (ranked[..., :, None] - ranked[..., None, :]) * is_above
    shares = ratio(np.maximum(gaps, 0.0).sum(-2), np.abs(gaps).sum(-2))
    found = 2 * ratio(np.nansum(shares, axis=-1), (~np.isnan(shares)).sum(-1)) - 1
    return np.where(np.ptp(judge, axis=-1) > 0, found, np.nan)


def _kendall_tau_of_top(top: int, judge: Floats, truth: Floats) -> Floats:
    """Kendall's tau-b of the systems that the truth ranks first; ties as they are given."""
    best = np.argsort(-truth, axis=-1, kind="stable")[..., :top]
    return kendall_tau(*(np.take_along_axis(each, best, -1) for each in (judge, truth)))


def spearman(one: Floats, other: Floats) -> Floats:
    """Spearman's correlation; tied systems share the mean of their ranks."""
    return pearson(_signs(one).sum(-1), _signs(other).sum(-1))


def pearson(one: Floats, other: Floats) -> Floats:
    """Pearson's correlation; undefined if one side is constant."""
    first = one - one.mean(-1, keepdims=True)
    second = other - other.mean(-1, keepdims=True)
    found = ratio(
        (first * second).sum(-1), np.sqrt((first**2).sum(-1)) * np.sqrt((second**2).sum(-1))
    )
    is_varied = (np.ptp(one, axis=-1) > 0) & (np.ptp(other, axis=-1) > 0)
    return np.where(is_varied, np.clip(found, -1.0, 1.0), np.nan)


_FIGURES = (
    ("kendall_tau", kendall_tau, "one side ties all systems"),
    ("tau_ap", tau_ap, "one side ties all systems"),
    ("tau_gap", tau_gap, "one side ties all systems"),
    ("spearman", spearman, "one side ties all systems"),
    ("pearson", pearson, "one side gives all systems the same score"),
)


def _signs(scores: Floats) -> Floats:
    """For each pair, 1 where the first is better, 0 where they tie, -1 otherwise."""
    return np.sign(scores[..., :, None] - scores[..., None, :])


def _tau_ap(ranking: Floats, other: Floats) -> Floats:
    """tau_AP with the positions of one ranking.

    A system with b systems above it, and tied with others in a group of g, is at each of the g
    places with the same chance. Let c of the b be above it in the other ranking too (ties count
    half). With k of its equals above it, (c + k / 2) / (b + k) of the systems above it are rightly
    there. The mean over k = 0 … g - 1 is 1/2 + (c - b / 2) * (1 / b + … + 1 / (b + g - 1)) / g; the
    system at the top is left out.
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
