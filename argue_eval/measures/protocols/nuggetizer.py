"""AutoNuggetizer: every claim nugget is graded against the whole report.

Source: the AutoNuggetizer framework of the TREC 2024 RAG track (nuggets assigned as support,
partial_support or not_support). The unit is a claim nugget; its grade is the best that any
sentence of the report earns, or one verdict for the report as a whole.
"""

from __future__ import annotations

from argue_eval.measures.claims import ClaimProtocol


class Nuggetizer(ClaimProtocol):
    """Claim nuggets in one topic's reports."""

    grades_claims = True
    grades_each_nugget = True


PROTOCOL_CLASS = Nuggetizer
