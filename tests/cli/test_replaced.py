"""No command replaces what it reads, by whatever name its output is given."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.documented import ROOT
from tests.judgments.asking import fill, numbered, replied

pytestmark = pytest.mark.usefixtures("files")

TEXTS = "--requests requests.jsonl --collection documents.jsonl"
COMMANDS = {
    "convert alpha.jsonl --to rag -o OUT": "alpha.jsonl",
    "convert alpha.jsonl --to rag --lossy --requests requests.jsonl -o OUT": "requests.jsonl",
    "ingest requests requests.jsonl -o OUT": "requests.jsonl",
    "ingest qrels nuggets.json --collection documents.jsonl -o OUT": "documents.jsonl",
    "segment text.md --topic t1 -o OUT": "text.md",
    "segment text.md --references refs.txt --topic t1 -o OUT": "refs.txt",
    "meta-eval assessors.judgments.jsonl --run alpha.jsonl -o OUT": "alpha.jsonl",
    "summhay table alpha.jsonl -o OUT": "alpha.jsonl",
    "store export x.store -o OUT": "x.store",
    "store verify x.store --repair OUT": "x.store",
    "curate dedupe nuggets.json -o OUT": "nuggets.json",
    "curate extract requests.jsonl --collection documents.jsonl --model m -o OUT":
        "documents.jsonl",
    "curate key-points requests.jsonl --collection documents.jsonl --model m -o OUT":
        "documents.jsonl",
    "curate haystack requests.jsonl --collection documents.jsonl --model m -o k/ --replies OUT":
        "documents.jsonl",
    "curate filter nuggets.json --requests requests.jsonl --model m -o k --left-out OUT":
        "requests.jsonl",
    "curate filter nuggets.json --requests requests.jsonl --model m -o k --replies OUT":
        "requests.jsonl",
    f"judge alpha.jsonl nuggets.json {TEXTS} --judge llm:m --batch-out OUT": "documents.jsonl",
}  # fmt: skip


def _same(path: Path) -> str:
    return f"./{path}"


def _slash(path: Path) -> str:
    return f"{path}/"


def _hard(path: Path) -> str:
    os.link(path, "hard")
    return "hard"


def _soft(path: Path) -> str:
    Path("soft").symlink_to(path)
    return "soft"


@pytest.mark.parametrize("called", [str, _same, _slash, _hard, _soft])
@pytest.mark.parametrize("command", COMMANDS)
def test_output_that_is_an_input_is_refused_before_anything_is_done(
    argue_eval: Command, command: str, called: Callable[[Path], str]
) -> None:
    Path("text.md").write_text("It fell [1].\n\nReferences\n\n1. d1\n")
    Path("refs.txt").write_text("1 d1\n")
    fill("x.store", (numbered(1), replied()))
    path = Path(COMMANDS[command])
    before = path.read_bytes()
    ran = argue_eval(command.replace("OUT", called(path)))
    assert (ran.code, ran.out) == (2, "")
    assert "which is read" in ran.err
    assert "name another file" in ran.err
    assert path.read_bytes() == before
    assert argue_eval(command.replace("OUT", "another").replace(" -o k ", " -o l ")).code != 2


@pytest.mark.parametrize("pattern", ["banks", "banks/*.json"])
def test_output_that_is_in_a_folder_or_pattern_that_is_read_is_refused(
    argue_eval: Command, pattern: str
) -> None:
    bank = Path("banks/nuggets.json")
    bank.parent.mkdir()
    before = Path("nuggets.json").rename(bank).read_bytes()
    ran = argue_eval(f"ingest qrels {pattern} -o banks/../{bank}")
    assert (ran.code, f"read as {bank}" in ran.err) == (2, True)
    assert bank.read_bytes() == before


def test_folder_of_results_replaces_no_input(argue_eval: Command) -> None:
    judged = Path("out/alpha.judgments.jsonl")
    score = f"score alpha.jsonl nuggets.json {TEXTS} -o out"
    assert argue_eval(score).code == 0
    before = judged.read_bytes()
    ran = argue_eval(f"{score} --judgments {judged}")
    assert (ran.code, f"-o names {judged}, which is read" in ran.err) == (2, True)
    assert judged.read_bytes() == before
    ran = argue_eval(f"{score.replace('alpha', 'beta')} --judgments {judged} --clean")
    assert (ran.code, f"--clean names {judged}, which is read" in ran.err) == (2, True)
    assert judged.read_bytes() == before
    assert argue_eval(f"{score}2 --judgments {judged}").code == 0


def test_file_that_comes_through_standard_input_is_not_replaced() -> None:
    run = Path("alpha.jsonl")
    before = run.read_bytes()
    words = [sys.executable, "-m", "argue_eval", "convert", "-", "--to", "rag", "-o", "alpha.jsonl"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with run.open("rb") as stdin:
        done = subprocess.run(words, stdin=stdin, env=env, capture_output=True, check=False)
    assert (done.returncode, b"which is read" in done.stderr) == (2, True)
    assert run.read_bytes() == before


def test_two_outputs_are_two_files(argue_eval: Command) -> None:
    command = "curate filter nuggets.json --requests requests.jsonl --model m"
    for outputs in ("-o k --left-out ./k", "-o k --replies ./k"):
        ran = argue_eval(f"{command} {outputs}")
        assert (ran.code, "name the same file: name two" in ran.err) == (2, True)
    assert not Path("k").exists()
