"""Renames further keys of a source that mean something else in the canonical form.

Keys that argue-eval does not know are kept beside its own. Where a source uses one of its own names
for something else, say an importance of 1 to 5, the file that is written could not be read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from argue_eval.errors import shorten
from argue_eval.records import Answer, Extra, Nugget, ReportRequest, TopicNuggets
from argue_eval.validation.ingest.found import Found, count

_TOPIC = frozenset(("topic_id", "nuggets"))
_NUGGET = frozenset(("nugget_id", "question", "aggregator", "importance", "answers"))
_ANSWER = frozenset(("answer", "doc_ids"))
_REQUEST = frozenset(
    (
        "topic_id",
        "title",
        "problem_statement",
        "background",
        "limit",
        "limit_unit",
        "collection_ids",
        "language",
        "collection_id",  # by which the form of NeuCLIR is made out
    )
)
_ENDING = "_in_source"


class _Renamed:
    """Which keys were renamed, and how often."""

    def __init__(self) -> None:
        self.num_by_key: dict[str, int] = {}

    def extra(self, extra: Extra, reserved: frozenset[str]) -> Extra:
        """Returns the further keys of an object without those that are reserved."""
        if reserved.isdisjoint(extra):
            return extra
        kept: dict[str, Any] = {}
        for key, value in extra.items():
            if key not in reserved:
                kept[key] = value
            elif value is not None:
                self.num_by_key[key] = self.num_by_key.get(key, 0) + 1
                kept[_free(key, extra)] = value
        return kept

    def report(self, found: Found) -> None:
        """Warns of every key that was renamed."""
        for key, number in self.num_by_key.items():
            message = (
                f"the key {shorten(key)} means something else in the canonical form; what the "
                f"source has there is kept as {shorten(key + _ENDING)}, {count(number, 'time')}"
            )
            hint = "if it has the canonical meaning, correct its values"
            found.warn("renamed_key", message, hint)


def _free(key: str, extra: Extra) -> str:
    name = key + _ENDING
    while name in extra:
        name += "_"
    return name


def clean_requests(requests: Sequence[ReportRequest], found: Found) -> list[ReportRequest]:
    """Returns the requests without keys that could be mistaken."""
    renamed = _Renamed()
    cleaned = [each._replace(extra=renamed.extra(each.extra, _REQUEST)) for each in requests]
    renamed.report(found)
    return cleaned


def clean_nuggets(topics: Sequence[TopicNuggets], found: Found) -> list[TopicNuggets]:
    """Returns the nuggets without keys that could be mistaken."""
    renamed = _Renamed()
    cleaned = [_topic(topic, renamed) for topic in topics]
    renamed.report(found)
    return cleaned


def _topic(topic: TopicNuggets, renamed: _Renamed) -> TopicNuggets:
    nuggets = tuple(_nugget(nugget, renamed) for nugget in topic.nuggets)
    return topic._replace(nuggets=nuggets, extra=renamed.extra(topic.extra, _TOPIC))


def _nugget(nugget: Nugget, renamed: _Renamed) -> Nugget:
    answers = tuple(_answer(answer, renamed) for answer in nugget.answers)
    return nugget._replace(answers=answers, extra=renamed.extra(nugget.extra, _NUGGET))


def _answer(answer: Answer, renamed: _Renamed) -> Answer:
    extra = renamed.extra(answer.extra, _ANSWER)
    return answer if extra is answer.extra else answer._replace(extra=extra)
