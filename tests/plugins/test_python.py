"""Plug-ins from Python; and how little it takes to add a protocol with a measure."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.documented import ROOT
from tests.plugins.conftest import PACKAGE, Python, run_python
from tests.plugins.files import write

SCRIPT = """
import argue_eval as ae

topics = ae.read_topics("themes.jsonl")
assert topics == ae.read_topics("themes.jsonl", "themes")
nuggets = ae.read_nuggets("checklists.jsonl")
assert nuggets == ae.read_nuggets("checklists.jsonl", "checklists")
runs = ae.read_runs(["ann.jsonl", "bob.jsonl"])
assert runs == ae.read_runs(["ann.jsonl", "bob.jsonl"], "essays")
documents = ae.read_documents("sources.jsonl")
assert documents == ae.read_documents("sources.jsonl", "sources")
marks = ae.read_judgments("marks.jsonl")
assert marks == ae.read_judgments("marks.jsonl", "marks")
assert [len(each) for each in (topics, nuggets, runs, documents, marks)] == [2, 2, 2, 2, 4]
assert ae.validate(runs[0], track="essays26", topics=topics) == []

settings = dict(topics=topics, collection=documents, protocol="clauses", judge="none")
scores = ae.score(runs, nuggets, judgments=marks, **settings)
assert str(scores["ann"]["clause_support"]) == "[0.7500, 1.0000]"
print(scores["ann"].explain("mill", 0))

judgments = ae.judge(runs, nuggets, known=marks, support="words", **settings)
assert {judgment.judge for judgment in judgments} == {"marker", "words@1"}
scores = ae.score(runs, nuggets, judgments=judgments, **settings)
assert float(scores["ann"]["clause_support"]) == 0.75
asked = ae.judge(runs, nuggets, support="llm:echo:yes", store="answers.store", **settings)
assert {judgment.verdict for judgment in asked} == {ae.Verdict.YES}
"""

EXPLAINED = """\
run ann, topic mill, sentence 0
  clause: 'The mill was built in 1784'
  is_supported: true

run ann, topic mill, sentence 0
  clause: 'it burned down in 1902'
  is_supported: null

"""

FAMILY = '''"""Clauses: how many of them the cited documents support."""

from collections.abc import Sequence
from typing import NamedTuple

from argue_eval.measures import Measure
from argue_eval.measures.averages import ratio
from argue_eval.measures.counting import Case, bounds_of
from argue_eval.measures.protocols.clauses import ClauseOutcome
from argue_eval.records import Bounds, TopicEvidence

PROTOCOL = "clauses"
'''


def test_plug_ins_are_used_from_python(python: Python) -> None:
    done = python("-c", SCRIPT)
    assert (done.returncode, done.stdout, done.stderr) == (0, EXPLAINED, "")


def test_a_protocol_and_a_measure_of_another_package_are_one_module() -> None:
    points = (PACKAGE / "pyproject.toml").read_text("utf-8")
    assert points.count('clauses = "essays.clauses"') == 2


def test_a_protocol_and_a_measure_of_ours_are_two_files(site: Path, tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "argue_eval", ours / "argue_eval", ignore=ignored)
    module = (PACKAGE / "essays" / "clauses.py").read_text("utf-8")
    protocol, end, family = module.partition("PROTOCOL_CLASS = Clauses\n")
    room = ours / "argue_eval" / "measures"
    (room / "protocols" / "clauses.py").write_text(protocol + end, encoding="utf-8")
    (room / "families" / "clauses.py").write_text(FAMILY + family, encoding="utf-8")
    write(tmp_path)
    line = "score bob.jsonl checklists.jsonl --judgments marks.jsonl --judge none"
    words = ("-m", "argue_eval", *line.split(), "--protocol", "clauses")
    # The formats are those of the package; of two protocols with one name, ours is used.
    done = run_python(*words, paths=(ours, site), folder=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr
    assert done.stdout.splitlines()[-1].split() == ["clause_support", "all", "0.0000"]
    listed = run_python(
        "-m", "argue_eval", "list", "protocols", paths=(ours, site), folder=tmp_path
    )
    assert listed.stdout.count("clauses  ") == 1
