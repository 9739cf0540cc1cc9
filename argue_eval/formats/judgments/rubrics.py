"""JSON lines with `qid` and `criteria` of `text` and `verdict` (graded rubrics)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from argue_eval.formats import assignments
from argue_eval.formats.checking import Check
from argue_eval.records import Judgment, TopicNuggets

SHAPES = (("qid", "criteria.verdict"), ("qid", "run_id", "criteria.verdict"))


def read(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
) -> Iterator[Judgment]:
    """Yields how far each answer as a whole satisfies each criterion."""
    return assignments.judgments(values, check, nuggets, assignments.RUBRICS)
