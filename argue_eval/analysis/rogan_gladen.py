"""The share of yes that people would find, from a machine's share and how often it is right."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy import special

from argue_eval.analysis.results import Figure
from argue_eval.analysis.significance import LEVEL

_NEARLY = 1e-12


class Rate(NamedTuple):
    """A share, and how many independent units it was found on. That need be no whole number."""

    share: float
    num: float


def correct(machine: Rate, sensitivity: Rate, specificity: Rate, level: float = LEVEL) -> Figure:
    """Corrects a machine's share of yes by its sensitivity and specificity.

    The interval covers the sampling of all three. It assumes that the machine is right as often on
    the units that are counted as on those on which this was measured.

    Of a machine that may be no better than chance there is no value, and an interval of all shares
    that are possible: mostly all from 0 to 1.

    Args:
        machine: its share of yes among the units that are counted.
        sensitivity: its share of yes where people say yes.
        specificity: its share of no where people say no.

    Source: Rogan, Gladen: Estimating prevalence from the results of a screening test (1978); Lee
        et al.: How to correctly report LLM-as-a-judge evaluations (2025).

    >>> found = correct(Rate(0.7, 1000), Rate(0.9, 200), Rate(0.85, 200))
    >>> [round(each, 4) for each in (found.value, found.lower, found.upper)]
    [0.7333, 0.677, 0.7955]
    """
    z = float(special.ndtri(1 - level / 2))
    share = _smoothed(machine, z * z / 2)
    yes, no = _smoothed(sensitivity, 1.0), _smoothed(specificity, 1.0)
    of_yes, of_no = _variance(yes), _variance(no)
    power = yes.share + no.share - 1
    if power <= z * sqrt(of_yes + of_no):
        reason = "by what is assessed, the machine may be no better than chance"
        lower, upper = _possible(share, yes, no, z) or (None, None)
        num = round(machine.num)
        return Figure("rogan_gladen", None, lower, upper, num=num, reason=reason)
    point = (share.share + no.share - 1) / power
    shift = 2 * z * z * (point * of_yes - (1 - point) * of_no)
    spread = _variance(share) + (1 - point) ** 2 * of_no + point**2 * of_yes
    reach = z * sqrt(spread) / power
    return Figure(
        "rogan_gladen",
        _within(
            (machine.share + specificity.share - 1) / (sensitivity.share + specificity.share - 1)
        ),
        _within(point + shift - reach),
        _within(point + shift + reach),
        num=round(machine.num),
    )


def _possible(share: Rate, yes: Rate, no: Rate, z: float) -> tuple[float, float] | None:
    """The lowest and highest share of yes that the rates allow; None if they allow none.

    A share s is allowed if |share + no - 1 - s (yes + no - 1)| is at most z standard errors: a
    quadratic in s.

    Source: Fieller: Some problems in interval estimation (1954).
    """
    above, power = share.share + no.share - 1, yes.share + no.share - 1
    of_no = _variance(no)
    square = power**2 - z * z * (of_no + _variance(yes))
    linear = 2 * (z * z * of_no - above * power)
    constant = above**2 - z * z * (_variance(share) + of_no)
    roots = np.roots([square, linear, constant])
    ends = [0.0, *(each.real for each in roots if not each.imag and 0 < each.real < 1), 1.0]
    allowed = [s for s in ends if square * s * s + linear * s + constant <= _NEARLY]
    return (float(min(allowed)), float(max(allowed))) if allowed else None


def _smoothed(rate: Rate, each: float) -> Rate:
    """The rate with so many more units of either kind."""
    num = rate.num + 2 * each
    return Rate((rate.num * rate.share + each) / num, num)


def _variance(rate: Rate) -> float:
    return rate.share * (1 - rate.share) / rate.num


def _within(share: float) -> float:
    return min(max(share, 0.0), 1.0)
