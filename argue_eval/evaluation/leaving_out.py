"""What is judged, without the judgments that leave with a team."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from argue_eval.evaluation.explaining import Name, Told, Watched, view_of
from argue_eval.measures.protocols import Judged, Knowledge, Known, Target
from argue_eval.records import Kind, Report


class Found(NamedTuple):
    """A judgment that was looked up for a report.

    Attributes:
        text: what is judged: a sentence, the report as a whole, or another text.
    """

    report: Report
    text: str
    kind: Kind
    target: Target
    judged: Judged


IsGone = Callable[[Found], bool]


class Without(NamedTuple):
    """What is judged, without what is gone.

    Attributes:
        anew: where answers are looked up that are gone, or never were there.
    """

    knowledge: Knowledge
    is_gone: IsGone
    anew: Knowledge

    def about(self, report: Report) -> Known:
        """What is known about one report."""
        anew = self.anew.about(report)

        def watch(name: Name) -> Told:
            other = view_of(anew, name)
            text = name if isinstance(name, str) else report.text
            if isinstance(name, int):
                text = report.sentences[name].text

            def told(question: tuple[Kind, Target], judged: Judged | None) -> Judged | None:
                if judged is None or self.is_gone(Found(report, text, *question, judged)):
                    return other.get(question)
                return judged

            return told

        return Watched(self.knowledge.about(report), watch)
