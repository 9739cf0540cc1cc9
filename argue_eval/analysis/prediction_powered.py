"""Prediction-powered inference: a few people's assessments, and a machine's judgments of all units.

What people say of the assessed units is corrected by how the machine's mean over the other units
differs from its mean over the assessed ones, as far as both agree where both judged. The result
is right on average however biased the machine is: it makes the interval narrower, or leaves it.

Source: Angelopoulos, Duchi, Zrnic: PPI++: Efficient prediction-powered inference (2023). Different
    here: topics are clusters, the weight is shrunk as far as it is uncertain, and intervals use
    Student's t, since the assessed topics are few.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from argue_eval.analysis.bootstrap import Floats
from argue_eval.analysis.results import Figure
from argue_eval.analysis.significance import LEVEL

MIN_TOPICS = 5
"""With fewer assessed topics, how far people and machine agree cannot be estimated."""

_STEP = 2.0**-20
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
) -> Corrected:
    """Estimates a measure from people's assessments and a machine's judgments.

    Args:
        value: of the mean statistics; None for the mean itself, of a single statistic.
        weight: that of the machine, if it shall not be chosen from the data. 1 is the plain
            prediction-powered estimate.
    """
    value = value or _only
    total = assessed.weights.sum()
    share = assessed.weights / total
    num_topics = len(np.unique(assessed.topics))
    by_people = assessed.weights @ assessed.people / total
    slopes = _gradient(value, by_people)
    alone = value(by_people)
    if alone is None or slopes is None:
        undefined = Figure("people", None, num=len(share), reason="undefined for what is assessed")
        return Corrected(undefined, undefined._replace(name="corrected"), 0.0, num_topics)
    by_machine = assessed.weights @ assessed.machine / total
    by_machine_of_all = judged.machine.mean(0) if len(judged.machine) else by_machine
    spread = _Spread(
        (assessed.people - by_people) @ slopes,
        (assessed.machine - by_machine) @ slopes,
        (judged.machine - by_machine_of_all) @ slopes,
    )
    people = _figure("people", alone, _error(spread, share, assessed, judged, _ALONE), level)
    tuned = _ALONE
    if weight is not None:
        tuned = _Tuned(weight)
    elif num_topics >= MIN_TOPICS and (not judged.is_rest or len(np.unique(judged.topics)) > 1):
        tuned = _tune(spread, share, judged)
    point = value(by_people + tuned.weight * (by_machine_of_all - by_machine))
    found = _figure("corrected", point, _error(spread, share, assessed, judged, tuned), level)
    found = found._replace(num=len(share))
    if num_topics < MIN_TOPICS and weight is None:
        reason = f"fewer than {MIN_TOPICS} topics with assessments"
        found = Figure("corrected", None, num=len(share), reason=reason)
    return Corrected(people._replace(num=len(share)), found, tuned.weight, num_topics)


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


def _error(
    spread: _Spread, share: Floats, assessed: Assessed, judged: Judged, tuned: _Tuned
) -> tuple[float, float]:
    """The standard error of the value, and its degrees of freedom; NaN if it has none."""
    size = 1 + int(max(assessed.topics.max(initial=0), judged.topics.max(initial=0)))
    is_inside = np.bincount(assessed.topics, minlength=size) > 0
    is_outside = ~is_inside & (np.bincount(judged.topics, minlength=size) > 0)
    num, num_outside = int(is_inside.sum()), int(is_outside.sum())
    spent = tuned.kept * min(num * (share @ share), 1.0)
    free = num - 1 - spent
    left = spread.people - tuned.weight * spread.machine
    others = tuned.weight * spread.judged / max(len(spread.judged), 1)
    apart = np.bincount(assessed.topics, share * left, size) + np.bincount(
        judged.topics, others, size
    )
    if num < 2 or apart @ apart <= _NEGLIGIBLE:
        return np.nan, np.nan
    inside = (apart[is_inside] ** 2).sum() * num / free
    if spent:
        rest = len(spread.judged) / (len(spread.judged) + len(share)) if judged.is_rest else 1.0
        inside *= 1 + spent * rest / (num - 3)
    if num_outside < 2:
        return float(np.sqrt(inside)), free
    outside = (apart[is_outside] ** 2).sum() * num_outside / (num_outside - 1)
    total = inside + outside
    # As Welch and Satterthwaite: the part that is known less well counts more.
    doubt = 1 / (num_outside - 1) + 4 * tuned.doubt
    joined = total**2 / (inside**2 / free + outside**2 * doubt)
    return float(np.sqrt(total)), float(max(joined, free))


def _figure(name: str, value: float | None, error: tuple[float, float], level: float) -> Figure:
    """The value with Student's interval; without one where nothing varies."""
    size, free = error
    if value is None or np.isnan(size):
        reason = "" if value is not None else "undefined"
        return Figure(name, None if value is None else float(value), reason=reason)
    reach = float(special.stdtrit(free, 1 - level / 2)) * size
    return Figure(name, float(value), value - reach, value + reach)


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
