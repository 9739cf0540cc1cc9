"""AutoNuggetizer: every claim nugget is graded against the whole report.

Source: the AutoNuggetizer framework of the TREC 2024 RAG track (nuggets assigned as support,
partial_support or not_support). The unit is a claim nugget; its grade is the best that any
sentence of the report earns, or one verdict for the report as a whole.
"""

from __future__ import annotations

from argue_eval.measures import claims
from argue_eval.measures.claims import Claim
from argue_eval.measures.protocols import Known, ReportProtocol
from argue_eval.records import Grade, Report


class Nuggetizer(ReportProtocol[Claim, Grade]):
    """Claim nuggets in one topic's reports."""

    options = frozenset({"covers"})
    grades_claims = True
    grades_each_nugget = True
    reads_held_judgments = True

    def units(self, report: Report) -> list[Claim]:
        """The claim nuggets of the topic."""
        return claims.claims_in(report, self.topic)

    def step(self, unit: Claim, known: Known) -> Grade:
        """How far the report covers the claim."""
        return claims.grade(unit, known, self.wanted.options.covers)


PROTOCOL_CLASS = Nuggetizer
