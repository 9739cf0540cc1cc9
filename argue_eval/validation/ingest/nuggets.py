"""Topics and nuggets that lack something."""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.records import TopicNuggets
from argue_eval.validation.ingest.found import Found, count, named


def check(topic: TopicNuggets, found: Found) -> None:
    """Warns if a topic has no nuggets."""
    if not topic.nuggets:
        hint = "add its nuggets: without any, its recall is undefined"
        found.warn("empty_topic", "the topic has no nuggets", hint, topic.topic_id)


def check_importance(topics: Sequence[TopicNuggets], found: Found) -> None:
    """Warns if some nuggets say how much they matter and others do not."""
    nuggets = [(topic, nugget) for topic in topics for nugget in topic.nuggets]
    bare = [place for place in nuggets if place[1].importance is None]
    if bare and len(bare) < len(nuggets):
        topic, nugget = bare[0]
        number = count(len(bare), "nugget")
        message = f"{number} of {len(nuggets)} without importance; the first is {named(nugget)}"
        hint = "write vital or okay: without, a nugget weighs 1 in the weighted measures"
        found.warn("missing_importance", message, hint, topic.topic_id)
