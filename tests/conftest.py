"""Two Hypothesis profiles: the same cases in every run of the tests; other ones in `make fuzz`.

And models that are made once for all tests.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tests.tiny_models import tiny_nli

settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.register_profile("fuzz", max_examples=1000, print_blob=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def nli_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained NLI classifier; see `tests.tiny_models`. Copy it before you change it."""
    return tiny_nli(tmp_path_factory.mktemp("models") / "tiny-nli")
