"""The package of a third party, built and installed once into a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.documented import ROOT

collect_ignore = ["package"]

PACKAGE = Path(__file__).parent / "package"

Ran = subprocess.CompletedProcess[str]
Python = Callable[..., Ran]


def run_python(*words: str, paths: tuple[Path, ...], folder: Path) -> Ran:
    """Runs Python in a folder with some folders of packages."""
    path = os.pathsep.join([*map(str, paths), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, env=env, cwd=folder, check=False
    )


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed package."""
    source = tmp_path_factory.mktemp("package") / "source"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path_factory.mktemp("site")
    offline = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    words = ("-m", "pip", "install", "--quiet", *offline, "--target", str(folder), str(source))
    done = run_python(*words, paths=(), folder=source)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def python(site: Path, tmp_path: Path) -> Python:
    """Runs Python with the package installed, in a folder with the files of the essays."""
    from tests.plugins.files import write

    write(tmp_path)
    return lambda *words: run_python(*words, paths=(site, ROOT), folder=tmp_path)


@pytest.fixture
def argue_eval(python: Python) -> Python:
    """Runs a command line, given as one text, and expects a code."""

    def command(line: str, code: int = 0) -> Ran:
        done = python("-m", "argue_eval", *line.split())
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return command
