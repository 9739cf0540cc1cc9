"""The small track in the working directory, and the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import argue_eval, stdin
from tests.curation import track
from tests.curation.haystacks import topics

__all__ = ["argue_eval", "stdin", "topics"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The track's folder, which is the working directory."""
    track.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
