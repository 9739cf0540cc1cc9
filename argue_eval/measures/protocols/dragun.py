"""DRAGUN: every short answer of the rubric is graded against the whole report.

Source: report generation of the TREC 2025 DRAGUN track. The unit is a short answer to a question of
the topic's rubric. A report supports it, supports it in part, contradicts it or does none of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from argue_eval.measures import claims
from argue_eval.measures.protocols import Known
from argue_eval.records import Grade, Nugget, Report


class Dragun(claims.ClaimProtocol):
    """Short answers in one topic's reports."""

    grades_each_nugget = True
    reads_texts = False
    counts_contradictions = True

    @property
    def sought(self) -> list[Nugget]:
        """The short answers of the topic."""
        return answers(self.topic.nuggets)

    def records(
        self, report: Report, concluded: Sequence[Grade], known: Known
    ) -> Iterator[dict[str, Any]]:
        """Yields an object per short answer."""
        for nugget, grade in zip(self.sought, concluded, strict=True):
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
