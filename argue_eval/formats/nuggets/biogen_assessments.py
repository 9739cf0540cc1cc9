"""BioGen's assessments: the questions as topics, without nuggets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats import assessments
from argue_eval.formats.checking import Check
from argue_eval.records import TopicNuggets


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the questions. They have no nuggets: the protocol `biogen` looks at none, and averages
    over these questions.
    """
    for topic_id, top in assessments.biogen_questions(values, check):
        check.new_topic(topic_id, top.path)
        if topic_id:
            yield TopicNuggets(topic_id)
