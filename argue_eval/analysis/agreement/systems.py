"""Systems ranked by truth and by judge: from judgments, or from two sets of score files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from argue_eval.analysis.agreement import ranking
from argue_eval.analysis.agreement.bias import Means
from argue_eval.analysis.agreement.bootstrap import Draws, Floats, figure, ratio
from argue_eval.analysis.agreement.results import Ranking
from argue_eval.analysis.agreement.significance import compare_pairs

_FIGURES = (
    ("kendall_tau", ranking.kendall_tau, "one side ties all systems"),
    ("tau_ap", ranking.tau_ap, "one side ties all systems"),
    ("spearman", ranking.spearman, "one side ties all systems"),
    ("pearson", ranking.pearson, "one side gives all systems the same score"),
)
_MAX_CELLS = 2_000_000
_DIGITS = 12
"""Sums in another order differ in the last bits; such differences are ties."""

TopicScores = Mapping[str, Mapping[str, float]]
"""Values by system and topic."""


def rank(means: Means, systems: Sequence[str], drawn: Draws) -> Ranking | None:
    """Returns how alike truth and judge rank the systems by the mean score of their judgments.

    A system's score for a topic is the mean over its reports; its score is the mean over topics.
    None with fewer than two systems.
    """
    names = sorted(set(systems))
    if len(names) < 2:
        return None
    column = np.array([names.index(system) for system in systems])
    cells = means.topics * len(names) + column
    shape = drawn.num_topics, len(names)
    numbers = np.bincount(cells, minlength=shape[0] * shape[1])
    tables = [
        ratio(np.bincount(cells, scores, shape[0] * shape[1]), numbers).reshape(shape)
        for scores in (means.truth, means.judge)
    ]
    return _ranking_of("mean score", tables[0], tables[1], drawn)


def rank_scores(
    measure: str, truth: TopicScores, judge: TopicScores, num_resamples: int
) -> Ranking | None:
    """Returns how alike two sets of scores rank the systems that both have; None if there are
    fewer than two.

    A system's score is the mean over the topics that both have. With the one topic ``all``, there
    are neither intervals nor tests.
    """
    names = sorted(
        name for name in truth.keys() & judge.keys() if truth[name].keys() & judge[name].keys()
    )
    if len(names) < 2:
        return None
    topic_ids = sorted({topic for name in names for topic in truth[name] if topic in judge[name]})
    tables = [
        np.array(
            [
                [
                    scores[name][topic] if topic in truth[name] and topic in judge[name] else np.nan
                    for name in names
                ]
                for topic in topic_ids
            ]
        )
        for scores in (truth, judge)
    ]
    has_topics = len(topic_ids) > 1
    drawn = Draws(len(topic_ids), num_resamples if has_topics else 0)
    found = _ranking_of(measure, tables[0], tables[1], drawn)
    return found if has_topics else found._replace(pairs=None)


def _ranking_of(measure: str, truth: Floats, judge: Floats, drawn: Draws) -> Ranking:
    right, found = _system_means(truth, drawn), _system_means(judge, drawn)
    num_systems = truth.shape[1]
    step = max(1, _MAX_CELLS // num_systems**2)
    figures = []
    for name, compute, reason in _FIGURES:
        with np.errstate(divide="ignore", invalid="ignore"):
            series = np.concatenate(
                [
                    compute(found[start : start + step], right[start : start + step])
                    for start in range(0, drawn.num, step)
                ]
            )
        is_whole = ~np.isnan(right).any(1)
        values = np.where(is_whole, series, np.nan)
        each = figure(name, values, np.arange(len(truth)), reason)
        figures.append(each._replace(num=num_systems))
    pairs = compare_pairs(truth, judge)
    return Ranking(measure, num_systems, truth.shape[0], tuple(figures), pairs)


def _system_means(table: Floats, drawn: Draws) -> Floats:
    """Returns each system's mean over topics, for every weighting; NaN where it has no topic."""
    is_there = ~np.isnan(table)
    sums = drawn.sums(np.where(is_there, table, 0.0))
    return np.round(ratio(sums, drawn.sums(is_there.astype(float))), _DIGITS)
