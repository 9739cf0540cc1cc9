"""Views of an installed package: listed, named in --format, and never in the way of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import tiny_track
from tests.cli.conftest import Command

SCORES = '''"""Run ids alone.

More about it.
"""

HEADER, SEPARATOR, FOOTER, BOUNDS = "runs:\\n", "and\\n", "end\\n", "this format has no bounds"


def render(table, per_topic):
    yield f"{table.run_id}\\n"
'''
FINDINGS = '''"""The number of findings."""


def render(runs, height):
    yield f"{sum(len(run.findings) for run in runs)} findings\\n"
'''
JUDGE = '''"""Says yes to everything."""
'''
POINTS = """[argue_eval.outputs]
ids = someones_scores
json = someones_scores
[argue_eval.outputs.findings]
number = someones_findings
[argue_eval.judges]
kind = someones_judge
"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with three plug-ins, and the tiny track."""
    site = tmp_path / "site"
    info = site / "someones-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: someones\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    for name, text in (("scores", SCORES), ("findings", FINDINGS), ("judge", JUDGE)):
        (site / f"someones_{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(site))
    tiny_track.write(tmp_path)
    monkeypatch.chdir(tmp_path)


def test_they_are_listed_after_ours_with_the_first_line_of_their_docstrings(
    argue_eval: Command,
) -> None:
    formats = argue_eval("list formats").out
    scores, findings = formats.split("\nscores\n")[1].split("findings\n")
    assert scores.splitlines()[-1].split() == ["ids", "written", "Run", "ids", "alone."]
    assert scores.count("json") == 1
    assert findings.splitlines()[-1].split()[:2] == ["number", "written"]
    assert "\nkind      Says yes to everything.\n" in argue_eval("list judges").out


def test_they_write_scores_and_findings(argue_eval: Command) -> None:
    judged = "--judgments assessors.judgments.jsonl --judge none --allow-unjudged"
    ran = argue_eval(f"score alpha.jsonl beta.jsonl nuggets.json {judged} --format ids")
    assert (ran.code, ran.out) == (0, "runs:\nalpha\nand\nbeta\nend\n")
    assert argue_eval("validate alpha.jsonl --format number").out.endswith(" findings\n")


def test_a_built_in_name_stays_ours_and_an_unknown_one_lists_theirs(argue_eval: Command) -> None:
    ours = argue_eval("score alpha.jsonl nuggets.json --judge none --format json")
    assert ours.out.startswith("[\n")
    ran = argue_eval("score alpha.jsonl nuggets.json --judge none --format idz")
    assert (ran.code, "unknown --format 'idz'. Did you mean 'ids'?" in ran.err) == (2, True)
