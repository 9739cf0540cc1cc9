"""Short ways to segment a text and to look at what comes out."""

from __future__ import annotations

from argue_eval.errors import Finding
from argue_eval.formats.segmenting import TextOptions, segment
from argue_eval.records import Report

Rows = list[tuple[str, list[str]]]


def rows(text: str, **options: object) -> Rows:
    """The segments of a text with the ids that they cite."""
    return pairs(read(text, **options)[0])


def pairs(report: Report) -> Rows:
    """The segments of a report with the ids that they cite."""
    return [(each.text, [one.doc_id for one in each.citations]) for each in report.sentences]


def found(text: str, **options: object) -> list[tuple[str, int | None]]:
    """Code and line of all that is doubtful about a text."""
    return [(each.code, each.line) for each in read(text, **options)[1]]


def read(text: str, **options: object) -> tuple[Report, list[Finding]]:
    """The report of a text and what is doubtful about it."""
    made = segment(text, "t1", "run", TextOptions(**options), "t1.md")  # type: ignore[arg-type]
    return made.reports[0], list(made.warnings)
