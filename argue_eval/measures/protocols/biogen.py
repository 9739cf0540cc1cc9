"""BioGen: which citations support or contradict their sentences, and how sentences are graded.

Source: TREC 2024 BioGen track. The unit is a sentence of the answer. Its grade is an assessor's,
and stands in the file of the assessments; no judge is asked for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from argue_eval.formats.assessments import ACCURATE, RELEVANCE
from argue_eval.measures.protocols import Asking, Judged, Known, ReportProtocol, verdict_of
from argue_eval.records import Kind, Question, Report, Verdict

Unit = tuple[int, Asking]
"""The index of a sentence, and what asks about its report."""


class SentenceOutcome(NamedTuple):
    """What is known of one sentence.

    Attributes:
        grade: an assessor's, or ``none`` where the assessor gave none; None if the sentence was not
            assessed.
        citations: each cited document with its verdict; None if unjudged.
        needs: questions without a verdict.
    """

    sentence_index: int
    grade: str | None
    citations: tuple[tuple[str, Verdict | None], ...] = ()
    needs: tuple[Question, ...] = ()


class AnswerOutcome(NamedTuple):
    """What is known of an answer.

    Attributes:
        is_accurate: an assessor's verdict; None if the answer was not assessed. A missing one is
            not accurate.
    """

    sentences: tuple[SentenceOutcome, ...] = ()
    is_accurate: bool | None = None


class BioGen(ReportProtocol[Unit, SentenceOutcome]):
    """Sentences in one question's answers."""

    reads_held_judgments = True
    reads_texts = False
    counts_contradictions = True
    counts_sentences = True

    def units(self, report: Report) -> list[Unit]:
        """The sentences of the answer."""
        asking = Asking(self.topic, report)
        return [(index, asking) for index in range(len(report.sentences))]

    def step(self, unit: Unit, known: Known) -> SentenceOutcome:
        """What is known of the sentence."""
        index, asking = unit
        sentence = asking.report.sentences[index]
        view = known.sentence(index)
        doc_ids = dict.fromkeys(citation.doc_id for citation in sentence.citations)
        citations = tuple([(each, verdict_of(view, Kind.SUPPORT, each)) for each in doc_ids])
        needs = tuple(
            [
                asking.question(Kind.SUPPORT, index, doc_id=doc_id)
                for doc_id, verdict in citations
                if verdict is None
            ]
        )
        return SentenceOutcome(index, sentence.extra.get(RELEVANCE), citations, needs)

    def conclude(self, report: Report | None, outcomes: Sequence[SentenceOutcome]) -> AnswerOutcome:
        """The sentences, and whether the answer is accurate."""
        return AnswerOutcome(tuple(outcomes), report.extra.get(ACCURATE) if report else False)

    def records(
        self, report: Report, concluded: AnswerOutcome, known: Known
    ) -> Iterator[dict[str, Any]]:
        """Yields an object per sentence."""
        for outcome in concluded.sentences:
            index = outcome.sentence_index
            view = known.sentence(index)
            yield {
                "run_id": report.run_id,
                "topic_id": report.topic_id,
                "sentence_index": index,
                "text": report.sentences[index].text,
                "grade": outcome.grade,
                "citations": [
                    _citation_record(doc_id, view.get((Kind.SUPPORT, doc_id)))
                    for doc_id, _ in outcome.citations
                ],
            }


def _citation_record(doc_id: str, judged: Judged | None) -> dict[str, Any]:
    return {
        "doc_id": doc_id,
        "support": judged.verdict.value if judged else None,
        "judge": judged.judge if judged else "",
        "rationale": judged.rationale if judged else "",
    }


PROTOCOL_CLASS = BioGen
