"""Topics of the nuggets against those of the requests."""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.records import ReportRequest, TopicNuggets
from argue_eval.validation.ingest.found import Found


def check(
    topics: Sequence[TopicNuggets], requests: Sequence[ReportRequest], file: str, found: Found
) -> None:
    """Warns of topics that only one of the two has.

    Args:
        file: the name of the request file.
    """
    requested = {request.topic_id for request in requests}
    for topic in topics:
        if topic.topic_id not in requested:
            hint = "check the topic id, and that both files are of the same track"
            message = f"the topic is not among the requests of {file}"
            found.warn("topic_not_requested", message, hint, topic.topic_id)
    with_nuggets = {topic.topic_id for topic in topics}
    for request in requests:
        if request.topic_id not in with_nuggets:
            message = f"the requested topic {request.topic_id} has no nuggets"
            hint = "add its nuggets: without any, its recall is undefined, and 0 in the mean"
            found.warn_file(file, "topic_without_nuggets", message, hint, request.topic_id)
