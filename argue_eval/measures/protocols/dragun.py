"""DRAGUN: every short answer of the rubric is graded against the whole report.

Source: report generation of the TREC 2025 DRAGUN track. The unit is a short answer to a question of
the topic's rubric. A report supports it, supports it in part, contradicts it or does none of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from argue_eval.measures import claims
from argue_eval.measures.claims import Claim
from argue_eval.measures.protocols import Asking, Known, ReportProtocol
from argue_eval.records import Grade, Nugget, Report


class Dragun(ReportProtocol[Claim, Grade]):
    """Short answers in one topic's reports."""

    options = frozenset({"covers"})
    reads_held_judgments = True
    grades_each_nugget = True
    reads_texts = False
    counts_contradictions = True

    def units(self, report: Report) -> list[Claim]:
        """The short answers of the topic."""
        asking = Asking(self.topic, report)
        return [Claim(nugget, asking) for nugget in answers(self.topic.nuggets)]

    def step(self, unit: Claim, known: Known) -> Grade:
        """How far the report gives the answer."""
        return claims.grade(unit, known, self.wanted.options.covers)

    def records(
        self, report: Report, concluded: Sequence[Grade], known: Known
    ) -> Iterator[dict[str, Any]]:
        """Yields an object per short answer."""
        for nugget, grade in zip(answers(self.topic.nuggets), concluded, strict=True):
            yield {
                "question_id": nugget.group,
                "question": nugget.question,
                "weight": nugget.weight,
                **claims.record(report, nugget, grade, known),
            }


def answers(nuggets: Sequence[Nugget]) -> list[Nugget]:
    """The nuggets that have an answer."""
    return [nugget for nugget in nuggets if nugget.answers]


PROTOCOL_CLASS = Dragun
