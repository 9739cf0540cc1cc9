"""Support as judged by the TREC RAG track: what every sentence cites, graded.

Source: TREC 2024 RAG track, support evaluation (full, partial or no support). The unit is a
sentence of the report that cites something. Its first citation decides the track's measures, and
is all that is asked about; what is judged of the others counts in the measures over all.
"""

from __future__ import annotations

from typing import NamedTuple

from argue_eval.measures.protocols import Asking, Known, ReportProtocol, verdict_of
from argue_eval.records import Kind, Question, Report, Verdict

Unit = tuple[int, Asking]
"""The index of a cited sentence, and what asks about its report."""


class CitedSentence(NamedTuple):
    """How far the documents that a sentence cites support it.

    Attributes:
        verdicts: one for each citation, in their order; None if it is not judged.
        needs: the question about the first citation, if that is not judged.
    """

    verdicts: tuple[Verdict | None, ...]
    needs: tuple[Question, ...] = ()


class Support(ReportProtocol[Unit, CitedSentence]):
    """Cited sentences in one topic's reports."""

    reads_held_judgments = True
    counts_sentences = True

    def units(self, report: Report) -> list[Unit]:
        """The sentences that cite something."""
        asking = Asking(self.topic, report)
        return [(i, asking) for i, sentence in enumerate(report.sentences) if sentence.citations]

    def step(self, unit: Unit, known: Known) -> CitedSentence:
        """What is judged of the sentence's citations."""
        index, asking = unit
        view = known.sentence(index)
        cited = asking.report.sentences[index].citations
        verdicts = tuple([verdict_of(view, Kind.SUPPORT, each.doc_id) for each in cited])
        if verdicts[0] is not None:
            return CitedSentence(verdicts)
        question = asking.question(Kind.SUPPORT, index, doc_id=cited[0].doc_id)
        return CitedSentence(verdicts, (question,))


PROTOCOL_CLASS = Support
