"""What docs/segment.md shows is what the command does."""

from __future__ import annotations

import json
import re
from pathlib import Path

from argue_eval.formats.segmenting import TextOptions, segment
from tests.formats.segment.reading import pairs

PAGE = Path(__file__).parents[3] / "docs" / "segment.md"


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert found is not None
    return found[1]


def test_the_example_becomes_the_run_that_is_shown() -> None:
    shown = json.loads(block("json"))
    made = segment(block("markdown"), "ex1", "mine", TextOptions())
    (report,) = made.reports
    assert pairs(report) == [(each["text"], each["citations"]) for each in shown["responses"]]
    assert (report.topic_id, report.run_id) == ("ex1", "mine")
    assert [(each.code, "D12" in each.message) for each in made.warnings] == [
        ("unresolved_citation", True)
    ]
    assert made.summary in PAGE.read_text(encoding="utf-8")
