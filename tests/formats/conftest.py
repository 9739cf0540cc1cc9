import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.formats.datasets import Dataset
from tests.formats.reading import Reading


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    """A folder to write input into, and what was warned of on reading it."""
    return Reading(tmp_path)


@pytest.fixture
def datasets(monkeypatch: pytest.MonkeyPatch) -> dict[str, Dataset]:
    """Data sets by name, in place of those of ir_datasets."""
    ids = [f"shard_{number}" for number in (12345, 67890, 99999)]
    known = {name: Dataset(*ids, count=count) for name, count in COUNTS.items()}
    module = ModuleType("ir_datasets")
    module.load = known.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", module)
    return known


COUNTS = {"large": 9_000_000, "unknown": None, "small": 3}
