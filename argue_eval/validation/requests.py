"""What is wrong with report requests: missing fields, duplicates, topics without nuggets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence

from argue_eval.errors import Findings, count, shorten, some
from argue_eval.records import ReportRequest, TopicNuggets
from argue_eval.text.words import words

_FIELDS: tuple[tuple[str, Callable[[ReportRequest], bool]], ...] = (
    ("title", lambda request: bool(request.title.strip())),
    ("background", lambda request: bool(request.background.strip())),
    ("limit", lambda request: request.limit is not None),
    ("language", lambda request: request.language is not None),
)
_UNUSUAL = re.compile(r"[^A-Za-z0-9._:#/+@~=%&?$!^-]")


def check(findings: Findings, requests: Sequence[ReportRequest]) -> None:
    """Warns of unusual topic ids, missing fields and requests that ask the same."""
    same: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for request in requests:
        check_ids(findings, [request.topic_id], "topic", request.topic_id)
    for request in requests:
        if request.problem_statement.strip():
            asked = words(f"{request.problem_statement} {request.background}")
            same[asked or (request.problem_statement,)].append(request.topic_id)
            continue
        hint = "write what the report must contain"
        message = "the problem statement is missing or blank"
        findings.warn("missing_problem_statement", message, hint, topic_id=request.topic_id)
    for name, has in _FIELDS:
        lacking = [request.topic_id for request in requests if not has(request)]
        if len(lacking) < len(requests):
            for topic_id in lacking:
                message = f"the topic has no {name}, but others do"
                hint = "add it, if it was left out"
                findings.warn(f"missing_{name}", message, hint, topic_id=topic_id)
    for topic_ids in same.values():
        if len(topic_ids) > 1:
            number, ids = count(len(topic_ids), "topic"), some(topic_ids)
            message = f"{number} have the same problem statement and background: {ids}"
            findings.warn("duplicate_request", message, "keep one of them", topic_id=topic_ids[1])


def compare_topics(
    findings: Findings,
    requests: Sequence[ReportRequest],
    nuggets: Sequence[TopicNuggets],
    file: str,
) -> None:
    """Warns of topics that only the requests or only the nuggets have.

    Args:
        file: the name of the request file, which is the place of findings about requests.
    """
    requested = {request.topic_id for request in requests}
    for topic in nuggets:
        if topic.topic_id not in requested:
            hint = "check the topic id, and that both files are of the same track"
            message = f"the topic is not in the request file {file}"
            findings.warn("topic_not_requested", message, hint, topic_id=topic.topic_id)
    with_nuggets = {topic.topic_id for topic in nuggets}
    for request in requests:
        topic_id = request.topic_id
        if topic_id not in with_nuggets:
            message = f"the requested topic {topic_id} has no nuggets"
            hint = "add its nuggets: without any, its recall is undefined, and 0 in the mean"
            findings.warn("topic_without_nuggets", message, hint, file=file, topic_id=topic_id)


def check_ids(findings: Findings, ids: Sequence[str], what: str, topic_id: str) -> None:
    """Warns once of all ids whose characters are likely to get lost in other tools.

    Args:
        what: what they are ids of, such as ``nugget``.
    """
    unusual = [each for each in ids if _UNUSUAL.search(each)]
    if not unusual:
        return
    signs = sorted({sign for each in unusual for sign in _UNUSUAL.findall(each)})
    which = f"the {what} id {shorten(unusual[0])} has"
    if len(unusual) > 1:
        which = f"{count(len(unusual), f'{what} id')} ({some(unusual, 3)}) have"
    shown = ", ".join("a space" if sign.isspace() else shorten(sign) for sign in signs[:5])
    message = f"{which} unusual characters: {shown}"
    hint = "use letters, digits and . _ - : # / as other files of the track do"
    if any(sign.isspace() for sign in signs):
        hint = "write it without white space, which separates columns in many file formats"
    findings.warn("unusual_id", message, hint, topic_id=topic_id)
