"""Measures and protocols of other packages, installed by entry points."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documented import ROOT

_LENGTHS = '''
"""How long sentences are (a protocol of somebody else)."""

from argue_eval.measures.protocols import ReportProtocol
from argue_eval.records import Grade, Verdict


class Lengths(ReportProtocol):
    def units(self, report):
        return report.sentences

    def step(self, unit, known):
        return Grade.certain("", Verdict.YES if len(unit.text) < 80 else Verdict.NO)


PROTOCOL_CLASS = Lengths
'''

_BREVITY = '''
"""Brevity (measures of somebody else).

Source: nowhere
"""

from argue_eval.measures import Measure
from argue_eval.measures.counting import bounds_of

PROTOCOL = "short_sentences"


def tally(evidence):
    grades = evidence.outcomes[PROTOCOL]
    short = sum(grade.verdict.value == "yes" for grade in grades)
    return bounds_of(lambda _: (short, len(grades)), {"sentence": len(grades)}, {})


def brevity(stats):
    """Short sentences.

    Numerator: sentences of less than 80 characters
    Denominator: sentences
    Empty: undefined
    Example: 1 / 2 = 0.5
    """
    return stats[0] / stats[1] if stats[1] else None


def f1(stats):
    """A name that is taken."""
    return 0.0


MEASURES = [Measure(brevity, unit="sentence"), Measure(f1, unit="sentence")]


def make(name):
    return Measure(named(name), unit="sentence") if name.startswith("below@") else None


def named(name):
    def value(stats):
        return 0.25

    value.__name__, value.__doc__ = name, brevity.__doc__
    return value


def require(measure):
    pass
'''

_POINTS = """
[argue_eval.measures]
concise = brevity
[argue_eval.protocols]
short_sentences = lengths
"""
SCORE = ("score", "runs/careful.jsonl", "qrels/example.json", "--judge", "none", "--allow-unjudged")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an installed package that has a protocol and a family of measures."""
    folder = tmp_path_factory.mktemp("site")
    metadata = folder / "brevity-1.0.dist-info"
    metadata.mkdir()
    (folder / "lengths.py").write_text(_LENGTHS.lstrip(), encoding="utf-8")
    (folder / "brevity.py").write_text(_BREVITY.lstrip(), encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: brevity\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(_POINTS)
    return folder


def _run(package: Path, *words: str) -> str:
    path = os.pathsep.join([str(package), str(ROOT), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "argue_eval", *words]
    env = {**os.environ, "PYTHONPATH": path}
    ran = subprocess.run(command, capture_output=True, text=True, env=env, check=False, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def _measured(package: Path, *options: str) -> list[str]:
    lines = _run(package, *SCORE, *options).splitlines()
    return [line.split()[0] for line in lines if line.split("\t")[1:2] == ["all"]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--protocol", "short-sentences"], "brevity"),
        (["-m", "concise"], "brevity"),
        (["-m", "brevity"], "brevity"),
        (["-m", "below@7"], "below@7"),
    ],
)
def test_an_installed_family_is_computed_by_name_and_under_its_protocol(
    package: Path, options: list[str], expected: str
) -> None:
    assert expected in _measured(package, *options)


def test_an_installed_family_adds_nothing_to_the_default_measures(package: Path) -> None:
    assert "brevity" not in _measured(package)


def test_an_installed_family_is_listed_and_explained_without_names_that_are_taken(
    package: Path,
) -> None:
    listed = _run(package, "list", "measures")
    assert "concise (--protocol short-sentences, or -m): Brevity (measures of" in listed
    assert "  brevity  short sentences\n" in listed
    assert listed.count("  f1 ") == 1
    assert "short-sentences  How long" in _run(package, "list", "protocols")
    assert "source              nowhere" in _run(package, "explain", "brevity")
    assert _run(package, "explain", "f1").startswith("f1 (auto_argue)")
