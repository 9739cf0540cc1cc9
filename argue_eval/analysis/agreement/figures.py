"""All figures of agreement of one judge on one kind of question, with their intervals.

Confusion counts have the shape (weightings, verdicts of the truth, verdicts of the judge); verdicts
are in the order no, partial, yes, without partial where the kind has none; where a side says that
something contradicts, that is before no. An undefined figure is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from argue_eval.analysis.agreement import bias
from argue_eval.analysis.agreement.matching import Matched
from argue_eval.analysis.agreement.reading import Reports
from argue_eval.analysis.bootstrap import MAX_CELLS, Draws, Floats, figure, ratio
from argue_eval.analysis.ranking import NUM_TOP, compare_rankings
from argue_eval.analysis.results import Agreement, Bin, Cell, Figure
from argue_eval.analysis.significance import Tick
from argue_eval.records import GRADED_KINDS, VERDICTS, Kind, Verdict

NUM_BINS = 10
_YES = -1

Compute = Callable[[Floats], Floats]
"""A figure from confusion counts."""


def agreement(
    matched: Matched,
    reports: Reports,
    num_resamples: int,
    tick: Tick | None = None,
    top: int = NUM_TOP,
) -> Agreement:
    """Computes all figures of one judge on one kind of question."""
    kind, pairs = matched.kind, matched.pairs
    if not pairs:
        return Agreement(kind, matched.judge, matched.by_report, 0, matched.counts)
    topic_ids = {name: place for place, name in enumerate(sorted({p.topic_id for p in pairs}))}
    topics = np.array([topic_ids[pair.topic_id] for pair in pairs], dtype=np.int64)
    drawn = Draws(len(topic_ids), num_resamples if len(topic_ids) > 1 else 0)
    is_graded = kind in GRADED_KINDS
    verdicts = verdicts_of(kind, {said for pair in pairs for said in (pair.truth, pair.judge)})
    code = {verdict: place for place, verdict in enumerate(verdicts)}
    codes = np.array([(code[pair.truth], code[pair.judge]) for pair in pairs])
    counts = confusion_counts(codes.T, topics, drawn, len(verdicts))
    confusion = tuple(
        Cell(truth, judge, num=int(counts[0, row, column]))
        for row, truth in enumerate(verdicts)
        for column, judge in enumerate(verdicts)
    )
    figures = [
        figure(name, compute(counts), topics, reason)
        for name, compute, reason in _FIGURES
        if is_graded or name not in _GRADED_FIGURES
    ]
    if kind is Kind.COVERS:
        figures.append(_linking(matched, topics, drawn))
    probs, bins = _probability_figures(matched, topics, drawn, tick)
    apart = np.array([bias.SCORES[pair.judge] - bias.SCORES[pair.truth] for pair in pairs])
    figures += [*probs, figure("bias", weighted_mean(apart, topics, drawn), topics)]
    by_run = bias.report_means(matched, topic_ids)
    systems = bias.systems_of(by_run, reports)
    mean, biases = bias.by_system(by_run, systems, drawn)
    units = by_run if matched.by_report else bias.sentence_means(matched, topic_ids)
    figures += [mean, *bias.by_length(matched, units, reports, drawn)]
    ranking = None
    if len(systems.names) > 1:
        tables = bias.system_scores(by_run, systems, len(topic_ids))
        ranking = compare_rankings("mean score", *tables, drawn, top)
    return Agreement(
        kind,
        matched.judge,
        by_report=matched.by_report,
        num_topics=len(topic_ids),
        counts=matched.counts,
        figures=tuple(figures),
        confusion=confusion,
        reliability=bins,
        systems=biases,
        ranking=ranking,
    )


def verdicts_of(kind: Kind, given: Collection[Verdict]) -> list[Verdict]:
    """The verdicts of a kind of question, in order.

    Args:
        given: those that somebody gives; that something contradicts is left out if nobody says so.
    """
    left_out = {Verdict.CONTRADICTS}.difference(given)
    return [each for each in reversed(VERDICTS[kind]) if each not in left_out]


def confusion_counts(codes: Floats, topics: Floats, drawn: Draws, size: int) -> Floats:
    """The confusion counts for every weighting.

    Args:
        codes: for each question the index of the truth's verdict, less than `size`, and in a
            second row that of the judge's verdict.
        topics: the index of each question's topic.
    """
    by_topic_and_cell = confusion_by_topic(codes, topics, drawn.num_topics, size)
    return drawn.sums(by_topic_and_cell.reshape(drawn.num_topics, -1)).reshape(-1, size, size)


def confusion_by_topic(codes: Floats, topics: Floats, num_topics: int, size: int) -> Floats:
    """The confusion counts of each topic; see `confusion_counts`."""
    cells = (topics * size + codes[0]) * size + codes[1]
    return np.bincount(cells, minlength=num_topics * size**2).reshape(num_topics, size, size)


def _linking(matched: Matched, topics: Floats, drawn: Draws) -> Figure:
    """How often both name the same bullet, where both cover and each names exactly one."""
    linked = np.array([None not in pair.links for pair in matched.pairs])
    same = np.array([pair.links[0] == pair.links[1] for pair in matched.pairs]) & linked
    shares = ratio(*drawn.sums_of(topics, same, linked).T)
    reason = "there is no nugget that both cover with one bullet"
    if not matched.by_report:
        reason = "sentences were judged one by one, so none is selected"
    return figure("linking", shares, topics[linked], reason)


def weighted_mean(values: Floats, topics: Floats, drawn: Draws) -> Floats:
    """The mean of values that are each of a topic, for each weighting."""
    return ratio(*drawn.sums_of(topics, values, np.ones(len(values))).T)


# --- figures of verdicts, from confusion counts ---------------------------------------------------


def accuracy(counts: Floats) -> Floats:
    """The share of questions with the same verdict."""
    return ratio(_diagonal(counts).sum(-1), counts.sum((-2, -1)))


def balanced_accuracy(counts: Floats) -> Floats:
    """The mean recall of the truth's verdicts; undefined if the truth has one verdict only."""
    truth = counts.sum(-1)
    found = ratio(_diagonal(counts), truth)
    num_classes = (truth > 0).sum(-1)
    return np.where(num_classes > 1, ratio(np.nansum(found, axis=-1), num_classes), np.nan)


def balanced_accuracy_yes(counts: Floats) -> Floats:
    """The mean of the shares that the judge finds of the truth's yes and of the rest; undefined if
    the truth says yes throughout, or never."""
    rest = ratio(counts[..., :_YES, :_YES].sum((-2, -1)), counts[..., :_YES, :].sum((-2, -1)))
    return (recall(counts) + rest) / 2


def precision(counts: Floats) -> Floats:
    """The share of the judge's yes that are right; undefined if it never says yes."""
    return ratio(counts[..., _YES, _YES], counts[..., :, _YES].sum(-1))


def recall(counts: Floats) -> Floats:
    """The share of the truth's yes that the judge finds; undefined if there is none."""
    return ratio(counts[..., _YES, _YES], counts[..., _YES, :].sum(-1))


def f1(counts: Floats) -> Floats:
    """The harmonic mean of precision and recall; undefined if neither side says yes."""
    return _f1_by_verdict(counts)[..., _YES]


def macro_f1(counts: Floats) -> Floats:
    """The mean F1 over the verdicts that at least one side gives."""
    values = _f1_by_verdict(counts)
    return ratio(np.nansum(values, axis=-1), (~np.isnan(values)).sum(-1))


def kappa(counts: Floats) -> Floats:
    """Cohen's kappa; undefined if both sides give one and the same verdict throughout."""
    return _kappa(counts, 1.0 - np.eye(counts.shape[-1]))


def kappa_linear(counts: Floats) -> Floats:
    """Cohen's kappa in which no and yes differ twice as much as no and partial."""
    places = np.arange(counts.shape[-1])
    return _kappa(counts, np.abs(places[:, None] - places[None, :]).astype(float))


def alpha(counts: Floats) -> Floats:
    """Krippendorff's alpha, nominal; undefined if there is one verdict only."""
    distance = np.broadcast_to(1.0 - np.eye(counts.shape[-1]), counts.shape)
    return _alpha(counts, distance)


def alpha_ordinal(counts: Floats) -> Floats:
    """Krippendorff's alpha, ordinal: the distance of two verdicts depends on the number of
    judgments between them."""
    values = counts.sum(-1) + counts.sum(-2)
    before = np.cumsum(values, axis=-1) - values / 2
    return _alpha(counts, (before[..., :, None] - before[..., None, :]) ** 2)


def pearson(counts: Floats) -> Floats:
    """Pearson's correlation of the scores; undefined if one side has one score only."""
    num_below = max(0, counts.shape[-1] - 3)  # to contradict counts as much as a no
    scores = np.concatenate([np.zeros(num_below), np.linspace(0, 1, counts.shape[-1] - num_below)])
    truth, judge = counts.sum(-1), counts.sum(-2)
    total = counts.sum((-2, -1))
    mean_truth, mean_judge = ratio(truth @ scores, total), ratio(judge @ scores, total)
    apart_truth = scores - mean_truth[..., None]
    apart_judge = scores - mean_judge[..., None]
    both = np.einsum("...ij,...i,...j->...", counts, apart_truth, apart_judge)
    spread = (truth * apart_truth**2).sum(-1) * (judge * apart_judge**2).sum(-1)
    is_varied = ((truth > 0).sum(-1) > 1) & ((judge > 0).sum(-1) > 1)
    return np.where(is_varied, ratio(both, np.sqrt(spread)), np.nan)


_ONE_VERDICT = "both give one and the same verdict throughout"
_FIGURES = (
    ("accuracy", accuracy, ""),
    ("balanced_accuracy", balanced_accuracy, "the truth has one verdict only"),
    ("balanced_accuracy_yes", balanced_accuracy_yes, "the truth says yes throughout, or never"),
    ("precision", precision, "the judge never says yes"),
    ("recall", recall, "the truth never says yes"),
    ("f1", f1, "neither side says yes"),
    ("macro_f1", macro_f1, ""),
    ("kappa", kappa, _ONE_VERDICT),
    ("alpha", alpha, _ONE_VERDICT),
    ("kappa_linear", kappa_linear, _ONE_VERDICT),
    ("alpha_ordinal", alpha_ordinal, _ONE_VERDICT),
    ("pearson", pearson, "one side gives one verdict throughout"),
)
_GRADED_FIGURES = ("balanced_accuracy_yes", "macro_f1", "kappa_linear", "alpha_ordinal", "pearson")
"""They need more than two verdicts, or say with two what another figure says."""


def _diagonal(counts: Floats) -> Floats:
    return np.diagonal(counts, axis1=-2, axis2=-1)


def _f1_by_verdict(counts: Floats) -> Floats:
    return ratio(2 * _diagonal(counts), counts.sum(-1) + counts.sum(-2))


def _kappa(counts: Floats, distance: Floats) -> Floats:
    total = counts.sum((-2, -1))
    expected = counts.sum(-1)[..., :, None] * counts.sum(-2)[..., None, :]
    found = (counts * distance).sum((-2, -1))
    return 1.0 - ratio(found * total, (expected * distance).sum((-2, -1)))


def _alpha(counts: Floats, distance: Floats) -> Floats:
    values = counts.sum(-1) + counts.sum(-2)
    found = 2 * (counts * distance).sum((-2, -1))
    expected = (values[..., :, None] * values[..., None, :] * distance).sum((-2, -1))
    return 1.0 - ratio(found * (values.sum(-1) - 1), expected)


# --- figures of the judge's probabilities of a yes ------------------------------------------------


def _probability_figures(
    matched: Matched, topics: Floats, drawn: Draws, tick: Tick | None
) -> tuple[list[Figure], tuple[Bin, ...]]:
    has_prob = np.array([pair.prob is not None for pair in matched.pairs])
    if not has_prob.any():
        reason = "the judge gives no probabilities"
        names = ("roc_auc", "calibration_error", "brier")
        return [Figure(name, None, reason=reason) for name in names], ()
    probs = np.array([pair.prob for pair in matched.pairs if pair.prob is not None])
    is_yes = np.array([pair.truth is Verdict.YES for pair in matched.pairs])[has_prob]
    topics, num_topics = topics[has_prob], drawn.num_topics
    auc = roc_auc(probs, is_yes, topics, drawn, tick)
    table = reliability(probs, is_yes, topics, num_topics)
    by_bin = drawn.sums(table.reshape(num_topics, -1)).reshape(-1, 3, NUM_BINS)
    reason = f"the truth {'says yes throughout' if is_yes.all() else 'never says yes'}"
    figures = [
        figure("roc_auc", auc, topics, reason),
        figure("calibration_error", calibration_error(by_bin), topics),
        figure("brier", brier(probs, is_yes, topics, drawn), topics),
    ]
    bins = tuple(
        Bin(
            lower=place / NUM_BINS,
            upper=(place + 1) / NUM_BINS,
            num=int(num),
            mean_prob=float(total / num) if num else None,
            share_yes=float(yes / num) if num else None,
        )
        for place, (num, total, yes) in enumerate(by_bin[0].T)
    )
    return figures, bins


def roc_auc(
    probs: Floats, is_yes: Floats, topics: Floats, drawn: Draws, tick: Tick | None = None
) -> Floats:
    """How often a yes of the truth has a higher probability than another question.

    A tie counts half. Undefined if the truth never says yes, or always.

    Args:
        topics: the topic of each question, as an index into the weightings.
    """
    order = np.argsort(probs, kind="stable")
    ordered = probs[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    topics, is_yes = topics[order], is_yes[order].astype(float)
    step = max(1, MAX_CELLS // len(probs))
    found: list[Floats] = []
    for block in drawn.blocks():
        for start in range(0, len(block), step):
            if tick:
                tick(sum(map(len, found)), drawn.num)
            each = block[start : start + step, topics]
            yes = np.add.reduceat(each * is_yes, starts, axis=1)
            other = np.add.reduceat(each * (1 - is_yes), starts, axis=1)
            below = np.cumsum(other, axis=1) - other / 2
            found.append(ratio((yes * below).sum(1), yes.sum(1) * other.sum(1)))
    return np.concatenate(found)


def bins_of(probs: Floats) -> Floats:
    """The index of each probability's bin: [0, 0.1], (0.1, 0.2], …, (0.9, 1]."""
    return np.searchsorted(np.linspace(0, 1, NUM_BINS + 1)[1:-1], probs)


def reliability(probs: Floats, is_yes: Floats, topics: Floats, num_topics: int) -> Floats:
    """The number of questions, the sum of their probabilities, and the number of yes.

    The shape is (num_topics, 3, NUM_BINS).
    """
    cells = topics * NUM_BINS + bins_of(probs)
    size = num_topics * NUM_BINS
    sums = [np.bincount(cells, each, size) for each in (np.ones(len(probs)), probs, is_yes)]
    return np.stack([each.reshape(num_topics, NUM_BINS) for each in sums], axis=1)


def calibration_error(by_bin: Floats) -> Floats:
    """The mean distance of probability and share of yes over bins, weighted by their sizes.

    Args:
        by_bin: (weightings, 3, NUM_BINS), the sums of `reliability` over topics.
    """
    apart = np.abs(by_bin[:, 1] - by_bin[:, 2])
    return ratio(apart.sum(-1), by_bin[:, 0].sum(-1))


def brier(probs: Floats, is_yes: Floats, topics: Floats, drawn: Draws) -> Floats:
    """The mean squared distance of the probability from 1 for a yes, from 0 otherwise."""
    return weighted_mean((probs - is_yes) ** 2, topics, drawn)
