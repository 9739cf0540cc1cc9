"""Rubrics: every weighted criterion is graded against the whole report.

Source: ResearchRubrics, as in the development data of the TREC 2026 RAG track. The unit is a
criterion, a claim nugget with a weight. A criterion of negative weight says what a report should
not do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from argue_eval.measures import claims
from argue_eval.measures.protocols import Known
from argue_eval.records import Grade, Report


class Rubrics(claims.ClaimProtocol):
    """Criteria in one topic's reports."""

    grades_claims = True
    grades_each_nugget = True
    reads_texts = False
    grades_criteria = True

    def records(
        self, report: Report, concluded: Sequence[Grade], known: Known
    ) -> Iterator[dict[str, Any]]:
        """Yields an object per criterion."""
        for nugget, grade in zip(self.sought, concluded, strict=True):
            yield {"weight": nugget.weight, **claims.record(report, nugget, grade, known)}


PROTOCOL_CLASS = Rubrics
