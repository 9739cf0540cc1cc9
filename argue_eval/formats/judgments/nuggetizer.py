"""JSON lines with `qid`, `run_id` and `nuggets` of `text` and `assignment` (nuggetizer)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from argue_eval.formats import assignments
from argue_eval.formats.checking import Check
from argue_eval.records import Judgment, TopicNuggets

SHAPES = (("qid", "run_id", "nuggets.assignment"),)


def read(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
) -> Iterator[Judgment]:
    """Yields how far each answer as a whole supports each nugget."""
    return assignments.judgments(values, check, nuggets, assignments.NUGGETIZER)
