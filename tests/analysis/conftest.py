"""The command line, run in this process on files in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from argue_eval.analysis.agreement import Job, compare
from argue_eval.analysis.results import Agreement, MetaEvaluation
from tests.analysis import making
from tests.cli.conftest import Command

Compared = Callable[..., MetaEvaluation]


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example in the working directory."""
    making.write_example(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def printed(argue_eval: Command) -> Callable[[str], Any]:
    """What a command line prints with --json."""
    return lambda command: argue_eval(f"meta-eval {command} --json").json


@pytest.fixture
def compared(tmp_path: Path) -> Compared:
    """Compares judgments with truth, both given as lines."""

    def run(
        judgments: Sequence[making.Json],
        truth: Sequence[making.Json],
        *,
        runs: Sequence[making.Json] = (),
        num_resamples: int = 20,
        **chosen: Any,
    ) -> MetaEvaluation:
        paths = [
            making.write_lines(tmp_path / f"{name}.jsonl", lines)
            for name, lines in (("judgments", judgments), ("truth", truth), ("run", runs))
        ]
        read = paths[2:] if runs else []
        job = Job(paths[:1], paths[1:2], runs=read, num_resamples=num_resamples, **chosen)
        return compare(job)

    return run


def only(found: MetaEvaluation) -> Agreement:
    """The one agreement."""
    (agreement,) = found.agreements
    return agreement
