"""What is asked of a run that was scored; its class is above the rooms that ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from argue_eval.evaluation.explaining import Asked
from argue_eval.evaluation.leaving_out import IsGone
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.measures.protocols import Answered, Compared
from argue_eval.records import Judgment, Nugget, ScoreTable, TopicEvidence


class Scored(Protocol):
    """A run that was scored, such as `argue_eval.RunScores`."""

    @property
    def run_id(self) -> str:
        """Its id."""

    @property
    def table(self) -> ScoreTable:
        """Its values, by topic and averaged."""

    @property
    def evidence(self) -> Sequence[TopicEvidence]:
        """What they rest on, one per topic."""

    @property
    def judges(self) -> Mapping[str, str]:
        """The judges by kind of question."""

    @property
    def open_reasons(self) -> Counter[tuple[str, str, str]]:
        """Why questions stayed open."""

    def outcome_records(self, topic_id: str | None = None) -> Iterator[dict[str, Any]]:
        """Yields an object per unit of a topic, or of all."""

    def nugget_records(self) -> Iterator[dict[str, Any]]:
        """Yields an object per nugget and report."""

    def used_judgments(self) -> Iterator[Judgment]:
        """Yields every judgment that the scores rest on."""

    def asked(self) -> Iterator[Asked]:
        """Yields every question about its reports, answered or not."""

    def answered(self, others: JudgmentIndex) -> Iterator[Answered]:
        """Yields every question that the scores rest on, and what others answer."""

    def compared(self, others: JudgmentIndex) -> Iterator[Compared]:
        """Yields every sentence of the run's reports, and as others judge it."""

    def judged_by(self, others: JudgmentIndex) -> Sequence[TopicEvidence]:
        """The evidence for the same topics if nothing were known but what others judged."""

    def rescored(
        self, nuggets: Mapping[str, Sequence[Nugget]], is_gone: IsGone | None = None
    ) -> ScoreTable:
        """The scores of some topics with other nuggets, and without judgments that are gone."""
