"""A program follows the advice of findings: then they are gone, or what they ask needs a person."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

from argue_eval.errors import Finding, InputError
from argue_eval.formats.converting import convert
from argue_eval.validation import tracks, validate
from argue_eval.validation.ingest import ingest_nuggets, ingest_requests
from tests.formats.broken_files import CASES, Case
from tests.mistakes.following import UnclearError, follow
from tests.validation.samples import (
    LINE_TRACKS,
    NARRATIVES,
    Json,
    run_of,
    topic_of,
    write_requests,
    write_run,
)
from tests.validation.test_rules_alone import CODES, Breaks

QUESTIONS = (
    "write the report", "write a report for each topic", "cite what supports", "correct the id",
    "rephrase it", "decode its source", "write sentences", "add a report for it",
    "indexes count from 0$", "add the list of references", "add the text", "^add it$",
    "add what is missing", "write it again", "cut off", "check ", "both halves", "reads no other",
    "write the question", "write the document's id", "write the text of", "by one tab",
    "no other aggregator", "each an object", "or rename one", "write strict JSON",
    "use a format with", "the runs come first", "add the list of sentences", "cite documents by",
    "rephrase", "write a document id", "write one report",
)  # fmt: skip
"""What only its writer can do, or what is no edit."""

COMMANDS = ("iconv ", "tail ", "python3 ", "argue-eval ", "ir_measures ")
"""Shell commands, which are run in ``tests/validation/test_foreign_files.py``."""


def _is_question(finding: Finding) -> bool:
    """Whether a person must answer: a hint that asks; or none, where the message says what fits."""
    if not finding.hint:
        return "expected" in finding.message
    return any(re.search(each, finding.hint) for each in (*QUESTIONS, *COMMANDS))


def _broken_runs() -> list[Any]:
    """Runs of all tracks in which one rule is broken."""
    cases = []
    for name in LINE_TRACKS:
        track = tracks.load(name)
        for code in CODES:
            run = copy.deepcopy(run_of(name))
            if track.rule(code):
                try:
                    getattr(Breaks(run, track), code)()
                except (KeyError, IndexError, AttributeError, TypeError):
                    continue  # the track's runs have no such thing
                cases.append(pytest.param(name, run, id=f"{name}-{code}"))
    return cases


def _findings(raw: bytes, track: str, folder: Path) -> list[Finding]:
    (folder / "run.jsonl").write_bytes(raw)
    requests = write_requests(folder / "requests.jsonl", run_of(track))
    return validate(str(folder / "run.jsonl"), track, topics=requests)


def _num_same(findings: list[Finding], finding: Finding) -> int:
    same = (finding.code, finding.message, finding.path)
    return sum((each.code, each.message, each.path) == same for each in findings)


@pytest.mark.parametrize(("track", "run"), _broken_runs())
def test_following_the_advice_of_validate_ends_its_finding(
    track: str, run: list[Json], tmp_path: Path
) -> None:
    raw = Path(write_run(tmp_path / "run.jsonl", run)).read_bytes()
    topics = dict(zip(map(topic_of, run_of(track)), NARRATIVES, strict=True))
    findings = _findings(raw, track, tmp_path)
    assert findings or "reference" in str(run)
    for finding in findings:
        try:
            mended = follow(raw, finding, topics)
        except UnclearError:
            assert _is_question(finding), str(finding)
            continue
        assert mended != raw, str(finding)
        left = _findings(mended, track, tmp_path)
        assert _num_same(left, finding) < _num_same(findings, finding), str(finding)


TARGETS = {"runs": "rag", "nuggets": "ragtime26", "requests": "canonical"}


def _taken(path: Path, kind: str) -> list[Finding]:
    taken = ingest_requests([str(path)]) if kind == "requests" else ingest_nuggets([str(path)])
    return list(taken.findings)


def _converted(path: Path, kind: str) -> list[Finding]:
    try:
        convert(str(path), TARGETS[kind], kind=kind, is_lossy=True)
    except InputError as exc:
        return list(exc.findings)
    return []


def _cases(*kinds: str) -> list[Any]:
    one = [each for each in CASES if each.kind in kinds and len(each.files) == 1]
    one = [each for each in one if not next(iter(each.files)).endswith(("/", ".gz"))]
    return [pytest.param(each, id=each.name) for each in one]


@pytest.mark.parametrize("case", _cases("nuggets", "requests"))
def test_following_the_advice_of_ingest_ends_its_finding(case: Case, tmp_path: Path) -> None:
    _follow_all(case, tmp_path, _taken)


@pytest.mark.parametrize("case", _cases("runs", "nuggets", "requests"))
def test_following_the_advice_of_convert_ends_its_finding(case: Case, tmp_path: Path) -> None:
    _follow_all(case, tmp_path, _converted)


def _follow_all(case: Case, folder: Path, found_in: Any) -> None:
    path = Path(case.write(folder))
    raw = path.read_bytes()
    findings = found_in(path, case.kind)
    for finding in findings[:20]:
        try:
            mended = follow(raw, finding)
        except UnclearError:
            assert _is_question(finding), str(finding)
            continue
        path.write_bytes(mended)
        assert _num_same(found_in(path, case.kind), finding) < _num_same(findings, finding)
