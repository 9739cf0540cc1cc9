"""The output on the example of `making` is byte for byte as expected.

After an intended change, run ``python -m tests.analysis.test_golden`` and read the difference.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from argue_eval.cli import app
from tests.analysis import making

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
    """Numbers of JSON are rounded to nine digits: the last ones differ between processors."""
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


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return value


@pytest.mark.parametrize("name", CASES)
def test_command_prints_the_expected_bytes(name: str, tmp_path: Path) -> None:
    assert output(name, tmp_path) == (EXPECTED / name).read_text(encoding="utf-8")


def test_every_expected_output_belongs_to_a_command() -> None:
    assert {path.name for path in EXPECTED.iterdir()} == set(CASES)


def update() -> None:
    for path in EXPECTED.iterdir():
        path.unlink()
    with tempfile.TemporaryDirectory() as folder:
        for name in CASES:
            (EXPECTED / name).write_text(output(name, Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    update()
