"""Judges among themselves: how well two or more assessors, or any other judges, agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from argue_eval.analysis.agreement import figures, matching
from argue_eval.analysis.agreement.reading import Judge, Reports
from argue_eval.analysis.bootstrap import Draws, Floats, figure, ratio
from argue_eval.analysis.results import Figure, PairOfJudges, Panel
from argue_eval.records import GRADED_KINDS, Kind

_PAIRWISE = (("accuracy", figures.accuracy), ("kappa", figures.kappa))
_PAIRWISE_GRADED = (*_PAIRWISE, ("kappa_linear", figures.kappa_linear))
_NO_QUESTION = "no question was answered by both"
_NO_CHANCE = "there is one verdict only, or no question that two answered"


def panels(judges: Sequence[Judge], reports: Reports, num_resamples: int) -> Iterator[Panel]:
    """Yields a panel for every kind of which two or more judges answered a question in common."""
    for kind in Kind:
        own = [each for each in judges if kind in each.answers]
        if len(own) > 1:
            found = _panel(kind, own, reports, num_resamples)
            if found is not None:
                yield found


def _panel(
    kind: Kind, judges: Sequence[Judge], reports: Reports, num_resamples: int
) -> Panel | None:
    said = matching.verdicts(kind, judges, reports)
    verdicts = figures.verdicts_of(kind, {each for answers in said for each in answers.values()})
    keys = [
        key
        for key in dict.fromkeys(key for each in said for key in each)
        if sum(key in each for each in said) > 1
    ]
    if not keys:
        return None
    topic_ids = {topic_id: at for at, topic_id in enumerate(sorted({key[0] for key in keys}))}
    topics = np.array([topic_ids[key[0]] for key in keys], dtype=np.int64)
    # One row per judge; the index of the verdict, -1 where there is none.
    code = {verdict: place for place, verdict in enumerate(verdicts)}
    rows = [[code[each[key]] if key in each else -1 for key in keys] for each in said]
    codes = np.array(rows).reshape(len(judges), len(keys))
    drawn = Draws(len(topic_ids), num_resamples if len(topic_ids) > 1 else 0)
    computed = _PAIRWISE_GRADED if kind in GRADED_KINDS else _PAIRWISE
    pairs, series = [], []
    for first, second in combinations(range(len(judges)), 2):
        has_both = (codes[[first, second]] >= 0).all(0)
        both = topics[has_both]
        counts = figures.confusion_counts(
            codes[[first, second]][:, has_both], both, drawn, len(verdicts)
        )
        values = {name: compute(counts) for name, compute in computed}
        names = judges[first].name, judges[second].name
        why = _NO_CHANCE if len(both) else _NO_QUESTION
        pairs.append(
            PairOfJudges(
                *names,
                len(both),
                tuple(figure(name, each, both, why) for name, each in values.items()),
            )
        )
        series.append(values)
    means = []
    for name in series[0]:  # of the pairs in which a figure is defined, for every weighting
        table = np.stack([each[name] for each in series])
        mean = ratio(np.nansum(table, axis=0), (~np.isnan(table)).sum(0))
        means.append(figure(name, mean, topics, _NO_CHANCE))
    return Panel(
        kind,
        tuple(each.name for each in judges),
        len(keys),
        len(topic_ids),
        (*means, *_of_all(kind, codes, len(verdicts), topics, drawn)),
        tuple(pairs),
    )


def _of_all(kind: Kind, codes: Floats, size: int, topics: Floats, drawn: Draws) -> Iterator[Figure]:
    """Yields Krippendorff's alpha over all judges, however many answered a question, and the share
    of questions that all who answered gave the same verdict."""
    numbers = (codes[..., None] == np.arange(size)).sum(0).astype(float)
    same = (numbers.max(1) == numbers.sum(1)).astype(float)
    yield figure("unanimous", figures.weighted_mean(same, topics, drawn), topics)
    pairs = numbers[:, :, None] * numbers[:, None, :]
    pairs[:, np.arange(size), np.arange(size)] -= numbers
    coincidences = pairs.reshape(len(pairs), -1) / (numbers.sum(1) - 1)[:, None]
    sums = drawn.sums_of(topics, *coincidences.T).reshape(-1, size, size)
    # The figures take the counts of two judges, in which each coincidence would occur once.
    yield figure("alpha", figures.alpha(sums / 2), topics, _NO_CHANCE)
    if kind in GRADED_KINDS:
        yield figure("alpha_ordinal", figures.alpha_ordinal(sums / 2), topics, _NO_CHANCE)
