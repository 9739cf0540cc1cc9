"""How many cases there are: a file that is read once is one case."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import HealthCheck, settings

NUM_CASES = 10_000
"""In the tests; ten times as many in the profile ``fuzz``."""

HUNDREDS = {
    "run-like values": 29,
    "any values": 9,
    "damaged runs": 23,
    "any bytes": 5,
    "like the inputs": 18,
    "damaged inputs": 12,
    "texts": 3,
    "references": 1,
}
"""The share of each test, in hundreds of cases."""

_is_fuzzing = settings.default is not None and settings.default.max_examples >= 1000


def few(number: int) -> settings:
    """The settings of a test whose cases take long."""
    return settings(
        max_examples=number * (20 if _is_fuzzing else 1),
        deadline=timedelta(seconds=20),
        derandomize=not _is_fuzzing,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def cases(share: str) -> settings:
    """The settings of a test: how many cases, and how long each may take."""
    return settings(
        max_examples=HUNDREDS[share] * (1000 if _is_fuzzing else 100),
        deadline=timedelta(seconds=10),
        derandomize=not _is_fuzzing,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
