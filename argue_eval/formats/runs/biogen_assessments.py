"""BioGen's assessments: `question_id` with `machine_generated_answers` by run, as runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.errors import describe
from argue_eval.formats import assessments
from argue_eval.formats.assessments import ACCURATE, GRADES, NO_GRADE, RELEVANCE
from argue_eval.formats.checking import MISSING, Check, Fields
from argue_eval.records import Citation, Report, Sentence

_ACCURATE = {"yes": True, "no": False}


def read(values: Iterable[Any], check: Check) -> Iterator[Report]:
    """Yields a report for each answer, with the grades of its sentences."""
    for topic_id, run_id, fields in assessments.biogen_answers(values, check):
        num_errors = len(check.errors)
        word = _word(fields, ACCURATE, (*_ACCURATE,))
        sentences = [_sentence(each) for each in fields.objects("answer_sentences")]
        if len(check.errors) == num_errors:
            yield Report(
                topic_id,
                run_id,
                tuple(sentences),
                line=check.here(),
                extra={ACCURATE: _ACCURATE[word]} if word else {},
                has_text=all(sentence.text.strip() for sentence in sentences),
            )


def _sentence(fields: Fields) -> Sentence:
    """A sentence; of one without text, the assessments are known all the same."""
    text = fields.text("answer_sentence", required=False)
    was_assessed = RELEVANCE in fields.rest
    grade = _word(fields, RELEVANCE, GRADES) or NO_GRADE
    doc_ids = dict.fromkeys(doc_id for doc_id, _ in assessments.biogen_citations(fields))
    citations = tuple([Citation(each) for each in doc_ids])
    return Sentence(text, citations, {RELEVANCE: grade} if was_assessed else {})


def _word(fields: Fields, name: str, words: tuple[str, ...]) -> str:
    """The word under a key; empty if it is absent or null."""
    value, path = fields.take(name, required=False)
    word = value.strip().lower() if type(value) is str else ""
    if value is MISSING or word in words:
        return word
    listed = ", ".join(map(repr, words))
    message = f"expected one of {listed}, or null, found {describe(value)}"
    fields.check.error("bad_value", message, path)
    return ""
