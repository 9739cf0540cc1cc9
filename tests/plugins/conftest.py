"""The package of a third party, built and installed once into a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.documented import ROOT
from tests.plugins.files import install, write

collect_ignore = ["package"]

PACKAGE = Path(__file__).parent / "package"

Ran = subprocess.CompletedProcess[str]
Python = Callable[..., Ran]
Installed = Callable[..., str]


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
    write(tmp_path)
    return lambda *words: run_python(*words, paths=(site, ROOT), folder=tmp_path)


_SERVING = """
import contextlib, io, json, os, sys
from argue_eval.cli import app

for line in sys.stdin:
    folder, words = json.loads(line)
    os.chdir(folder)
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in "oe")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = app.run(words)
    told = []
    for each in (out, err):
        each.seek(0)
        told.append(each.read())
    print(json.dumps([code, *told]), flush=True)
"""


@pytest.fixture(scope="session")
def _served(site: Path) -> Iterator[subprocess.Popen[str]]:
    """A Python with the package installed, which runs one command line after the other."""
    path = os.pathsep.join([str(site), str(ROOT), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        [sys.executable, "-c", _SERVING],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": path},
    ) as process:  # fmt: skip
        yield process


@pytest.fixture
def argue_eval(_served: subprocess.Popen[str], tmp_path: Path) -> Python:
    """Runs a command line, given as one text, with the essays, and expects a code."""
    write(tmp_path)

    def command(line: str, code: int = 0) -> Ran:
        assert _served.stdin
        assert _served.stdout
        print(json.dumps([str(tmp_path), line.split()]), file=_served.stdin, flush=True)
        done = Ran(line, *json.loads(_served.stdout.readline()))
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return command


@pytest.fixture
def installed(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Installed:
    """Installs a module, given as text, as a plug-in of some families; returns its name, which
    stands for NAME in the text.
    """

    def install_text(text: str | None, *families: str) -> str:
        name = f"other{abs(hash(request.node.name))}"
        install(tmp_path, name, text and text.replace("NAME", name), *families)
        monkeypatch.syspath_prepend(tmp_path)
        return name

    return install_text
