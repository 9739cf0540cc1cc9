"""SummHay's haystacks: `subtopics` with their queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import argue_eval.formats.summhay_files as summhay
from argue_eval.formats.checking import Check
from argue_eval.records import ReportRequest


def read(values: Iterable[Any], check: Check) -> Iterator[ReportRequest]:
    """Yields a request for each subtopic: its query, on the background of the haystack's topic."""
    for top, subtopic in summhay.subtopics(values, check):
        topic_id = subtopic.identifier("subtopic_id")
        check.new_topic(topic_id, subtopic.path)
        title = subtopic.text("subtopic_name", required=False)
        about = subtopic.text("subtopic", required=False)
        query = subtopic.text("query", required=False)
        background = top.rest.get("topic")
        yield ReportRequest(
            topic_id=topic_id,
            title=title,
            problem_statement=query or about,
            background=background if type(background) is str else "",
        )
