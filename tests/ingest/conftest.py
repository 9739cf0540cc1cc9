from collections.abc import Callable
from pathlib import Path

import pytest

from argue_eval.cli import app
from tests.ingest.taking import Taking

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def taking(tmp_path: Path) -> Taking:
    return Taking(tmp_path)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs argue-eval; returns exit code, stdout and stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        code = app.run(words)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return run
