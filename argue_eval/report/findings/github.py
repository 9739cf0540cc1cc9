"""Annotations of GitHub Actions: each finding is shown at its line in the changed file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from argue_eval.errors import Finding, plain

if TYPE_CHECKING:
    from argue_eval.validation.runs import Checked


def render(runs: Sequence[Checked], height: int | None) -> Iterator[str]:
    """Yield a line for every finding, and a notice for every run."""
    for run in runs:
        for finding in run.findings:
            yield _annotation(finding)
        yield f"::notice file={_property(run.file)},title=argue-eval::{_data(str(run))}\n"


def _annotation(finding: Finding) -> str:
    places = [f"file={_property(finding.file)}"]
    if finding.line is not None:
        places.append(f"line={finding.line}")
    places.append(f"title={_property(finding.code)}")
    where = f"{finding.path}: " if finding.path and finding.path != "$" else ""
    fix = f"\nfix: {finding.hint}" if finding.hint else ""
    text = _data(f"{where}{finding.message}{fix}")
    return f"::{finding.severity.value} {','.join(places)}::{text}\n"


def _data(text: str) -> str:
    return plain(text, "\n").replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
