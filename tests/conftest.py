"""Two Hypothesis profiles: the same cases in every run of the tests; other ones in `make fuzz`."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.register_profile("fuzz", max_examples=1000, print_blob=True, deadline=None)
settings.load_profile("repeatable")
