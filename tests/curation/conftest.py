"""The small track in the working directory, and the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.curation import track
from tests.curation.haystacks import topics

__all__ = ["topics"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The track's folder, which is the working directory."""
    track.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
