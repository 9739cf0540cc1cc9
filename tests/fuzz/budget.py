"""How many cases there are: a command that is run once on a strange file is one case."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import HealthCheck, settings

NUM_CASES = 10_000
"""In the tests; ten times as many in the profile ``fuzz``."""

HUNDREDS = {
    "one value": 45,
    "several values": 22,
    "any values": 6,
    "damaged": 22,
    "any bytes": 2,
    "texts": 3,
}
"""The share of each test, in hundreds of cases."""

is_fuzzing = settings.default is not None and settings.default.max_examples >= 1000


def few(number: int) -> settings:
    """The settings of a test whose cases take long."""
    return _settings(number * (20 if is_fuzzing else 1))


def cases(share: str) -> settings:
    """The settings of a test: how many cases, and how long each may take."""
    return _settings(HUNDREDS[share] * (1000 if is_fuzzing else 100))


def _settings(number: int) -> settings:
    return settings(
        max_examples=number,
        deadline=timedelta(seconds=20),
        derandomize=not is_fuzzing,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
