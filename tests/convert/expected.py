"""The example track in every format: the first record, and what the command says.

Run as a module, it writes the expected outputs anew: after a change that is meant, read the
difference.
"""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

from argue_eval.cli import app

ROOT = Path(__file__).parents[2]
EXPECTED = Path(__file__).with_name("expected_outputs")

_SOURCES = {
    "runs/careful.jsonl": ("canonical", "neuclir", "rag"),
    "qrels/example.json": ("auto_argue", "canonical", "neuclir", "nuggetizer", "ragtime26"),
    "topics/example.jsonl": ("canonical", "dragun", "neuclir", "rag25", "rag_tsv"),
}

CASES = {
    f"{source.partition('/')[0]}-{format_name}": f"convert {source} --to {format_name} --lossy"
    for source, format_names in _SOURCES.items()
    for format_name in format_names
}
CASES["qrels-auto_argue-refused"] = "convert qrels/example.json --to auto_argue"
CASES["runs-rag-narratives"] = (
    "convert runs/careful.jsonl --to rag --requests topics/example.jsonl --lossy"
)
CASES["runs-rag-refused"] = "convert runs/careful.jsonl --to rag"


def output(command: str) -> str:
    """Returns the first two lines that a command prints, its notes and its exit code."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        code = app.run(command.split())
    lines = "".join(stdout.getvalue().splitlines(keepends=True)[:2])
    notes = "".join(f"! {line}\n" for line in stderr.getvalue().splitlines())
    return f"$ argue-eval {command}\n{lines}{notes}[exit code {code}]\n"


def update() -> None:
    """Writes the outputs, from the root of the repository."""
    EXPECTED.mkdir(exist_ok=True)
    os.chdir(ROOT)
    for name, command in CASES.items():
        (EXPECTED / f"{name}.txt").write_text(output(command), encoding="utf-8")


if __name__ == "__main__":
    update()
