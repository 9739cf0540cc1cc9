"""The page of a topic's nuggets: which run answers which, and which need a second look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from argue_eval.errors import Findings
from argue_eval.records import Nugget, TopicNuggets
from argue_eval.report.pages.model import Track, TrackRun
from argue_eval.report.pages.topic import status_of
from argue_eval.validation import nuggets as checks

_ALIKE = ("near_duplicate_question", "shared_question")


def values(track: Track, topic_id: str, runs: Sequence[TrackRun]) -> dict[str, Any]:
    """What is on the page of a topic's nuggets."""
    nuggets = track.nuggets[topic_id]
    places = {each.nugget_id: place for place, each in enumerate(nuggets)}
    statuses = [status_of(run, topic_id, places) for run in runs]
    rows = [
        _row(nugget, [each[place] for each in statuses]) for place, nugget in enumerate(nuggets)
    ]
    return {
        "track": track,
        "topic_id": topic_id,
        "request": track.requests.get(topic_id),
        "runs": runs,
        "rows": rows,
        "of_all": [row for row in rows if row["kind"] == "all"],
        "of_none": [row for row in rows if row["kind"] == "none"],
        "alike": _alike(topic_id, nuggets),
    }


def _row(nugget: Nugget, statuses: Sequence[str]) -> dict[str, Any]:
    num_yes = sum(each == "y" for each in statuses)
    is_known = all(each in "yn" for each in statuses)
    kind = "all" if num_yes == len(statuses) else "none" if is_known and not num_yes else ""
    return {"nugget": nugget, "statuses": statuses, "num_yes": num_yes, "kind": kind}


def _alike(topic_id: str, nuggets: Sequence[Nugget]) -> list[str]:
    """Pairs of nuggets that may ask the same, in words."""
    findings = Findings()
    checks.check(findings, [TopicNuggets(topic_id, tuple(nuggets))])
    return [each.message for each in findings if each.code in _ALIKE]
