"""How many cases there are: a command that is run once on a strange file is one case."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import HealthCheck, settings

NUM_CASES = 4_000
"""In the tests; 100,000 in the profile ``fuzz``."""

HUNDREDTHS = {
    "one value": 45,
    "several values": 22,
    "any values": 6,
    "damaged": 22,
    "any bytes": 2,
    "texts": 3,
}
"""The share of each test, in hundredths of the cases."""

is_fuzzing = settings.default is not None and settings.default.max_examples >= 1000
_HUNDREDTH = 1_000 if is_fuzzing else NUM_CASES // 100


def few(number: int) -> settings:
    """The settings of a test whose cases take long."""
    return _settings(number * (20 if is_fuzzing else 1))


def cases(share: str) -> settings:
    """The settings of a test: how many cases, and how long each may take."""
    return _settings(number_of(share))


def number_of(share: str) -> int:
    """How many cases a test has."""
    return HUNDREDTHS[share] * _HUNDREDTH


def _settings(number: int) -> settings:
    return settings(
        max_examples=number,
        deadline=timedelta(seconds=20),
        derandomize=not is_fuzzing,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
