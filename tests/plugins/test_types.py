"""A type checker finds that every plug-in, built in or of the package, has what its family says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documented import ROOT
from tests.plugins.conftest import Ran, run_python

TYPES = {
    "judges/clients/*.py": "judges.clients.ClientPlugin",
    "judges/*/judge.py": "judges.JudgePlugin",
    "measures/families/*.py": "measures.MeasureFamily",
    "measures/protocols/*.py": "measures.protocols.ProtocolPlugin",
    "report/tables/*.py": "report.tables.TableView",
    "report/findings/*.py": "report.findings.FindingsView",
    "formats/documents/*.py": "formats.plugins.DocumentFormat",
    "formats/judgments/*.py": "formats.plugins.JudgmentFormat",
    "formats/nuggets/*.py": "formats.plugins.NuggetFormat",
    "formats/requests/*.py": "formats.plugins.RequestFormat",
    "formats/runs/*.py": "formats.plugins.RunFormat",
}
NOT_OF_FILES = "irds.py"
"""It is listed among the formats of documents and read from somewhere else."""


def _mypy(*words: str, paths: tuple[Path, ...] = ()) -> Ran:
    pytest.importorskip("mypy", reason="mypy is not installed")
    return run_python("-m", "mypy", "--strict", *words, paths=(*paths, ROOT), folder=ROOT)


def test_the_package_passes_mypy_strict(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYPYPATH", str(site))
    done = _mypy("-p", "essays")
    assert done.returncode == 0, done.stdout


def test_built_in_modules_have_the_types_of_their_families(tmp_path: Path) -> None:
    lines = []
    for pattern, type_ in TYPES.items():
        room, _, name = f"argue_eval.{type_}".rpartition(".")
        lines.append(f"from {room} import {name}\n")
        for file in sorted((ROOT / "argue_eval").glob(pattern)):
            if not file.name.startswith("_") and file.name != NOT_OF_FILES:
                folder = ".".join(file.parent.relative_to(ROOT).parts)
                made = f"_{len(lines)}"
                lines.append(
                    f"from {folder} import {file.stem} as {made}m\n{made}: {name} = {made}m\n"
                )
    assert len(lines) > 40
    file = tmp_path / "built_in.py"
    file.write_text("".join(lines), encoding="utf-8")
    done = _mypy(str(file))
    assert done.returncode == 0, done.stdout
