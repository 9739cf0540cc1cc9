from pathlib import Path

import pytest

from tests.formats.reading import Reading


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    """A folder to write input into, and what was warned of on reading it."""
    return Reading(tmp_path)
