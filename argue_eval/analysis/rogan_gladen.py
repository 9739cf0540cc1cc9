"""The share of yes that people would find, from a machine's share and how often it is right."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from scipy import special

from argue_eval.analysis.results import Figure
from argue_eval.analysis.significance import LEVEL


class Rate(NamedTuple):
    """A share, and how many independent units it was found on. That need be no whole number."""

    share: float
    num: float


def correct(machine: Rate, sensitivity: Rate, specificity: Rate, level: float = LEVEL) -> Figure:
    """Corrects a machine's share of yes by its sensitivity and specificity.

    The interval covers the sampling of all three. It assumes that the machine is right as often on
    the units that are counted as on those on which this was measured.

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
    power = sensitivity.share + specificity.share - 1
    if power <= 0:
        reason = "the machine is no better than chance: sensitivity + specificity is not above 1"
        return Figure("rogan_gladen", None, num=round(machine.num), reason=reason)
    z = float(special.ndtri(1 - level / 2))
    share = _smoothed(machine, z * z / 2)
    yes, no = _smoothed(sensitivity, 1.0), _smoothed(specificity, 1.0)
    point = (share.share + no.share - 1) / (yes.share + no.share - 1)
    of_yes, of_no = _variance(yes), _variance(no)
    shift = 2 * z * z * (point * of_yes - (1 - point) * of_no)
    spread = _variance(share) + (1 - point) ** 2 * of_no + point**2 * of_yes
    reach = z * sqrt(spread) / (yes.share + no.share - 1)
    return Figure(
        "rogan_gladen",
        _within((machine.share + specificity.share - 1) / power),
        _within(point + shift - reach),
        _within(point + shift + reach),
        num=round(machine.num),
    )


def _smoothed(rate: Rate, each: float) -> Rate:
    """The rate with so many more units of either kind."""
    num = rate.num + 2 * each
    return Rate((rate.num * rate.share + each) / num, num)


def _variance(rate: Rate) -> float:
    return rate.share * (1 - rate.share) / rate.num


def _within(share: float) -> float:
    return min(max(share, 0.0), 1.0)
