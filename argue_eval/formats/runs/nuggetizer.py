"""JSON lines with `qid`, `run_id`, `answer_text` and `nuggets` (nuggetizer's assignments)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.errors import shorten
from argue_eval.formats.assignments import ASSIGNED
from argue_eval.formats.checking import Check, each_object
from argue_eval.records import Report, Sentence

SHAPES = (("qid", "run_id", "answer_text", "nuggets"),)

_NOT_OF_REPORTS = ("nuggets", *ASSIGNED)


def read(values: Iterable[Any], check: Check) -> Iterator[Report]:
    """Yields a report for each line: a single sentence, since only its whole text is there."""
    seen: set[tuple[str, str]] = set()
    for top in each_object(check, values):
        num_errors = len(check.errors)
        topic_id = top.identifier("qid", or_number=True)
        run_id = top.identifier("run_id")
        text = top.text("answer_text")
        if (topic_id, run_id) in seen:
            message = f"the answer of {shorten(run_id)} to {shorten(topic_id)} occurs again"
            check.error("duplicate_report", message, hint="keep one of the two", topic_id=topic_id)
        if len(check.errors) > num_errors:
            continue
        seen.add((topic_id, run_id))
        extra = {key: value for key, value in top.rest.items() if key not in _NOT_OF_REPORTS}
        sentences = (Sentence(text=text),) if text.strip() else ()
        yield Report(
            topic_id=topic_id, run_id=run_id, sentences=sentences, line=check.line, extra=extra
        )
