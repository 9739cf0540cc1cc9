"""JSON lines with `run_id` and judged `sentences` (RAG 2024): the topics, without nuggets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats import assessments
from argue_eval.formats.checking import Check, each_object
from argue_eval.records import TopicNuggets


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the topics in the order in which they occur first. They have no nuggets: the
    protocol `support` looks at none, and averages over these topics.
    """
    for top in each_object(check, values):
        topic_id = assessments.support_topic(top)
        if topic_id not in check.repeated:
            check.repeated[topic_id] = ()
            check.new_topic(topic_id, top.path)
            yield TopicNuggets(topic_id=topic_id)
