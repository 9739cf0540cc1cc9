"""The three views of findings, to the letter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_eval.report.findings import github, text
from argue_eval.report.findings import json as as_json
from argue_eval.validation.runs import Checked, Job, check_runs
from tests.validation.samples import run_of, sentences_of, write_run


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Checked]:
    """A clean run, and one with four errors and a warning."""
    monkeypatch.chdir(tmp_path)
    write_run(Path("good.jsonl"), run_of("ragtime26"))
    reports = run_of("ragtime26")
    reports[0]["metadata"]["run_id"] = "a run\x1b[31m, 100%"
    del reports[1]["metadata"]["run_desc"]
    for number in (0, 1):
        sentences_of(reports[1])[number]["citations"] = {"x\u202ey": 0.5}
    write_run(Path("bad.jsonl"), reports)
    return list(check_runs(["good.jsonl", "bad.jsonl"], Job(track="ragtime26")))


def test_text_groups_the_worst_first_and_ends_with_a_verdict_for_each_run(
    runs: list[Checked],
) -> None:
    shown = "".join(text.render(runs, None))
    assert shown == EXPECTED
    assert "\x1b" not in shown
    assert "\u202e" not in shown


EXPECTED = r"""error docid_pattern: 1 found
  bad.jsonl:2, $.responses[0].citations['x\u202ey'], topic 2002, sentence 0: the document id 'x\u202ey' does not match the track's pattern
    expected: [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}_\d+
    fix: correct the id
error run_id_alphabet: 1 found
  bad.jsonl:1, $.metadata.run_id, topic 2001: the run id 'a run\x1b[31m, 100%' has '\x1b', ' ', '%', ',', '['
    fix: use ASCII letters, digits, '.', '_' and '-', and do not start with '.', such as 'a-run-31m-100', in every report
error run_id_differs: 1 found
  bad.jsonl:2, $.metadata.run_id, topic 2002: the run id is 'run-1', before it was 'a run\x1b[31m, 100%'
    fix: one file holds one run: write the same run id in every report, or write each run to a file of its own
warning metadata_recommended: 1 found
  bad.jsonl:2, $.metadata, topic 2002: metadata.run_desc is missing
    fix: add 'run_desc' with a value that is not empty

good.jsonl: ok, 2 reports, checked against ragtime26, revision 2026-08-07
bad.jsonl: not ok, 2 reports, 3 errors, 1 warning, checked against ragtime26, revision 2026-08-07
"""  # noqa: E501

GITHUB = r"""::notice file=good.jsonl,title=argue-eval::good.jsonl: ok, 2 reports, checked against ragtime26, revision 2026-08-07
::error file=bad.jsonl,line=1,title=run_id_alphabet::$.metadata.run_id: the run id 'a run\x1b[31m, 100%25' has '\x1b', ' ', '%25', ',', '['%0Afix: use ASCII letters, digits, '.', '_' and '-', and do not start with '.', such as 'a-run-31m-100', in every report
::error file=bad.jsonl,line=2,title=run_id_differs::$.metadata.run_id: the run id is 'run-1', before it was 'a run\x1b[31m, 100%25'%0Afix: one file holds one run: write the same run id in every report, or write each run to a file of its own
::warning file=bad.jsonl,line=2,title=metadata_recommended::$.metadata: metadata.run_desc is missing%0Afix: add 'run_desc' with a value that is not empty
::error file=bad.jsonl,line=2,title=docid_pattern::$.responses[0].citations['x\u202ey']: the document id 'x\u202ey' does not match the track's pattern%0Afix: correct the id
::notice file=bad.jsonl,title=argue-eval::bad.jsonl: not ok, 2 reports, 3 errors, 1 warning, checked against ragtime26, revision 2026-08-07
"""  # noqa: E501


def test_github_annotates_every_finding_on_its_line(runs: list[Checked]) -> None:
    assert "".join(github.render(runs, None)) == GITHUB


def test_json_has_every_finding_with_all_its_parts(runs: list[Checked]) -> None:
    shown = "".join(as_json.render(runs, None))
    assert shown.isascii()
    good, bad = json.loads(shown)["runs"]
    assert good == {
        "file": "good.jsonl",
        "is_ok": True,
        "track": "ragtime26",
        "is_guessed": False,
        "revision": "2026-08-07",
        "num_reports": 2,
        "num_errors": 0,
        "num_warnings": 0,
        "counts": {},
        "unchecked": good["unchecked"],
        "findings": [],
    }
    assert good["unchecked"] == {
        "missing_topics": "--requests",
        "new_topics": "--requests",
        "unknown_document": "--collection",
        "length": "--requests",
        "segmentation": "--segmentation",
    }
    assert (bad["is_ok"], bad["num_errors"], bad["num_warnings"]) == (False, 3, 1)
    assert bad["findings"][-1] == {
        "severity": "error",
        "code": "docid_pattern",
        "line": 2,
        "path": "$.responses[0].citations['x\\u202ey']",
        "topic_id": "2002",
        "sentence": 0,
        "message": "the document id 'x\\u202ey' does not match the track's pattern",
        "expected": r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}_\d+",
        "fix": "correct the id",
    }


@pytest.mark.parametrize("height", [24, 40, 100])
def test_text_fits_the_screen_and_says_how_much_is_not_shown(height: int, tmp_path: Path) -> None:
    reports = []
    for number in range(200):
        report = run_of("ragtime26")[0]
        report["metadata"]["topic_id"] = str(2000 + number)
        del report["metadata"]["run_desc"]
        sentences_of(report)[0]["text"] += "\u200b" if number % 7 else " "
        sentences_of(report)[0]["citations"] = {"junk": 1.0}
        reports.append(report)
    runs = list(check_runs([write_run(tmp_path / "r.jsonl", reports)], Job(track="ragtime26")))
    lines = "".join(text.render(runs, height)).splitlines()
    assert height - 12 <= len(lines) < height
    heads = [line for line in lines if line.endswith(" found")]
    assert heads == [
        "error docid_pattern: 200 found",
        "warning metadata_recommended: 200 found",
        "warning suspicious_text: 171 found",
        "warning repeated_report: 1 found",
    ]
    shown = sum("topic 2" in line for line in lines)
    hidden = sum(int(line.split()[2]) for line in lines if line.startswith("  … and"))
    assert shown + hidden == 572
    assert len("".join(text.render(runs, None)).splitlines()) > 1000
