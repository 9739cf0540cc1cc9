"""JSON lines with `qid` and graded `criteria`: answers, whose texts may be missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats import assignments
from argue_eval.formats.checking import Check
from argue_eval.records import Report

SHAPES = (("qid", "criteria.verdict"), ("qid", "run_id", "criteria.verdict"))


def read(values: Iterable[Any], check: Check) -> Iterator[Report]:
    """Yields a report for each line. Without a `run_id`, its run is called as the file is."""
    return assignments.reports(values, check, assignments.RUBRICS)
