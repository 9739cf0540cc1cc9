"""Finds nuggets by their texts, for files that know no ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from argue_eval.records import TopicNuggets

Pair = tuple[str, str]
"""A nugget's id and one of its answers."""


class NuggetTexts:
    """The nuggets of all topics, by question and answer and by attesting document."""

    def __init__(self, nuggets: Sequence[TopicNuggets]) -> None:
        self._topics = {topic.topic_id for topic in nuggets}
        self._by_text: dict[tuple[str, str, str], list[Pair]] = {}
        self._by_document: dict[tuple[str, str], list[Pair]] = {}
        for topic in nuggets:
            for nugget in topic.nuggets:
                question = (nugget.question or "").strip()
                for answer in nugget.answers:
                    pair = (nugget.nugget_id, answer.answer)
                    key = (topic.topic_id, question, answer.answer.strip())
                    self._by_text.setdefault(key, []).append(pair)
                    for doc_id in answer.doc_ids:
                        self._by_document.setdefault((topic.topic_id, doc_id), []).append(pair)

    def __contains__(self, topic_id: str) -> bool:
        return topic_id in self._topics

    def find(self, topic_id: str, question: str, answer: str) -> list[Pair]:
        """Returns every nugget with this question that has this answer."""
        return self._by_text.get((topic_id, question.strip(), answer.strip()), [])

    def attested(self, topic_id: str, doc_ids: Iterable[str]) -> list[Pair]:
        """Returns every answer of the topic that one of the documents attests, each once."""
        found: dict[Pair, None] = {}
        for doc_id in doc_ids:
            found.update(dict.fromkeys(self._by_document.get((topic_id, doc_id), ())))
        return list(found)
