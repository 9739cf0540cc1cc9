"""The commands of docs/meta-eval.md do what the page says."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from argue_eval.analysis.results import Counts
from tests.analysis.test_published import LABELS
from tests.cli.conftest import Command

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "meta-eval.md").read_text("utf-8")
MARK = "<!-- tested: tests/analysis/test_page.py -->\n```console\n"
SESSIONS = re.findall(re.escape(MARK) + r"(.*?)```\n", PAGE, re.S)


def test_commands_of_the_page_run_and_print_what_it_shows(
    argue_eval: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("runs", "qrels", "topics", "collection"):
        Path(name).symlink_to(ROOT / name)
    for path in LABELS.parent.glob("*.json"):
        Path(path.name).symlink_to(path)
    assert len(SESSIONS) == 5
    for session in SESSIONS:
        if "evaluator_labels" in session and not LABELS.is_file():
            continue
        for command, shown in re.findall(r"\$ (argue-eval [^\n]*)\n((?:(?!\$ ).*\n)*)", session):
            ran = argue_eval(*_words(command)[1:])
            assert ran.code == 0, ran.err
            assert shown in ran.out


def _words(command: str) -> Sequence[str]:
    """The words of a command line with patterns replaced by the files that fit."""
    return [
        word
        for pattern in shlex.split(command)
        for word in (sorted(map(str, Path().glob(pattern))) if "*" in pattern else [pattern])
    ]


def test_every_figure_and_count_is_explained(argue_eval: Command, example: Path) -> None:
    ran = argue_eval("meta-eval judges.jsonl --truth truth.jsonl --json")
    labels = argue_eval("meta-eval labels.json --json")
    names = set(re.findall(r'"(\w+)": \{\s*"value"', ran.out + labels.out)) - {"bias"}
    ranking = {"kendall_tau", "tau_ap", "tau_gap", "spearman", "pearson"}
    assert len(names) > 20
    assert {name for name in names - ranking if f"`{name}`" not in PAGE} == set()
    assert {name for name in Counts._fields if f"`{name}`" not in PAGE} == set()
