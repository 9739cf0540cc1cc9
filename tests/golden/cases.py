"""The command lines whose output is kept byte by byte, on the track of `tests.tiny_track`.

Of the example track in every format, the first two lines are kept.
"""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

from argue_eval.cli import app
from tests import tiny_track
from tests.documented import ROOT

EXPECTED = Path(__file__).parent / "expected"

BOTH = "alpha.jsonl beta.jsonl nuggets.json"
BLOCKS = "--format trec_eval"
JUDGED = "--judgments assessors.judgments.jsonl --judge none"

CASES = {
    "one-run": f"score alpha.jsonl nuggets.json {JUDGED}",
    "unjudged": f"score beta.jsonl nuggets.json {JUDGED}",
    "allow-unjudged": f"score beta.jsonl nuggets.json {JUDGED} -m argue_f1 --allow-unjudged",
    "nothing-judged": "score alpha.jsonl nuggets.json --judge none -m argue",
    "per-topic": f"score {BOTH} {JUDGED} -q -m argue",
    "requests": f"score {BOTH} --requests requests.jsonl {JUDGED} {BLOCKS} -m nugget_recall",
    "strict": f"score {BOTH} {JUDGED} {BLOCKS} -m argue --reading strict",
    "any": f"score {BOTH} {JUDGED} {BLOCKS} -m argue --citations any",
    "macro": f"score {BOTH} {JUDGED} {BLOCKS} -m argue --citations macro",
    "micro": f"score {BOTH} {JUDGED} {BLOCKS} -m argue --citations micro",
    "any-document": f"score {BOTH} {JUDGED} {BLOCKS} -m argue --attestation any-document",
    "weights": f"score {BOTH} {JUDGED} {BLOCKS} -m nugget_recall_weighted "
    "--weights vital=3,okay=0.5",
    "only-answered": f"score {BOTH} {JUDGED} {BLOCKS} -m argue_f1 --only-answered",
    "support": f"score {BOTH} {JUDGED} {BLOCKS} -m support",
    "ir_measures": f"score {BOTH} {JUDGED} -m argue --format ir_measures",
    "ir_measures-per-topic": f"score {BOTH} {JUDGED} -m argue_f1 --format ir_measures -q",
    "auto_argue": f"score {BOTH} {JUDGED} -m auto_argue --format auto_argue",
    "auto_argue-per-topic": f"score {BOTH} {JUDGED} -m auto_argue --format auto_argue -q",
    "json": f"score {BOTH} {JUDGED} -m argue_f1 --format json -q",
    "csv": f"score {BOTH} {JUDGED} -m argue --format csv -q",
    "markdown": f"score {BOTH} {JUDGED} -m argue --format markdown",
    "markdown-one-run": f"score alpha.jsonl nuggets.json {JUDGED} -m argue --format markdown",
    "markdown-per-topic": f"score {BOTH} {JUDGED} -m argue_f1 --format markdown -q",
    "table": f"score {BOTH} {JUDGED}",
    "table-judged-only": f"score {BOTH} {JUDGED} -m argue --judged-only",
    "table-latex": f"score {BOTH} {JUDGED} -m argue_f1 -m f1 --format latex",
    "table-html": f"score {BOTH} {JUDGED} -m nugget_recall --format html",
    "table-csv": f"score {BOTH} {JUDGED} -m sentence_precision -m nugget_recall --format csv",
    "table-json": f"score {BOTH} {JUDGED} -m sentence_precision -m nugget_recall --format json",
    "table-of-one-run": f"score alpha.jsonl nuggets.json {JUDGED} -m nugget_recall --format tsv",
    "explain-measure": "explain nugget_recall",
    "explain-outcome": f"explain outcome alpha.jsonl nuggets.json {JUDGED} --topic t1 --sentence 2",
    "explain-unjudged": f"explain outcome beta.jsonl nuggets.json {JUDGED} --topic t2 --sentence 1",
    "explain-absence": f"explain outcome alpha.jsonl nuggets.json {JUDGED} --topic t2 --sentence 2",
    "explain-by-citation": f"explain outcome alpha.jsonl nuggets.json {JUDGED} --topic t1 "
    "--sentence 2 --citations macro",
    "wrong-order": f"score nuggets.json alpha.jsonl {JUDGED}",
    "unknown-measure-option": f"score alpha.jsonl nuggets.json {JUDGED} --reading strickt",
}


_CONVERTED = {
    "runs/careful.jsonl": ("canonical", "neuclir", "rag"),
    "qrels/example.json": ("auto_argue", "canonical", "neuclir", "nuggetizer", "ragtime26"),
    "topics/example.jsonl": ("canonical", "dragun", "neuclir", "rag25", "rag_tsv"),
}
CONVERSIONS = {
    **{
        f"convert-{source.partition('/')[0]}-{name}": f"convert {source} --to {name} --lossy"
        for source, names in _CONVERTED.items()
        for name in names
    },
    "convert-qrels-auto_argue-refused": "convert qrels/example.json --to auto_argue",
    "convert-runs-rag-narratives": "convert runs/careful.jsonl --to rag "
    "--requests topics/example.jsonl --lossy",
    "convert-runs-rag-refused": "convert runs/careful.jsonl --to rag",
}


def printed(name: str, folder: Path) -> str:
    """What a case's command prints: stdout, stderr and the exit code."""
    if name in CONVERSIONS:
        return output(CONVERSIONS[name], ROOT, 2)
    tiny_track.write(folder)
    return output(CASES[name], folder)


def run(command: str, folder: Path) -> tuple[int, str, str]:
    """Runs a command in a folder: its exit code, stdout and stderr."""
    stdout, stderr = io.StringIO(), io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            code = app.run(command.split())
    finally:
        os.chdir(before)
    return code, stdout.getvalue(), stderr.getvalue()


def output(command: str, folder: Path, max_lines: int | None = None) -> str:
    """What a command prints in a folder: so many lines of stdout, its notes and its exit code."""
    code, stdout, stderr = run(command, folder)
    lines = "".join(stdout.splitlines(keepends=True)[:max_lines])
    notes = "".join(f"! {line}\n" for line in stderr.splitlines())
    return f"$ argue-eval {command}\n{lines}{notes}[exit code {code}]\n"
