"""Whether a judge favours a system or a length: judge minus truth, by report and by sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan
from typing import NamedTuple

import numpy as np

from argue_eval.analysis.agreement.matching import Matched, Pair
from argue_eval.analysis.agreement.reading import Reports
from argue_eval.analysis.bootstrap import Draws, Floats, figure, ratio
from argue_eval.analysis.results import Figure, SystemBias
from argue_eval.records import Verdict

SCORES = {Verdict.YES: 1.0, Verdict.PARTIAL: 0.5, Verdict.NO: 0.0, Verdict.CONTRADICTS: 0.0}
"""The score of each verdict."""

_NEGLIGIBLE = 1e-12


class Means(NamedTuple):
    """Mean scores of reports or sentences, one row each.

    Attributes:
        names: topic and run of a report, or topic and text of a sentence.
        topics: the index of each row's topic in the sorted topics.
    """

    names: tuple[tuple[str, str], ...]
    topics: Floats
    truth: Floats
    judge: Floats


def report_means(matched: Matched, topic_ids: Mapping[str, int]) -> Means:
    """The mean scores of each report over its questions."""
    return _means(((name, pair) for pair in matched.pairs for name in pair.reports), topic_ids)


def sentence_means(matched: Matched, topic_ids: Mapping[str, int]) -> Means:
    """The mean scores of each sentence whose text is known."""
    of_sentences = (
        ((pair.topic_id, pair.text), pair) for pair in matched.pairs if pair.text is not None
    )
    return _means(of_sentences, topic_ids)


def _means(pairs: Iterable[tuple[tuple[str, str], Pair]], topic_ids: Mapping[str, int]) -> Means:
    sums: dict[tuple[str, str], list[float]] = {}
    for name, pair in pairs:
        row = sums.setdefault(name, [0.0, 0.0, 0.0])
        row[0] += 1
        row[1] += SCORES[pair.truth]
        row[2] += SCORES[pair.judge]
    names = tuple(sorted(sums))
    table = np.array([sums[name] for name in names]).reshape(-1, 3)
    topics = np.array([topic_ids[topic_id] for topic_id, _ in names], dtype=np.int64)
    means = table[:, 1:] / table[:, :1]
    return Means(names, topics, truth=means[:, 0], judge=means[:, 1])


class Systems(NamedTuple):
    """The systems behind reports: their sorted names, and the index of each report's system."""

    names: tuple[str, ...]
    of_report: Floats


def systems_of(means: Means, reports: Reports) -> Systems:
    """The systems behind the reports of `report_means`."""
    systems = [reports.system(*name) for name in means.names]
    places = {name: place for place, name in enumerate(sorted(set(systems)))}
    of_report = np.array([places[system] for system in systems], dtype=np.int64)
    return Systems(tuple(places), of_report)


def by_system(
    means: Means, systems: Systems, drawn: Draws
) -> tuple[Figure, tuple[SystemBias, ...]]:
    """The mean of the systems' biases, and the bias of each system: the mean over its reports."""
    names, column = systems.names, systems.of_report
    if not names:
        return Figure("system_bias", None, reason="the runs of the judgments are unknown"), ()
    numbers, total = (
        drawn.sums(_by_cell(means, systems, each, drawn.num_topics))
        for each in (np.ones(len(column)), means.judge - means.truth)
    )
    biases = ratio(total, numbers)
    mean = ratio(np.nansum(biases, axis=1), (~np.isnan(biases)).sum(1))
    rows = [
        SystemBias(
            name,
            num_reports=int(mine.sum()),
            truth=float(means.truth[mine].mean()),
            judge=float(means.judge[mine].mean()),
            bias=figure("bias", biases[:, place], means.topics[mine]),
        )
        for place, name in enumerate(names)
        for mine in [column == place]
    ]
    return figure("system_bias", mean, means.topics)._replace(num=len(names)), tuple(rows)


def system_scores(means: Means, systems: Systems, num_topics: int) -> tuple[Floats, Floats]:
    """The mean scores by topic and system, of truth and judge; NaN where there is no report."""
    numbers, truth, judge = (
        _by_cell(means, systems, each, num_topics)
        for each in (np.ones(len(means.topics)), means.truth, means.judge)
    )
    return ratio(truth, numbers), ratio(judge, numbers)


def _by_cell(means: Means, systems: Systems, values: Floats, num_topics: int) -> Floats:
    """The sums of values of reports by topic and system."""
    shape = num_topics, len(systems.names)
    cells = means.topics * shape[1] + systems.of_report
    return np.bincount(cells, values, shape[0] * shape[1]).reshape(shape)


def by_length(matched: Matched, means: Means, reports: Reports, drawn: Draws) -> list[Figure]:
    """The correlations of length with the judge's score and with its bias.

    The length of a report is its number of words per bullet, that of a sentence its number of
    words.

    Args:
        means: of reports, if reports were judged as a whole, otherwise of sentences.
    """
    lengths: list[float] = []
    for about in means.names:
        facts = reports.facts.get(about) if matched.by_report else None
        length = nan if matched.by_report else float(len(about[1].split()))
        if facts and facts.num_bullets and facts.num_words is not None:
            length = facts.num_words / facts.num_bullets
        lengths.append(length)
    words = np.array(lengths, dtype=float)
    is_known = ~np.isnan(words)
    words = words[is_known]
    topics, judge = means.topics[is_known], means.judge[is_known]
    found = []
    for name, values in (("length_score", judge), ("length_bias", judge - means.truth[is_known])):
        reason = "there are too few"
        if not len(words):
            what = "lengths of the reports" if matched.by_report else "sentences"
            reason = f"the {what} are unknown"
        elif np.ptp(words) == 0:
            reason = "all have the same length"
        elif np.ptp(values) == 0:
            reason = "all values are the same"
        series = pearson(words, values, topics, drawn)
        found.append(figure(name, series, topics, reason))
    return found


def pearson(one: Floats, other: Floats, topics: Floats, drawn: Draws) -> Floats:
    """Pearson's correlation for each weighting; NaN where one side does not vary."""
    if len(one) < 2:
        return np.full(drawn.num, np.nan)
    one, other = one - one.mean(), other - other.mean()
    moments = (np.ones(len(one)), one, other, one**2, other**2, one * other)
    num, x, y, xx, yy, xy = drawn.sums_of(topics, *moments).T
    spread_x, spread_y = num * xx - x**2, num * yy - y**2
    is_flat = (spread_x <= _NEGLIGIBLE * num * xx) | (spread_y <= _NEGLIGIBLE * num * yy)
    with np.errstate(invalid="ignore"):
        spread = np.sqrt(spread_x) * np.sqrt(spread_y)
    found = ratio(num * xy - x * y, np.where(is_flat, 0.0, spread))
    return np.clip(found, -1.0, 1.0)
