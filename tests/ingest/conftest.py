from pathlib import Path

import pytest

from tests.ingest.taking import Taking


@pytest.fixture
def taking(tmp_path: Path) -> Taking:
    return Taking(tmp_path)
