"""Long2RAG: which key points a response covers, and whether the retrieved documents entail them.

Source: Long2RAG (2024), sections 4 and 6.4. The unit is a key point, a claim nugget that was
extracted from the documents that were retrieved for a question. Entailment is yes or not: partial
coverage does not count, and neither does partial support.
"""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.measures.protocols import Known, _claims, verdict_of
from argue_eval.records import Answer, KeyPointOutcome, Kind, Nugget, Question, Report, Verdict

units = _claims.units


def retrieved(report: Report, nuggets: Sequence[Nugget]) -> tuple[str, ...]:
    """Returns the ids of the documents that were retrieved for a report's question.

    They are the report's references; without any, what its sentences cite; without citations, the
    documents that the question's key points come from, which all systems were given.
    """
    found = report.references or (
        citation.doc_id for sentence in report.sentences for citation in sentence.citations
    )
    return tuple(dict.fromkeys(found)) or tuple(
        dict.fromkeys(
            doc_id for nugget in nuggets for answer in nugget.answers for doc_id in answer.doc_ids
        )
    )


def step(
    nugget: Nugget,
    sentences: Sequence[Known],
    whole: Known,
    covers: str,
    point: Known,
    doc_ids: Sequence[str] | None,
) -> KeyPointOutcome:
    """Returns whether a report covers a key point and documents entail it, as far as is known.

    Args:
        sentences: what is judged about each sentence of the report.
        whole: what is judged about the report as a whole; decides if there is such a verdict.
        covers: what is asked about: each ``sentence``, or the ``report`` as a whole.
        point: what is judged about the key point's own text.
        doc_ids: the documents retrieved for the question; None if no measure looks at them.
    """
    covered = _claims.grade(nugget.nugget_id, sentences, whole, covers)
    needs = covered.needs
    is_covered: bool | None = covered.verdict is Verdict.YES
    if covered.verdict is None:
        is_covered = None
    is_entailed: bool | None = None
    if doc_ids is not None and is_covered is not False:
        claim = nugget.answers[0]
        is_entailed, questions = _entailment(nugget.nugget_id, claim, point, doc_ids)
        if is_covered:  # what the response may not say need not be in the documents
            needs = questions
    return KeyPointOutcome(nugget.nugget_id, is_covered, is_entailed, needs)


def own_step(claim: str, point: Known, doc_ids: Sequence[str] | None) -> KeyPointOutcome:
    """Returns whether documents entail a key point that was extracted from the report itself."""
    if doc_ids is None:
        return KeyPointOutcome(claim, True)
    return KeyPointOutcome(claim, True, *_entailment(claim, Answer(claim), point, doc_ids))


def _entailment(
    unit_id: str, claim: Answer, point: Known, doc_ids: Sequence[str]
) -> tuple[bool | None, tuple[Question, ...]]:
    """Returns whether any of the documents entails a key point, and what decides it.

    A document that the nuggets name for the key point does; others are asked about. Without any
    document nobody can tell.
    """
    if not set(doc_ids).isdisjoint(claim.doc_ids):
        return True, ()
    verdicts = {doc_id: verdict_of(point, Kind.SUPPORT, doc_id) for doc_id in doc_ids or ("",)}
    if Verdict.YES in verdicts.values():
        return True, ()
    questions = tuple(
        [
            Question(Kind.SUPPORT, _claims.WHOLE, doc_id, unit_id, claim.answer)
            for doc_id, verdict in verdicts.items()
            if verdict is None
        ]
    )
    return (None, questions) if questions else (False, ())
