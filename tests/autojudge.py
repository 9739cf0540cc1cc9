"""The packages of TREC AutoJudge, each run in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs Python with some arguments in a folder, and returns what came of it."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=_environment(folder),
        capture_output=True,
        text=True,
        timeout=300,
    )


def result(program: str, folder: Path) -> Any:
    """What a program prints as its last line, which is JSON."""
    ran = run(["-c", program], folder)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


def _environment(folder: Path) -> dict[str, str]:
    """Gives autojudge-base the word lists that it downloads when it is imported.

    Nothing that the tests run reads them.
    """
    data = folder / ".nltk"
    (data / "tokenizers" / "punkt").mkdir(parents=True, exist_ok=True)
    (data / "corpora" / "stopwords").mkdir(parents=True, exist_ok=True)
    (data / "corpora" / "stopwords" / "english").write_text("the\n")
    return {**os.environ, "NLTK_DATA": str(data), "PYTHONPATH": os.pathsep.join(sys.path)}
