"""For machines: one JSON document with every finding of every run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from argue_eval.errors import Finding

if TYPE_CHECKING:
    from argue_eval.validation.runs import Checked


def render(runs: Sequence[Checked], height: int | None) -> Iterator[str]:
    """Yield the document."""
    table = {"format": "argue-eval/findings/1", "runs": [_run(run) for run in runs]}
    yield json.dumps(table, ensure_ascii=False, indent=1).translate(_ESCAPED) + "\n"


_ESCAPED = {
    code: f"\\u{code:04x}"
    for code in (*range(0x7F, 0xA0), 0xAD, *range(0x200B, 0x2010), *range(0x2028, 0x202F),
                 *range(0x2060, 0x2070), 0xFEFF, *range(0xD800, 0xE000))
}  # fmt: skip


def _run(run: Checked) -> dict[str, Any]:
    return {
        "file": run.file,
        "is_ok": not run.num_errors,
        "track": run.track.name,
        "is_guessed": run.is_guessed,
        "revision": run.track.revision,
        "num_reports": run.num_reports,
        "num_errors": run.num_errors,
        "num_warnings": run.num_warnings,
        "counts": {code: number for (_, code), number in sorted(run.counts.items())},
        "unchecked": dict(run.unchecked),
        "findings": [as_json(finding) for finding in run.findings],
    }


def as_json(finding: Finding) -> dict[str, Any]:
    """Turn a finding into a JSON object, without its file."""
    return {
        "severity": finding.severity.value,
        "code": finding.code,
        "line": finding.line,
        "path": finding.path,
        "topic_id": finding.topic_id,
        "sentence": finding.sentence,
        "message": finding.message,
        "expected": finding.expected,
        "fix": finding.hint,
    }
