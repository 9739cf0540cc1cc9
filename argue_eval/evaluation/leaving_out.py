"""What is judged, without the judgments that leave with a team."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from argue_eval.measures.protocols import Judged, Knowledge, Known, Target, View
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


class Without:
    """What is judged, without what is gone."""

    def __init__(self, knowledge: Knowledge, is_gone: IsGone) -> None:
        self._knowledge = knowledge
        self._is_gone = is_gone

    def about(self, report: Report) -> Known:
        """What is left of what is judged about one report."""
        return _OfReport(self._knowledge.about(report), report, self._is_gone)


class _OfReport:
    def __init__(self, known: Known, report: Report, is_gone: IsGone) -> None:
        self._known = known
        self._report = report
        self._is_gone = is_gone

    def sentence(self, index: int) -> View:
        text = self._report.sentences[index].text
        return _View(self._known.sentence(index), self._report, text, self._is_gone)

    def whole(self) -> View:
        return _View(self._known.whole(), self._report, self._report.text, self._is_gone)

    def text(self, text: str) -> View:
        return _View(self._known.text(text), self._report, text, self._is_gone)


class _View:
    def __init__(self, view: View, report: Report, text: str, is_gone: IsGone) -> None:
        self._view = view
        self._report = report
        self._text = text
        self._is_gone = is_gone

    def get(self, question: tuple[Kind, Target], /) -> Judged | None:
        judged = self._view.get(question)
        if judged is None or self._is_gone(Found(self._report, self._text, *question, judged)):
            return None
        return judged


class Joined:
    """What one knows, and another where the first knows nothing."""

    def __init__(self, first: Knowledge, second: Knowledge) -> None:
        self._first = first
        self._second = second

    def about(self, report: Report) -> Known:
        """What either knows about one report."""
        return _BothOfReport(self._first.about(report), self._second.about(report))


class _BothOfReport:
    def __init__(self, first: Known, second: Known) -> None:
        self._first = first
        self._second = second

    def sentence(self, index: int) -> View:
        return _Either(self._first.sentence(index), self._second.sentence(index))

    def whole(self) -> View:
        return _Either(self._first.whole(), self._second.whole())

    def text(self, text: str) -> View:
        return _Either(self._first.text(text), self._second.text(text))


class _Either:
    def __init__(self, first: View, second: View) -> None:
        self._first = first
        self._second = second

    def get(self, question: tuple[Kind, Target], /) -> Judged | None:
        return self._first.get(question) or self._second.get(question)
