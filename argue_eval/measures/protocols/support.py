"""Support as judged by the TREC RAG track: the first cited document of every sentence, graded.

Source: TREC 2024 RAG track, support evaluation (full, partial or no support). The unit is a
sentence of the report that cites something.
"""

from __future__ import annotations

from argue_eval.measures.protocols import Asking, Known, ReportProtocol, verdict_of
from argue_eval.records import Grade, Kind, Report, Verdict

Unit = tuple[int, Asking]
"""The index of a cited sentence, and what asks about its report."""


class Support(ReportProtocol[Unit, Grade]):
    """Cited sentences in one topic's reports."""

    def units(self, report: Report) -> list[Unit]:
        """The sentences that cite something."""
        asking = Asking(self.topic, report)
        return [(i, asking) for i, sentence in enumerate(report.sentences) if sentence.citations]

    def step(self, unit: Unit, known: Known) -> Grade:
        """The grade of the sentence's first citation."""
        index, asking = unit
        doc_id = asking.report.sentences[index].citations[0].doc_id
        verdict = verdict_of(known.sentence(index), Kind.SUPPORT, doc_id)
        if verdict is not None:
            return Grade.certain(str(index), verdict)
        question = asking.question(Kind.SUPPORT, index, doc_id=doc_id)
        return Grade(str(index), None, least=Verdict.NO, most=Verdict.YES, needs=(question,))


PROTOCOL_CLASS = Support
