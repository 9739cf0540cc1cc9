"""What other nuggets do to the scores of runs: which values change, and which ranks move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from argue_eval.analysis.leaderboard import possible_ranks
from argue_eval.analysis.systems import DIGITS
from argue_eval.errors import check_names
from argue_eval.measures import is_loss
from argue_eval.records import MeasureValue, ScoreTable


class Rank(NamedTuple):
    """The best and the worst rank that a run can have, whatever is unjudged."""

    best: int
    worst: int

    def __str__(self) -> str:
        return f"{self.best:,}" if self.best == self.worst else f"{self.best:,}–{self.worst:,}"


class Moved(NamedTuple):
    """A run's value and rank with the old nuggets and with the new ones."""

    run_id: str
    old: MeasureValue
    new: MeasureValue
    old_rank: Rank
    new_rank: Rank

    @property
    def has_moved(self) -> bool:
        """Whether the rank is another, or may be."""
        return self.old_rank != self.new_rank


class Effect(NamedTuple):
    """What other nuggets do to the scores of runs.

    Attributes:
        runs: in the order of the old values, the best first.
        kendall_tau: of the two rankings; None with fewer than two runs, with all tied on a side,
            or where unjudged units leave a value open.
    """

    measure: str
    runs: tuple[Moved, ...]
    kendall_tau: float | None

    @property
    def is_open(self) -> bool:
        """Whether unjudged units leave a value open."""
        return any(run.old.value is None or run.new.value is None for run in self.runs)


def effect(
    old: Mapping[str, ScoreTable], new: Mapping[str, ScoreTable], measure: str | None = None
) -> Effect:
    """Compares the scores of the same runs with old and new nuggets.

    Args:
        measure: by default the first measure.

    Raises:
        UsageError: there is no such measure.
    """
    names = [row.measure for table in old.values() for row in table.averages()]
    chosen = measure or names[0]
    check_names("measure", [chosen], dict.fromkeys(names))
    values = {run: (table.row(chosen), new[run].row(chosen)) for run, table in old.items()}
    sign = -1.0 if is_loss(chosen) else 1.0
    ranks = [_ranks([pair[side] for pair in values.values()], sign) for side in (0, 1)]
    runs = [
        Moved(run_id, *pair, *places)
        for (run_id, pair), *places in zip(values.items(), *ranks, strict=True)
    ]
    runs.sort(key=lambda run: (run.old_rank, run.run_id))
    return Effect(chosen, tuple(runs), _tau(runs))


def _ranks(rows: Sequence[MeasureValue], sign: float) -> list[Rank]:
    """Ranks from 1; equal values share the better one. An open value has a range of ranks."""
    bounds = [
        sorted(
            round(sign * end, DIGITS)
            for end in ((row.lower, row.upper) if row.value is None else (row.value, row.value))
        )
        for row in rows
    ]
    return [Rank(*each) for each in possible_ranks(bounds)]


def _tau(runs: Sequence[Moved]) -> float | None:
    import numpy as np

    from argue_eval.analysis.ranking import kendall_tau

    values = [(run.old.value, run.new.value) for run in runs]
    if len(runs) < 2 or any(None in pair for pair in values):
        return None
    table = np.round(np.array(values, dtype=float).T, DIGITS)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = float(kendall_tau(table[0][None], table[1][None])[0])
    return None if np.isnan(found) else found
