"""The output on the example of `making` is byte for byte as expected.

After an intended change, run ``python -m tests.analysis.test_golden`` and read the difference.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from tests.analysis import making
from tests.golden.cases import run

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
    _, text, _ = run(f"meta-eval {CASES[name]}", folder)
    if not name.endswith(".json"):
        return text
    rounded = json.loads(text, parse_float=lambda number: round(float(number), 9))
    return json.dumps(rounded, indent=1) + "\n"


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
