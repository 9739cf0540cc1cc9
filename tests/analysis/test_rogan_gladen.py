"""A share corrected by sensitivity and specificity: as published, and right as often as said."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from argue_eval.analysis.rogan_gladen import Rate, correct


def test_equals_the_published_example() -> None:
    found = correct(Rate(0.7, 1000), Rate(0.9, 200), Rate(0.85, 200))
    assert found[1:4] == pytest.approx((0.7333, 0.6770, 0.7955), abs=5e-5)


def test_follows_its_definition() -> None:
    z, (n, of_yes, of_no) = 1.959963984540054, (300, 40, 60)
    p, q1, q0 = (0.4 * n + z * z / 2) / (n + z * z), (0.8 * 40 + 1) / 42, (0.95 * 60 + 1) / 62
    point = (p + q0 - 1) / (q0 + q1 - 1)
    shift = 2 * z**2 * (point * q1 * (1 - q1) / 42 - (1 - point) * q0 * (1 - q0) / 62)
    error = sqrt(
        p * (1 - p) / (n + z * z)
        + (1 - point) ** 2 * q0 * (1 - q0) / 62
        + point**2 * q1 * (1 - q1) / 42
    ) / (q0 + q1 - 1)
    found = correct(Rate(0.4, n), Rate(0.8, of_yes), Rate(0.95, of_no))
    expected = (0.4 + 0.95 - 1) / 0.75, point + shift - z * error, point + shift + z * error
    assert found[1:4] == pytest.approx(expected, abs=1e-9)


def test_a_perfect_machine_is_corrected_by_nothing() -> None:
    found = correct(Rate(0.3, 1000), Rate(1.0, 10_000), Rate(1.0, 10_000))
    assert found.value == pytest.approx(0.3)
    assert (found.upper or 0) - (found.lower or 0) == pytest.approx(0.057, abs=0.002)


@pytest.mark.parametrize("specificity", [0.6, 0.5, 0.2])
def test_a_machine_that_may_be_no_better_than_chance_has_no_value(specificity: float) -> None:
    found = correct(Rate(0.45, 100), Rate(0.5, 50), Rate(specificity, 50))
    assert found.value is None
    assert "no better than chance" in found.reason


@pytest.mark.parametrize(
    "rates", [(0.5, 0.5, 0.5), (0.9, 0.5, 0.6), (0.62, 0.5, 0.6), (0.1, 0.4, 0.5)]
)
def test_interval_without_a_value_holds_the_shares_that_the_rates_allow(
    rates: tuple[float, float, float],
) -> None:
    """Fieller's definition, share by share."""
    z = 1.959963984540054
    machine, sensitivity, specificity = (Rate(each, 60) for each in rates)
    p = (machine.share * 60 + z * z / 2) / (60 + z * z)
    q1, q0 = ((each.share * 60 + 1) / 62 for each in (sensitivity, specificity))
    of_p, of_q1, of_q0 = p * (1 - p) / (60 + z * z), q1 * (1 - q1) / 62, q0 * (1 - q0) / 62
    shares = np.linspace(0, 1, 100_001)
    off = p - (1 - q0) - shares * (q1 + q0 - 1)
    allowed = shares[off**2 <= z**2 * (of_p + (1 - shares) ** 2 * of_q0 + shares**2 * of_q1)]
    found = correct(machine, sensitivity, specificity)
    assert found.value is None
    expected = (allowed.min(), allowed.max()) if len(allowed) else (None, None)
    assert (found.lower, found.upper) == pytest.approx(expected, abs=2e-5)


def test_a_share_stays_one() -> None:
    found = correct(Rate(0.99, 100), Rate(0.9, 50), Rate(0.6, 50))
    assert (found.value, found.upper) == (1.0, 1.0)
    found = correct(Rate(0.01, 100), Rate(0.9, 50), Rate(0.9, 50))
    assert (found.value, found.lower) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("truth", "right"),
    [(0.2, (0.9, 0.7)), (0.7, (0.85, 0.9)), (0.3, (0.5, 0.5)), (0.6, (0.6, 0.5))],
)
def test_intervals_cover_the_truth(truth: float, right: tuple[float, float]) -> None:
    rng = np.random.RandomState(6)
    covered = 0
    for _ in range(1000):
        share = truth * right[0] + (1 - truth) * (1 - right[1])
        machine, sensitivity, specificity = (
            Rate(rng.binomial(num, each) / num, num)
            for num, each in ((500, share), (100, right[0]), (100, right[1]))
        )
        found = correct(machine, sensitivity, specificity)
        covered += found.lower is not None and found.lower <= truth <= (found.upper or 0.0)
    assert 0.93 <= covered / 1000 <= 0.975
