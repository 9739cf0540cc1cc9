"""What the readers of BioGen's assessments have in common: answers, by question and run.

Source: the released assessments of the TREC 2024 BioGen track. A question has the answers of all
runs, and an answer its sentences, each with a grade and the assessed citations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from argue_eval.errors import shorten
from argue_eval.formats.checking import Check, Fields, each_object

RELEVANCE = "answer_sentence_relevance"
"""Where a sentence that is read has its grade: one of `GRADES`, or `NO_GRADE`. One that was not
assessed has no such key."""
ACCURATE = "is_answer_accurate"
"""Where an answer that was assessed has whether it is accurate."""

GRADES = ("required", "borderline", "unnecessary", "inappropriate")
NO_GRADE = "none"
"""The grade of a sentence for which the file says null: the track counts it among the sentences."""


class Answer(NamedTuple):
    """The answer of a run to a question; `fields` has what is said of it."""

    topic_id: str
    run_id: str
    fields: Fields


def questions(values: Iterable[Any], check: Check) -> Iterator[tuple[str, Fields]]:
    """Yields the id of each question with all that is said about it."""
    for top in each_object(check, values):
        yield top.identifier("question_id", or_number=True), top


def answers(values: Iterable[Any], check: Check) -> Iterator[Answer]:
    """Yields the answers to each question."""
    seen: set[str] = set()
    for topic_id, top in questions(values, check):
        if topic_id in seen:
            message = f"the question {shorten(topic_id)} occurs again"
            check.error("duplicate_topic", message, top.path, hint="keep one of the two")
        seen.add(topic_id)
        found = top.object("machine_generated_answers")
        for name in [*found.rest] if found else ():
            run_id = check.identifier(name, (*top.path, "machine_generated_answers", name))
            fields = found.object(name) if found else None
            if fields is not None:
                yield Answer(topic_id, run_id, fields)


def cited(sentence: Fields) -> Iterator[tuple[str, Fields]]:
    """Yields the documents that a sentence cites with what was assessed; none for null."""
    for citation in sentence.objects("citation_assessment", required=False):
        yield citation.identifier("cited_pmid", or_number=True), citation
