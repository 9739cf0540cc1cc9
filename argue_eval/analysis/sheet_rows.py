"""Questions as people read them on a sheet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from argue_eval.formats.sheets import CUT, Row
from argue_eval.measures.protocols import NO_SENTENCE
from argue_eval.records import VERDICTS, Document, Kind, Question, ReportRequest

_MAX_NAME = 5_000
"""A longer sentence is named by its place: its text would fill the cell of a sheet."""

_WORDS: dict[Kind, Callable[[Question], str]] = {
    Kind.RELEVANT: lambda _: "Is the document relevant to the topic?",
    Kind.ANSWERS: lambda each: (
        f"Does the sentence give the answer “{each.claim}” to the question "
        f"“{each.nugget_question or each.nugget_id}”?"
    ),
    Kind.SUPPORT: lambda _: "Does the document support the sentence?",
    Kind.NEGATIVE: lambda _: "Does the sentence say that something is absent or unknown?",
    Kind.AGREES: lambda each: (
        "If so: does it say that nothing is known about this: "
        f"“{each.nugget_question or each.nugget_id}”?"
    ),
    Kind.REQUIRES_CITATION: lambda _: "If not: does the sentence need a citation?",
    Kind.FIRST_INSTANCE: lambda _: (
        "If it needs one: is this claim made here for the first time in the report?"
    ),
    Kind.COVERS: lambda each: f"Does the text cover this claim: “{each.claim}”?",
}
"""What people are asked. The questions about a sentence without citation build on each other."""


def row_of(question: Question, probability: float | None = None) -> Row:
    """The row of a question, with all texts that are at hand.

    It names the sentence by its text, so that the run stays unknown, wherever that says enough.
    """
    kind = question.kind
    *first, last = [verdict.value for verdict in VERDICTS[kind]]
    choices = f"{', '.join(first)} or {last}"
    return Row(
        keys=_keys(question),
        question=f"{_WORDS[kind](question)} ({choices})",
        sentence=question.text if kind is not Kind.RELEVANT else "",
        evidence=evidence_of(question.document) or "\n".join(question.earlier),
        topic=topic_of(question.topic_id, question.request),
        probability=probability,
    )


def evidence_of(document: Document | None) -> str:
    """The text of a document, as a person reads it; empty without one."""
    if document is None:
        return ""
    return f"{document.title}\n\n{document.text}".strip() + CUT * document.is_cut


def topic_of(topic_id: str, request: ReportRequest | None) -> str:
    """What a topic is about."""
    texts = [request.title, request.problem_statement] if request else []
    return "\n".join([topic_id, *filter(None, texts)])


def _keys(question: Question) -> dict[str, Any]:
    kind, index = question.kind, question.sentence_index
    keys: dict[str, Any] = {"topic_id": question.topic_id, "kind": kind.value}
    for name in ("doc_id", "nugget_id", "answer"):
        if getattr(question, name) and (name != "doc_id" or kind is not Kind.ANSWERS):
            keys[name] = getattr(question, name)
    if kind is Kind.SUPPORT:
        keys.pop("answer", None)  # the claim, which is the sentence
    is_long = len(question.text) > _MAX_NAME or not question.text.strip()
    if index == NO_SENTENCE and kind is Kind.COVERS:
        keys["run_id"] = question.run_id
    elif question.run_id and (kind is Kind.FIRST_INSTANCE or (is_long and index != NO_SENTENCE)):
        keys |= {"run_id": question.run_id, "sentence_index": index}
    elif kind is not Kind.RELEVANT:
        keys["sentence"] = question.text
    return keys
