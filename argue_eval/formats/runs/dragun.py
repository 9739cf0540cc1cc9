"""DRAGUN's assessments as CSV: the runs that were assessed, without the texts of their reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats import assessments
from argue_eval.formats.checking import Check
from argue_eval.records import Report


def read(values: Iterable[Any], check: Check) -> Iterator[Report]:
    """Yields a report for each topic of each run."""
    seen: set[tuple[str, str]] = set()
    for topic_id, run_id, _, _ in assessments.dragun_rows(values, check):
        if (topic_id, run_id) not in seen:
            seen.add((topic_id, run_id))
            yield Report(topic_id, run_id, line=check.line, has_text=False)
