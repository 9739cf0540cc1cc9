"""Prediction-powered inference: a few people's assessments, and a machine's judgments of all units.

What people say of the assessed units is corrected by how the machine's mean over the other units
differs from its mean over the assessed ones, as far as both agree where both judged. The result
is right on average however biased the machine is: it makes the interval narrower, or leaves it.

Source: Angelopoulos, Duchi, Zrnic: PPI++: Efficient prediction-powered inference (2023). Different
    here: topics are clusters, the weight is shrunk as far as it is uncertain, and intervals are
    those of the bootstrap-t (Efron, Tibshirani: An introduction to the bootstrap, 1993, chapter
    12), since the assessed topics are few and scores are skewed; of fewer than ten topics, none
    is narrower than Student's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import special

from argue_eval.analysis.bootstrap import FEW_TOPICS, SEED, Draws, Floats, ratio
from argue_eval.analysis.results import Figure
from argue_eval.analysis.significance import LEVEL

MIN_TOPICS = 5
"""With fewer assessed topics, how far people and machine agree cannot be estimated."""

NUM_RESAMPLES = 1_999
MANY_TOPICS = 500
"""With more, Student's interval is as good as the bootstrap's, and takes no time."""

_LONGEST = 2.5
"""The longest arm of an interval, in those of Student's: resamples of few topics that are alike
have hardly any error, and anything seems far away in it."""

_WIDEST = 1.02
"""If the corrected interval is wider than this many times people's, theirs stands."""

_STEP = 2.0**-20
_STILL = 1e-12
_NEGLIGIBLE = 1e-18
"""Squares up to this are rounding errors."""

Value = Callable[[Floats], float | None]
"""From mean statistics to a measure's value; None if it is undefined."""


class Assessed(NamedTuple):
    """The units that people assessed.

    Attributes:
        people: statistics of each unit by their judgments, (units, statistics).
        machine: the same by the machine's.
        topics: the index of each unit's topic.
        weights: 1 / the probability with which each unit was drawn, or all equal.
    """

    people: Floats
    machine: Floats
    topics: Floats
    weights: Floats


class Judged(NamedTuple):
    """The units that the assessed ones stand for, as the machine judged them.

    Attributes:
        is_rest: they are those that nobody assessed; otherwise all, the assessed among them.
            There may be none left.
    """

    machine: Floats
    topics: Floats
    is_rest: bool


class Corrected(NamedTuple):
    """A value by people alone, and corrected.

    Attributes:
        weight: how far the machine counts, λ: 0 leaves what people say.
        num_topics: with an assessed unit.
    """

    people: Figure
    value: Figure
    weight: float
    num_topics: int


def correct(
    assessed: Assessed,
    judged: Judged,
    value: Value | None = None,
    level: float = LEVEL,
    weight: float | None = None,
    num_resamples: int = NUM_RESAMPLES,
) -> Corrected:
    """Estimates a measure from people's assessments and a machine's judgments.

    Args:
        value: of the mean statistics; None for the mean itself, of a single statistic.
        weight: that of the machine, if it shall not be chosen from the data. 1 is the plain
            prediction-powered estimate.
        num_resamples: of the topics; 0 for Student's interval.
    """
    value = value or _only
    total = assessed.weights.sum()
    share = assessed.weights / total
    num_topics = len(np.unique(assessed.topics))
    by_people = assessed.weights @ assessed.people / total
    slopes = _gradient(value, by_people)
    alone = value(by_people)
    if alone is None or slopes is None:
        undefined = _undefined("people", len(share), "undefined for what is assessed")
        return Corrected(undefined, undefined._replace(name="corrected"), 0.0, num_topics)
    by_machine = assessed.weights @ assessed.machine / total
    by_machine_of_all = judged.machine.mean(0) if len(judged.machine) else by_machine
    spread = _Spread(
        (assessed.people - by_people) @ slopes,
        (assessed.machine - by_machine) @ slopes,
        (judged.machine - by_machine_of_all) @ slopes,
    )
    parts = _Parts(spread, share, assessed, judged, level, num_resamples)
    people = parts.figure("people", alone, _ALONE)._replace(num=len(share))
    if num_topics < MIN_TOPICS and weight is None:
        reason = f"fewer than {MIN_TOPICS} topics with assessments"
        return Corrected(people, _undefined("corrected", people.num, reason), 0.0, num_topics)
    tuned = _ALONE if weight is None else _Tuned(weight)
    if weight is None and (not judged.is_rest or len(np.unique(judged.topics)) > 1):
        tuned = _tune(spread, share, judged)
    point = value(by_people + tuned.weight * (by_machine_of_all - by_machine))
    found = parts.figure("corrected", point, tuned)._replace(num=len(share))
    if weight is None and _width(found) > _WIDEST * _width(people):
        tuned, found = _ALONE, people._replace(name="corrected")
    return Corrected(people, found, tuned.weight, num_topics)


def _undefined(name: str, num: int, reason: str) -> Figure:
    return Figure(name, None, num=num, reason=reason)


def _width(figure: Figure) -> float:
    return 0.0 if figure.lower is None or figure.upper is None else figure.upper - figure.lower


class _Spread(NamedTuple):
    """How far each unit moves the value, about the mean: assessed units, and those judged."""

    people: Floats
    machine: Floats
    judged: Floats


class _Tuned(NamedTuple):
    """The machine's weight, and how uncertain it is.

    Attributes:
        kept: the part of the best weight that is left; 0 if it is not from the data.
        doubt: its squared relative error.
    """

    weight: float
    kept: float = 0.0
    doubt: float = 0.0


_ALONE = _Tuned(0.0)


def _tune(spread: _Spread, share: Floats, judged: Judged) -> _Tuned:
    """Chooses the weight that makes the interval narrowest, less where that is uncertain."""
    both = share @ (spread.people * spread.machine)
    of_people, of_machine = share @ spread.people**2, share @ spread.machine**2
    if both <= 0 or min(of_people, of_machine) <= _NEGLIGIBLE:
        return _ALONE
    num_units = max(1 / (share @ share), 3.0)
    squared = min(both**2 / (of_people * of_machine), 1.0)
    doubt = (1 - squared) / ((num_units - 2) * squared)
    kept = max(0.0, 1 - 2 * doubt)
    best = both / of_machine
    if judged.is_rest:
        best *= len(spread.judged) / (len(spread.judged) + len(share))
    return _Tuned(float(best * kept), float(kept), float(min(doubt, 1.0)))


class _Parts(NamedTuple):
    """What the interval of a value is made of; `level` and `num_resamples` as in `correct`."""

    spread: _Spread
    share: Floats
    assessed: Assessed
    judged: Judged
    level: float
    num_resamples: int

    def figure(self, name: str, value: float | None, tuned: _Tuned) -> Figure:
        """The value with its interval; without one where nothing varies."""
        inside, outside = self._topics(tuned)
        num, num_outside = len(inside), len(outside)
        if value is None or num < 2 or inside @ inside + outside @ outside <= _NEGLIGIBLE:
            reason = "" if value is not None else "undefined"
            return Figure(name, None if value is None else float(value), reason=reason)
        spent = tuned.kept * min(num * (self.share @ self.share), 1.0)
        free = num - 1 - spent
        squared = inside @ inside * num / free
        if spent:
            num_judged = len(self.spread.judged)
            is_rest = self.judged.is_rest
            unassessed = num_judged / (num_judged + len(self.share)) if is_rest else 1.0
            squared *= 1 + spent * unassessed / (num - 3)
        if num_outside > 1:
            apart = outside @ outside * num_outside / (num_outside - 1)
            # As Welch and Satterthwaite: the part that is known less well counts more.
            doubt = 1 / (num_outside - 1) + 4 * tuned.doubt
            joined = (squared + apart) ** 2 / (squared**2 / free + apart**2 * doubt)
            squared, free = squared + apart, max(joined, free)
        low, high = -_student(free, self.level), _student(free, self.level)
        if self.num_resamples and max(num, num_outside) <= MANY_TOPICS:
            low, high = self._tails([inside, outside] if num_outside > 1 else [inside], free)
        error = np.sqrt(squared)
        return Figure(name, float(value), float(value - high * error), float(value - low * error))

    def _tails(self, parts: Sequence[Floats], free: float) -> tuple[float, float]:
        """How many standard errors off the value may be, below and above, by the bootstrap."""
        num = len(parts[0])
        own = _student(num - 1, self.level)
        # The resamples do not know what was spent on the weight.
        usual = _student(min(free, num - 1), self.level)
        far = _deviations(parts, self.num_resamples, _LONGEST * own)
        low, high = np.quantile(far, [self.level / 2, 1 - self.level / 2]) * (usual / own)
        return (min(low, -usual), max(high, usual)) if num < FEW_TOPICS else (low, high)

    def _topics(self, tuned: _Tuned) -> tuple[Floats, Floats]:
        """How far each topic moves the value: those with assessed units, and the others."""
        topics, others = self.assessed.topics, self.judged.topics
        size = 1 + int(max(topics.max(initial=0), others.max(initial=0)))
        is_inside = np.bincount(topics, minlength=size) > 0
        is_outside = ~is_inside & (np.bincount(others, minlength=size) > 0)
        left = self.spread.people - tuned.weight * self.spread.machine
        right = tuned.weight * self.spread.judged / max(len(self.spread.judged), 1)
        moved = np.bincount(topics, self.share * left, size) + np.bincount(others, right, size)
        return moved[is_inside], moved[is_outside] if tuned.weight else moved[:0]


def _student(free: float, level: float) -> float:
    return float(special.stdtrit(free, 1 - level / 2))


def _deviations(parts: Sequence[Floats], num_resamples: int, most: float) -> Floats:
    """How far resamples of the topics are off, each in its own standard error, up to `most`.

    Args:
        parts: how far each topic moves the value; topics are resampled within their part.
    """
    moved, squared = np.zeros(num_resamples), np.zeros(num_resamples)
    for place, part in enumerate(parts):
        num, apart = len(part), part - part.mean()
        sums = _drawn(num, num_resamples, SEED + place).sums(np.stack([apart, apart**2], axis=1))
        moved += sums[1:, 0]
        squared += np.maximum(sums[1:, 1] - sums[1:, 0] ** 2 / num, 0.0) * num / (num - 1)
    is_still = np.abs(moved) <= _STILL * np.abs(np.concatenate(parts)).max()
    far = np.where(squared > 0, ratio(moved, np.sqrt(squared)), np.sign(moved) * most)
    return np.where(is_still, 0.0, np.clip(far, -most, most))


@cache
def _drawn(num: int, num_resamples: int, seed: int) -> Draws:
    return Draws(num, num_resamples, seed=seed)


def _only(means: Floats) -> float:
    return float(means[0])


def _gradient(value: Value, at: Floats) -> Floats | None:
    """How the value changes with each statistic; None where it is undefined nearby."""
    if value is _only:
        return np.ones(1)
    slopes = []
    for step in np.eye(len(at)) * _STEP:
        ends = value(at + step), value(at - step)
        if ends[0] is None or ends[1] is None:
            return None
        slopes.append((ends[0] - ends[1]) / (2 * _STEP))
    return np.array(slopes)
