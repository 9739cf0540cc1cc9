"""What must hold for any input: findings or records, with short and harmless messages."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from argue_eval import formats
from argue_eval.errors import ArgueEvalError, Finding, InputError, Severity
from argue_eval.formats.segmenting import TextOptions, segment_files
from argue_eval.report.findings import github
from argue_eval.report.findings import json as as_json
from argue_eval.report.findings import text as as_text
from argue_eval.validation import Checked, Job, check_runs
from tests.formats.test_broken_files import READERS

MAX_TEXT = 1500
"""No message, hint or path is longer."""

_CODE = re.compile(r"[a-z][a-z_]{2,30}")


def validate(path: Path, job: Job) -> Checked:
    """Validates a run, and looks at what is found and at how it is shown."""
    (checked,) = check_runs([str(path)], job)
    for finding in checked.findings:
        check_finding(finding)
    _check_views([checked])
    errors = [each for each in checked.findings if each.severity is Severity.ERROR]
    assert bool(errors) == bool(checked.num(Severity.ERROR))
    assert checked.num_reports or errors
    return checked


def check_finding(finding: Finding) -> None:
    """Checks that a finding says what, where, and not too much."""
    assert _CODE.fullmatch(finding.code)
    assert finding.message
    assert finding.line is None or finding.line >= 1
    assert finding.path == "" or finding.path.startswith("$")
    for text in (finding.message, finding.hint, finding.path, finding.expected):
        assert len(text) <= MAX_TEXT, finding


def _check_views(runs: Sequence[Checked]) -> None:
    document = "".join(as_json.render(runs, None))
    assert len(json.loads(document.encode())["runs"][0]["findings"]) == len(runs[0].findings)
    for height in (None, 24):
        for line in "".join(as_text.render(runs, height)).split("\n"):
            assert line.isprintable(), line
    for line in "".join(github.render(runs, None)).removesuffix("\n").split("\n"):
        assert line.startswith("::")
        assert not _CONTROL.search(line), line


_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def read(kind: str, path: Path) -> None:
    """Reads an input: there are records, or findings that say where."""
    error = _error(kind, path)
    if error is not None:
        assert len(str(error)) <= 100 * MAX_TEXT
        assert all(line.isprintable() for line in str(error).split("\n")), str(error)
    if isinstance(error, InputError):
        assert error.findings
        for finding in error.findings:
            check_finding(finding)


def segment(path: Path, options: TextOptions, references: str | None) -> None:
    """Cuts a text into sentences: there is a run that can be read again, or findings."""
    try:
        found = segment_files([str(path)], "run", options, topic_id="t", references=references)
    except InputError as exc:
        for finding in exc.findings:
            check_finding(finding)
        return
    for finding in found.warnings:
        check_finding(finding)
    run = path.with_name("segmented.jsonl")
    with run.open("w", encoding="utf-8") as stream:
        formats.write_run(found.reports, stream)
    (again,) = formats.read_run(str(run))
    assert again.sentences == found.reports[0].sentences
    assert all(sentence.text.strip() for sentence in again.sentences)


def _error(kind: str, path: Path) -> ArgueEvalError | None:
    try:
        for record in READERS[kind](str(path)):
            assert record is not None
    except ArgueEvalError as exc:
        return exc
    return None
