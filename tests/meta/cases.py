"""The command lines whose output is kept byte by byte, on the example of `making`."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from argue_eval.cli import app
from tests.meta import making

EXPECTED = Path(__file__).parent / "expected"

_JUDGES = "judges.jsonl --truth truth.jsonl"
_RUNS = "--run alpha.jsonl --run beta.jsonl --run gamma.jsonl"
_SCORES = " ".join(f"--scores {run}.scores.txt" for run in ("alpha", "beta", "gamma", "delta"))

CASES = {
    "judges.txt": f"{_JUDGES} {_RUNS}",
    "judges.md": f"{_JUDGES} --format markdown --kind support",
    "judges.json": f"{_JUDGES} {_RUNS} --json --judge careful@1",
    "labels.txt": "labels.json",
    "labels.md": "labels.json --truth labels.json --format markdown --resamples 0",
    "scores.txt": f"{_SCORES} --truth-scores truth.tsv",
    "scores.json": f"{_SCORES} --truth-scores truth.tsv --json",
}


def output(name: str, folder: Path) -> str:
    """Returns what a command prints in a folder; numbers of JSON to nine digits, since sums of
    other processors differ in the last ones."""
    making.write_example(folder)
    stdout = io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(io.StringIO()):
            app.run(["meta-eval", *CASES[name].split()])
    finally:
        os.chdir(before)
    text = stdout.getvalue()
    if name.endswith(".json"):
        return json.dumps(_rounded(json.loads(text)), indent=1) + "\n"
    return text


def outputs(folder: Path) -> Iterator[tuple[str, str]]:
    """Yields name and output of all commands."""
    for name in CASES:
        yield name, output(name, folder)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return value
