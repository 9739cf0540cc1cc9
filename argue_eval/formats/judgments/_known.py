"""Compares judgments with the nuggets to which they refer."""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.errors import shorten
from argue_eval.formats.checking import Check
from argue_eval.records import Judgment, Kind, TopicNuggets


class KnownNuggets:
    """The ids and answers of the nuggets. A judgment of any other is without effect.

    Where no nuggets are given, whatever is judged is taken for known.
    """

    def __init__(self, nuggets: Sequence[TopicNuggets], check: Check) -> None:
        self._check = check
        self._topics = {topic.topic_id for topic in nuggets}
        self._nuggets = {
            (topic.topic_id, nugget.nugget_id): frozenset(each.answer for each in nugget.answers)
            for topic in nuggets
            for nugget in topic.nuggets
        }

    def is_known(self, topic_id: str, nugget_id: str, answer: str) -> bool:
        """Whether the nuggets have what a judgment names; a text may be empty."""
        if not nugget_id or not self._topics:
            return not self._topics or topic_id in self._topics
        answers = self._nuggets.get((topic_id, nugget_id))
        return answers is not None and (not answer or answer in answers)

    def look_up(self, judgment: Judgment) -> None:
        """Warns if the judgment's topic, nugget or answer is unknown."""
        topic_id, nugget_id = judgment.topic_id, judgment.nugget_id
        if self.is_known(topic_id, nugget_id, judgment.answer):
            return
        hint = "it has no effect; are these the judgments of these nuggets?"
        if topic_id not in self._topics:
            message = f"no nuggets for the topic {shorten(topic_id)} of this judgment"
            self._check.warn("unknown_topic", message, ("topic_id",), hint=hint, once=True)
        elif nugget_id:
            answers = self._nuggets.get((topic_id, nugget_id))
            if answers is None:
                message = f"the topic {shorten(topic_id)} has no nugget {shorten(nugget_id)}"
                self._check.warn("unknown_nugget", message, ("nugget_id",), hint=hint, once=True)
            elif judgment.kind is Kind.ANSWERS and judgment.answer not in answers:
                message = f"the nugget {shorten(nugget_id)} has no such answer"
                self._check.warn("unknown_answer", message, ("answer",), hint=hint, once=True)
