"""Intervals: topics are drawn with replacement, and everything of a topic with them.

All figures are computed for many weightings of the topics at once. The first weighting counts
every topic once, so that a point value and its resamples come from the same code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from argue_eval.analysis.agreement.results import Figure

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats = Any
"""An array of numbers; NaN stands for undefined and never leaves this package."""

SEED = 20240714
FEW_TOPICS = 10
_LEVEL = 0.95
_MAX_CELLS = 4_000_000
_MAX_KEPT = 100_000_000


class Draws:
    """How often each topic counts: once in the first weighting, as drawn in the others.

    The same numbers on every machine: numpy keeps the stream of `RandomState` as it is. They are
    kept as bytes, and made anew whenever they are used if even these are too many.

    Attributes:
        num: the number of weightings.
    """

    def __init__(self, num_topics: int, num_resamples: int) -> None:
        self.num_topics = num_topics
        self.num = 1 + num_resamples
        self._kept: list[Floats] | None = None
        if self.num * num_topics <= _MAX_KEPT:
            self._kept = list(self._drawn())

    def blocks(self) -> Iterator[Floats]:
        """Yields the weightings, some rows at a time; a column for each topic."""
        yield np.ones((1, self.num_topics))
        for counts in self._drawn() if self._kept is None else self._kept:
            yield counts.astype(float)

    def sums(self, table: Floats) -> Floats:
        """Returns the sums over topics for each weighting: (num, columns of the table).

        Args:
            table: values by topic.
        """
        return np.concatenate([block @ table for block in self.blocks()])

    def _drawn(self) -> Iterator[Floats]:
        stream = np.random.RandomState(SEED)
        step = max(1, _MAX_CELLS // self.num_topics)
        for start in range(1, self.num, step):
            size = min(step, self.num - start)
            drawn = (stream.random_sample((size, self.num_topics)) * self.num_topics).astype(int)
            drawn += np.arange(size)[:, None] * self.num_topics
            counts = np.bincount(drawn.ravel(), minlength=size * self.num_topics)
            # That a topic is drawn 256 times is less likely than any failure of the machine.
            yield counts.reshape(size, self.num_topics).astype(np.uint8)


def by_topic(topics: Floats, values: Floats, num_topics: int) -> NDArray[np.float64]:
    """Returns the sums of values by topic: (num_topics, values' columns)."""
    columns = np.asarray(values, dtype=float).reshape(len(topics), -1)
    sums = [np.bincount(topics, column, minlength=num_topics) for column in columns.T]
    return np.stack(sums, axis=1) if sums else np.zeros((num_topics, 0))


def ratio(numerator: Floats, denominator: Floats) -> NDArray[np.float64]:
    """Returns the quotient; NaN where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(numerator, dtype=float) / denominator
    return np.where(np.asarray(denominator) == 0, np.nan, found)


def figure(name: str, values: Floats, topics: Floats, reason: str = "") -> Figure:
    """Returns a figure from its point value, which comes first, and its resamples.

    Where the figure is undefined in some resamples, the interval is over the others. There is no
    interval if all that it rests on is of one topic.

    Args:
        topics: the topic of each question or report that it rests on.
        reason: why the value is undefined, if it is.
    """
    num = len(topics)
    point, resamples = float(values[0]), np.asarray(values)[1:]
    if np.isnan(point):
        return Figure(name, None, num=num, reason=reason)
    defined = resamples[~np.isnan(resamples)]
    if not len(defined) or np.ptp(topics) == 0:
        return Figure(name, point, num=num)
    tail = (1 - _LEVEL) / 2
    lower, upper = np.quantile(defined, [tail, 1 - tail])
    return Figure(name, point, float(lower), float(upper), num, len(defined))
