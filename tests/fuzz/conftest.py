"""The profile ``fuzz``: ten times the cases, others in each run. See ``make fuzz``."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("fuzz", max_examples=1000, print_blob=True)
