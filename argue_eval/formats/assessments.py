"""What the readers of assessments that tracks released have in common: their rows and items.

A file of each track is read three times: as runs, as nuggets or topics, and as judgments.

Source: the released assessments of the TREC tracks BioGen 2024, DRAGUN 2025 and RAG 2024.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.errors import shorten
from argue_eval.formats.checking import Check, Fields, each_object

# --- BioGen 2024: a question has the answers of all runs, an answer its graded sentences ---

RELEVANCE = "answer_sentence_relevance"
"""Where a sentence that is read has its grade: one of `GRADES`, or `NO_GRADE`. One that was not
assessed has no such key."""
ACCURATE = "is_answer_accurate"
"""Where an answer that was assessed has whether it is accurate."""

GRADES = ("required", "borderline", "unnecessary", "inappropriate")
NO_GRADE = "none"
"""The grade of a sentence for which the file says null: the track counts it among the sentences."""


def biogen_questions(values: Iterable[Any], check: Check) -> Iterator[tuple[str, Fields]]:
    """Yields the id of each question with all that is said about it."""
    for top in each_object(check, values):
        yield top.identifier("question_id", or_number=True), top


def biogen_answers(values: Iterable[Any], check: Check) -> Iterator[tuple[str, str, Fields]]:
    """Yields the answers to each question: topic, run, and what is said of the answer."""
    seen: set[str] = set()
    for topic_id, top in biogen_questions(values, check):
        if topic_id in seen:
            message = f"the question {shorten(topic_id)} occurs again"
            check.error("duplicate_topic", message, top.path, hint="keep one of the two")
        seen.add(topic_id)
        found = top.object("machine_generated_answers")
        for name in [*found.rest] if found else ():
            run_id = check.identifier(name, (*top.path, "machine_generated_answers", name))
            fields = found.object(name) if found else None
            if fields is not None:
                yield topic_id, run_id, fields


def biogen_citations(sentence: Fields) -> Iterator[tuple[str, Fields]]:
    """Yields the documents that a sentence cites with what was assessed; none for null."""
    for citation in sentence.objects("citation_assessment", required=False):
        yield citation.identifier("cited_pmid", or_number=True), citation


# --- DRAGUN 2025: a row says how far a run's report gives one short answer of the rubric ---


def dragun_rows(values: Iterable[Any], check: Check) -> Iterator[tuple[str, str, str, Fields]]:
    """Yields the rows that name their topic, run and answer: these, and what else a row has."""
    for fields in each_object(check, values):
        names = ("topic_id", "run_tag", "answer_id")
        topic_id, run_id, answer_id = [fields.identifier(name) for name in names]
        if topic_id and run_id and answer_id:
            yield topic_id, run_id, answer_id, fields


# --- RAG 2024: a line is a report, with the support that each citation gives ---


def support_topic(top: Fields) -> str:
    """The topic's id."""
    return top.identifier("topic_id", "narrative_id", or_number=True)


def support_reports(values: Iterable[Any], check: Check) -> Iterator[tuple[Fields, str, str]]:
    """Yields each line with its topic and run; notes an error for one that occurs again."""
    seen: set[tuple[str, str]] = set()
    for top in each_object(check, values):
        topic_id, run_id = support_topic(top), top.identifier("run_id")
        if (topic_id, run_id) in seen:
            message = f"the report of {shorten(run_id)} on {shorten(topic_id)} occurs again"
            check.error("duplicate_report", message, hint="keep one of the two", topic_id=topic_id)
        seen.add((topic_id, run_id))
        yield top, topic_id, run_id


def support_citations(sentence: Fields) -> dict[str, Fields]:
    """The citations of a sentence by document: of two of one document, the first."""
    found: dict[str, Fields] = {}
    for each in sentence.objects("citations", required=False):
        doc_id = each.identifier("reference")
        if doc_id in found:
            message = f"the sentence cites {shorten(doc_id)} again; the first citation counts"
            sentence.check.warn("duplicate_citation", message, each.path, once=True)
        else:
            found[doc_id] = each
    return found
