"""Formats of other packages, installed by an entry point."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documented import ROOT

_MODULE = """
\"\"\"Lines of `theme` and `wanted` (a format of somebody else).\"\"\"

from argue_eval.records import ReportRequest

SHAPES = [("theme", "wanted")]


def read(values, check):
    for value in values:
        check.new_topic(value["theme"], ())
        yield ReportRequest(topic_id=value["theme"], problem_statement=value["wanted"])


def encode(request):
    return {"theme": request.topic_id, "wanted": request.problem_statement}
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with an installed package that has a format of requests."""
    folder = tmp_path / "site"
    metadata = folder / "themes-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "themes.py").write_text(_MODULE.lstrip(), encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: themes\nVersion: 1.0\n")
    points = "[argue_eval.formats.requests]\nthemes = themes\n"
    (metadata / "entry_points.txt").write_text(points)
    return folder


def _run(package: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(package), str(ROOT), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "argue_eval", *words]
    env = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


@pytest.mark.parametrize("options", [[], ["--kind", "requests", "--form", "themes"]])
def test_an_installed_format_is_read_by_its_content_or_name(
    package: Path, tmp_path: Path, options: list[str]
) -> None:
    source = tmp_path / "themes.jsonl"
    source.write_text('{"theme": "7", "wanted": "Who built it?"}\n', encoding="utf-8")
    ran = _run(package, "ingest", "requests", str(source), "-o", "-", *options[2:])
    assert (ran.returncode, ran.stdout[:18]) == (0, '{"topic_id":"7","t')


def test_an_installed_format_is_written_and_listed(package: Path) -> None:
    topics = str(ROOT / "topics" / "example.jsonl")
    ran = _run(package, "convert", topics, "--to", "themes", "--lossy")
    assert (ran.returncode, ran.stdout[:20]) == (0, '{"theme":"ex1","want')
    listed = _run(package, "list", "formats").stdout
    assert "themes     read, written  Lines of" in listed
