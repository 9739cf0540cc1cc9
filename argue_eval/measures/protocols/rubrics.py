"""Rubrics: every weighted criterion is graded against the whole report.

Source: ResearchRubrics, as in the development data of the TREC 2026 RAG track. The unit is a
criterion, a claim nugget with a weight. A criterion of negative weight says what a report should
not do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from argue_eval.measures import claims
from argue_eval.measures.claims import Claim
from argue_eval.measures.protocols import Known, ReportProtocol
from argue_eval.records import Grade, Report


class Rubrics(ReportProtocol[Claim, Grade]):
    """Criteria in one topic's reports."""

    options = frozenset({"covers"})
    grades_claims = True
    reads_held_judgments = True
    grades_each_nugget = True
    reads_texts = False
    grades_criteria = True

    def units(self, report: Report) -> list[Claim]:
        """The criteria of the topic."""
        return claims.claims_in(report, self.topic)

    def step(self, unit: Claim, known: Known) -> Grade:
        """How far the report satisfies the criterion."""
        return claims.grade(unit, known, self.wanted.options.covers)

    def records(
        self, report: Report, concluded: Sequence[Grade], known: Known
    ) -> Iterator[dict[str, Any]]:
        """Yields an object per criterion."""
        criteria = claims.claim_nuggets(self.topic.nuggets)
        for nugget, grade in zip(criteria, concluded, strict=True):
            yield {"weight": nugget.weight, **claims.record(report, nugget, grade, known)}


PROTOCOL_CLASS = Rubrics
