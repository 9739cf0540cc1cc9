"""Figures of agreement from confusion counts, for many weightings at once.

Counts have the shape (weightings, verdicts of the truth, verdicts of the judge), verdicts in the
order no, partial, yes; without partial where the kind has none. A figure that is undefined is NaN.
"""

from __future__ import annotations

import numpy as np

from argue_eval.analysis.agreement.bootstrap import Floats, ratio

_YES = -1


def accuracy(counts: Floats) -> Floats:
    """Returns the share of questions with the same verdict."""
    return ratio(_diagonal(counts).sum(-1), counts.sum((-2, -1)))


def balanced_accuracy(counts: Floats) -> Floats:
    """Returns the mean, over the truth's verdicts, of the share that the judge finds.

    Undefined if the truth has one verdict only.
    """
    truth = counts.sum(-1)
    found = ratio(_diagonal(counts), truth)
    num_classes = (truth > 0).sum(-1)
    return np.where(num_classes > 1, ratio(np.nansum(found, axis=-1), num_classes), np.nan)


def precision(counts: Floats) -> Floats:
    """Returns the share of the judge's yes that are right; undefined if it never says yes."""
    return ratio(counts[..., _YES, _YES], counts[..., :, _YES].sum(-1))


def recall(counts: Floats) -> Floats:
    """Returns the share of the truth's yes that the judge finds; undefined if there is none."""
    return ratio(counts[..., _YES, _YES], counts[..., _YES, :].sum(-1))


def f1(counts: Floats) -> Floats:
    """Returns the harmonic mean of precision and recall; undefined if nobody says yes."""
    return _f1_by_verdict(counts)[..., _YES]


def macro_f1(counts: Floats) -> Floats:
    """Returns the mean F1 over the verdicts that somebody gives."""
    return _mean_of_defined(_f1_by_verdict(counts))


def kappa(counts: Floats) -> Floats:
    """Returns Cohen's kappa; undefined if both give one and the same verdict throughout."""
    size = counts.shape[-1]
    return _kappa(counts, 1.0 - np.eye(size))


def kappa_linear(counts: Floats) -> Floats:
    """Returns Cohen's kappa in which no and yes differ twice as much as no and partial."""
    places = np.arange(counts.shape[-1])
    return _kappa(counts, np.abs(places[:, None] - places[None, :]).astype(float))


def alpha(counts: Floats) -> Floats:
    """Returns Krippendorff's alpha, nominal; undefined if there is one verdict only."""
    size = counts.shape[-1]
    distance = np.broadcast_to(1.0 - np.eye(size), counts.shape)
    return _alpha(counts, distance)


def alpha_ordinal(counts: Floats) -> Floats:
    """Returns Krippendorff's alpha, ordinal: how far two verdicts are apart depends on how many
    judgments lie between them."""
    values = counts.sum(-1) + counts.sum(-2)
    before = np.cumsum(values, axis=-1) - values / 2
    return _alpha(counts, (before[..., :, None] - before[..., None, :]) ** 2)


def pearson(counts: Floats) -> Floats:
    """Returns Pearson's correlation of the scores; undefined if one side has one score only."""
    scores = np.linspace(0.0, 1.0, counts.shape[-1])
    truth, judge = counts.sum(-1), counts.sum(-2)
    total = counts.sum((-2, -1))
    mean_truth, mean_judge = ratio(truth @ scores, total), ratio(judge @ scores, total)
    apart_truth = scores - mean_truth[..., None]
    apart_judge = scores - mean_judge[..., None]
    both = np.einsum("...ij,...i,...j->...", counts, apart_truth, apart_judge)
    spread = (truth * apart_truth**2).sum(-1) * (judge * apart_judge**2).sum(-1)
    is_varied = ((truth > 0).sum(-1) > 1) & ((judge > 0).sum(-1) > 1)
    return np.where(is_varied, ratio(both, np.sqrt(spread)), np.nan)


def _diagonal(counts: Floats) -> Floats:
    return np.diagonal(counts, axis1=-2, axis2=-1)


def _f1_by_verdict(counts: Floats) -> Floats:
    return ratio(2 * _diagonal(counts), counts.sum(-1) + counts.sum(-2))


def _mean_of_defined(values: Floats) -> Floats:
    return ratio(np.nansum(values, axis=-1), (~np.isnan(values)).sum(-1))


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
