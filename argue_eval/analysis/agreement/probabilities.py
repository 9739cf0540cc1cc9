"""What the judge's probabilities of a yes are worth, for many weightings of the topics at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from argue_eval.analysis.agreement.bootstrap import Draws, Floats, by_topic, ratio

NUM_BINS = 10
_MAX_CELLS = 4_000_000

Tick = Callable[[int, int], None]


def roc_auc(
    probs: Floats, is_yes: Floats, topics: Floats, drawn: Draws, tick: Tick | None = None
) -> Floats:
    """Returns how often a yes of the truth has a higher probability than another question.

    A tie counts half. Undefined if the truth has no yes, or nothing else.

    Args:
        topics: the topic of each question, as a place in the weightings.
    """
    order = np.argsort(probs, kind="stable")
    ordered = probs[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    topics, is_yes = topics[order], is_yes[order].astype(float)
    step = max(1, _MAX_CELLS // len(probs))
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


def bins(probs: Floats) -> Floats:
    """Returns the bin of each probability: [0, 0.1], (0.1, 0.2], …, (0.9, 1]."""
    return np.searchsorted(np.linspace(0, 1, NUM_BINS + 1)[1:-1], probs)


def reliability(probs: Floats, is_yes: Floats, topics: Floats, num_topics: int) -> Floats:
    """Returns, by topic and bin, how many there are, their probabilities' sum, and their yes.

    The shape is (num_topics, 3, NUM_BINS).
    """
    place = bins(probs)
    cells = topics * NUM_BINS + place
    size = num_topics * NUM_BINS
    sums = [np.bincount(cells, each, size) for each in (np.ones(len(probs)), probs, is_yes)]
    return np.stack([each.reshape(num_topics, NUM_BINS) for each in sums], axis=1)


def calibration_error(by_bin: Floats) -> Floats:
    """Returns the mean distance of probability and share of yes over bins, weighted by number.

    Args:
        by_bin: (weightings, 3, NUM_BINS), as `reliability` has it by topic.
    """
    apart = np.abs(by_bin[:, 1] - by_bin[:, 2])
    return ratio(apart.sum(-1), by_bin[:, 0].sum(-1))


def brier(probs: Floats, is_yes: Floats, topics: Floats, drawn: Draws) -> Floats:
    """Returns the mean squared distance of the probability from 1 for a yes, 0 otherwise."""
    squared = np.stack([(probs - is_yes) ** 2, np.ones(len(probs))], axis=1)
    sums = drawn.sums(by_topic(topics, squared, drawn.num_topics))
    return ratio(sums[:, 0], sums[:, 1])
