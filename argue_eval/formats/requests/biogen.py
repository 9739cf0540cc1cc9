"""`topic_id` with `question` and `narrative` as JSON lines, or a list `topics` of them (BioGen)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, each_object
from argue_eval.records import ReportRequest


def read(values: Iterable[Any], check: Check) -> Iterator[ReportRequest]:
    """Yields the requests; the narrative is the background of the question."""
    for top in each_object(check, values):
        for fields in top.objects("topics") if "topics" in top.rest else [top]:
            topic_id = fields.identifier("topic_id", "id", or_number=True)
            check.new_topic(topic_id, fields.path)
            yield ReportRequest(
                topic_id=topic_id,
                title=fields.text("title", "topic", required=False),
                problem_statement=fields.text("question", blank=False),
                background=fields.text("narrative", required=False),
                extra=fields.rest,
            )
