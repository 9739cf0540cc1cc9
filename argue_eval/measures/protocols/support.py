"""Support as judged by the TREC RAG track: the first cited document of every sentence, graded.

Source: TREC 2024 RAG track, support evaluation (full, partial or no support). The unit is a
sentence of the report that cites something.
"""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.measures.protocols import Known, verdict_of
from argue_eval.records import Grade, Kind, Question, Sentence, Verdict


def units(sentences: Sequence[Sentence]) -> list[int]:
    """Returns the places of the sentences that cite something."""
    return [index for index, sentence in enumerate(sentences) if sentence.citations]


def step(index: int, sentence: Sentence, known: Known) -> Grade:
    """Returns the grade of a cited sentence's first citation."""
    doc_id = sentence.citations[0].doc_id
    verdict = verdict_of(known, Kind.SUPPORT, doc_id)
    if verdict is None:
        question = Question(Kind.SUPPORT, index, doc_id)
        return Grade(str(index), None, Verdict.NO, Verdict.YES, (question,))
    return Grade(str(index), verdict, verdict, verdict)
