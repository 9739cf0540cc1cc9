"""JSON lines with `theme` and `wanted`."""

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, as_fields
from argue_eval.records import ReportRequest

SHAPES = (("theme", "wanted"),)


def read(values: Iterable[Any], check: Check) -> Iterator[ReportRequest]:
    """Yields a request for each object."""
    for value in values:
        fields = as_fields(check, value)
        if fields is not None:
            topic_id = fields.identifier("theme")
            check.new_topic(topic_id, fields.path)
            yield ReportRequest(topic_id=topic_id, problem_statement=fields.text("wanted"))


def encode(request: ReportRequest) -> dict[str, Any]:
    """A request as a JSON value."""
    return {"theme": request.topic_id, "wanted": request.problem_statement}
