"""JSON lines with `qid`, `run_id`, `answer_text` and `nuggets` (nuggetizer's assignments)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats import assignments
from argue_eval.formats.checking import Check
from argue_eval.records import Report

SHAPES = (("qid", "run_id", "answer_text", "nuggets"),)


def read(values: Iterable[Any], check: Check) -> Iterator[Report]:
    """Yields a report for each line."""
    return assignments.reports(values, check, assignments.NUGGETIZER)
