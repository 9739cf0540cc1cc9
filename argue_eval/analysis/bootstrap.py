"""Bootstrap intervals over topics: a topic is resampled with everything that belongs to it.

A figure is computed for many weightings of the topics at once. The first weighting counts every
topic once, so that the point value and its resamples come from the same code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from argue_eval.analysis.results import Figure

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats = Any
"""An array of numbers. NaN stands for undefined and never leaves this room."""

SEED = 20240714
FEW_TOPICS = 10
MAX_CELLS = 4_000_000
"""Cells of the largest array that is computed at once."""

_LEVEL = 0.95
_MAX_KEPT = 100_000_000


class Draws:
    """How often each topic counts: once in the first weighting, as drawn in all others.

    The draws are the same on every machine, since numpy guarantees the stream of `RandomState`.
    They are kept as bytes; if there are more than `max_kept`, they are drawn again for every use.

    Attributes:
        num: number of weightings, which is one more than resamples.
    """

    def __init__(
        self,
        num_topics: int,
        num_resamples: int,
        *,
        seed: int = SEED,
        max_cells: int = MAX_CELLS,
        max_kept: int = _MAX_KEPT,
    ) -> None:
        self.num_topics = num_topics
        self.num = 1 + num_resamples
        self._seed = seed
        self._num_rows = max(1, max_cells // num_topics)
        is_kept = self.num * num_topics <= max_kept
        self._kept = list(self._drawn()) if is_kept else None

    def blocks(self) -> Iterator[Floats]:
        """Yields the weightings, some rows at a time, with one column per topic."""
        yield np.ones((1, self.num_topics))
        for counts in self._drawn() if self._kept is None else self._kept:
            yield counts.astype(float)

    def sums(self, table: Floats) -> Floats:
        """Sums a table of values by topic for each weighting: (num, columns of the table)."""
        return np.concatenate([block @ table for block in self.blocks()])

    def sums_of(self, topics: Floats, *columns: Floats) -> Floats:
        """Sums values that are each of a topic for each weighting: (num, columns)."""
        table = [np.bincount(topics, each, self.num_topics) for each in columns]
        return self.sums(np.stack(table, axis=1))

    def _drawn(self) -> Iterator[Floats]:
        stream = np.random.RandomState(self._seed)
        for start in range(1, self.num, self._num_rows):
            size = min(self._num_rows, self.num - start)
            drawn = (stream.random_sample((size, self.num_topics)) * self.num_topics).astype(int)
            drawn += np.arange(size)[:, None] * self.num_topics
            counts = np.bincount(drawn.ravel(), minlength=size * self.num_topics)
            # A hardware failure is likelier than a topic that is drawn 256 times.
            yield counts.reshape(size, self.num_topics).astype(np.uint8)


def ratio(numerator: Floats, denominator: Floats) -> NDArray[np.float64]:
    """Divides; NaN where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(numerator, dtype=float) / denominator
    return np.where(np.asarray(denominator) == 0, np.nan, found)


def figure(name: str, values: Floats, topics: Floats, reason: str = "") -> Figure:
    """Makes a figure of its point value, which comes first, and its resamples.

    The interval covers the resamples in which the figure is defined. A figure that rests on one
    topic has no interval.

    Args:
        topics: the topic of each question or report behind the figure.
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
    return Figure(
        name, point, lower=float(lower), upper=float(upper), num=num, num_resamples=len(defined)
    )
