from pathlib import Path

import pytest

from tests.cli.conftest import argue_eval as argue_eval
from tests.cli.conftest import stdin as stdin
from tests.ingest.taking import Taking


@pytest.fixture
def taking(tmp_path: Path) -> Taking:
    return Taking(tmp_path)
