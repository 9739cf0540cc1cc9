"""Report requests that lack something, or that ask the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from argue_eval.records import ReportRequest
from argue_eval.validation.ingest.found import Found, some
from argue_eval.validation.ingest.words import words

_FIELDS: tuple[tuple[str, Callable[[ReportRequest], bool]], ...] = (
    ("title", lambda request: bool(request.title.strip())),
    ("background", lambda request: bool(request.background.strip())),
    ("limit", lambda request: request.limit is not None),
    ("language", lambda request: request.language is not None),
)


def check(requests: Sequence[ReportRequest], found: Found) -> None:
    """Warns of requests without a problem statement, of fields that only some have, of twins."""
    same: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for request in requests:
        if request.problem_statement.strip():
            asked = words(f"{request.problem_statement} {request.background}")
            same[asked or (request.problem_statement,)].append(request.topic_id)
            continue
        hint = "write what the report must contain"
        message = "the problem statement is missing or blank"
        found.warn("missing_problem_statement", message, hint, request.topic_id)
    for name, has in _FIELDS:
        lacking = [request.topic_id for request in requests if not has(request)]
        if len(lacking) < len(requests):
            for topic_id in lacking:
                message = f"the topic has no {name}, others have"
                found.warn(f"missing_{name}", message, "add it, if it was left out", topic_id)
    for topic_ids in same.values():
        if len(topic_ids) > 1:
            message = f"the topics {some(topic_ids)} have the same problem statement and background"
            found.warn("duplicate_request", message, "keep one of them", topic_ids[1])
