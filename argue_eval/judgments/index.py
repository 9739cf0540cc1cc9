"""Judgments in memory, found by the texts that were judged.

A sentence is named by its topic and text, so that a judgment holds for every run that says the
same; or by its run and place. Texts are kept as 16-byte digests: a million judgments take about
110 MB.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple, Protocol
from unicodedata import normalize

from argue_eval.records import Judgment, Kind, Report, Verdict

Target = str | tuple[str, str]

# Millions of judgments are read, and finding a member in its Enum takes ten times as long as
# finding a name of this module.
_ANSWERS, _SUPPORT, _RELEVANT = Kind.ANSWERS, Kind.SUPPORT, Kind.RELEVANT
_FIRST_INSTANCE = Kind.FIRST_INSTANCE


class Stored(NamedTuple):
    """A verdict and what is known about how it came about."""

    verdict: Verdict
    judge: str
    prob: float | None = None
    rationale: str = ""


Found = dict[tuple[Kind, Target], Stored]
"""What is judged about one subject: a sentence, a report or a topic."""


class View(Protocol):
    """What is judged about one sentence or report, whatever it is named by."""

    def get(self, question: tuple[Kind, Target], /) -> Stored | None:
        """Returns the verdict on a question with its judge; None if nobody has judged it."""


class JudgmentIndex:
    """Judgments by question. Of several judges, the one that appeared first is used.

    A later judgment of the same question by the same judge replaces the earlier one.

    Attributes:
        judges: in order of their first appearance, with the number of judgments read.
        num_set_aside: judgments of a question that a judge before theirs has judged too.
    """

    def __init__(self, judgments: Iterable[Judgment] = ()) -> None:
        self.judges: dict[str, int] = {}
        self.num_set_aside = 0
        self._texts: dict[bytes, Found] = {}
        self._places: dict[tuple[str, str], dict[int | None, Found]] = {}
        self._topics: dict[str, Found] = {}
        self._questions: dict[tuple[Kind, Target], tuple[Kind, Target]] = {}
        self._plain: dict[tuple[Verdict, str], Stored] = {}
        self._last: tuple[str, str | None] = ("", None)
        self._last_found: Found = {}
        for judgment in judgments:
            self.add(judgment)

    def __len__(self) -> int:
        places = [found for report in self._places.values() for found in report.values()]
        return sum(map(len, [*self._texts.values(), *places, *self._topics.values()]))

    def add(self, judgment: Judgment) -> None:
        """Adds a judgment, or replaces the same judge's earlier one."""
        kind, topic_id, verdict, judge, sentence, _, _, doc_id, nugget_id, answer, prob, why = (
            judgment
        )
        self.judges[judge] = self.judges.get(judge, 0) + 1
        if sentence is None or kind is _FIRST_INSTANCE or kind is _RELEVANT:
            found = self._place_of(judgment)
        # Judgments of one sentence mostly follow each other: its digest is made once.
        elif sentence == self._last[1] and topic_id == self._last[0]:
            found = self._last_found
        else:
            found = self._texts.setdefault(_digest(topic_id, sentence), {})
            self._last, self._last_found = (topic_id, sentence), found
        if kind is _ANSWERS:
            question: tuple[Kind, Target] = (kind, (nugget_id, answer))
        elif kind is _SUPPORT:
            question = (kind, doc_id)
        else:
            question = (kind, target_of(judgment))
        earlier = found.get(question)
        if earlier is not None and earlier.judge != judge:
            self.num_set_aside += 1
            if self._is_before(earlier.judge, judge):
                return
        # Most questions are asked of many sentences, and most verdicts say no more: all share one.
        question = self._questions.setdefault(question, question)
        if prob is not None or why:
            found[question] = Stored(verdict, judge, prob, why)
        else:
            stored = self._plain.get((verdict, judge))
            if stored is None:
                stored = self._plain[verdict, judge] = Stored(verdict, judge)
            found[question] = stored

    def _is_before(self, one: str, other: str) -> bool:
        ranked = list(self.judges)
        return ranked.index(one) < ranked.index(other)

    def _place_of(self, judgment: Judgment) -> Found:
        """Returns what is judged about a topic or a place in a report, to be added to."""
        if judgment.kind is _RELEVANT:
            return self._topics.setdefault(judgment.topic_id, {})
        places = self._places.setdefault((judgment.topic_id, judgment.run_id), {})
        return places.setdefault(judgment.sentence_index, {})

    def about_sentence(self, report: Report, index: int) -> list[Found]:
        """Returns what is judged about a sentence of a report, the most specific first."""
        subjects = []
        if self._places:
            place = self._places.get((report.topic_id, report.run_id), {}).get(index)
            if place is not None:
                subjects.append(place)
        if self._texts:
            text = self._texts.get(_digest(report.topic_id, report.sentences[index].text))
            if text is not None:
                subjects.append(text)
        if self._topics:
            topic = self._topics.get(report.topic_id)
            if topic is not None:
                subjects.append(topic)
        return subjects

    def about_report(self, report: Report) -> list[Found]:
        """Returns what is judged about a report as a whole, named by its run or its text."""
        found = self._places.get((report.topic_id, report.run_id), {}).get(None)
        by_run = [] if found is None else [found]
        return by_run + self.about_text(report.topic_id, report.text)

    def about_text(self, topic_id: str, text: str) -> list[Found]:
        """Returns what is judged about a text of a topic."""
        if not self._texts:
            return []
        found = self._texts.get(_digest(topic_id, text))
        return [] if found is None else [found]

    def of_sentence(self, report: Report, index: int) -> View:
        """Returns a view of what is judged about a sentence of a report."""
        return _view(self.about_sentence(report, index))

    def of_report(self, report: Report) -> View:
        """Returns a view of what is judged about a report as a whole."""
        return _view(self.about_report(report))

    def of_text(self, topic_id: str, text: str) -> View:
        """Returns a view of what is judged about a text of a topic, say a key point."""
        return _view(self.about_text(topic_id, text))


class Layers:
    """Several indexes as one: the first that knows a verdict gives it."""

    def __init__(self, *indexes: JudgmentIndex) -> None:
        self._indexes = indexes

    def of_sentence(self, report: Report, index: int) -> View:
        """Returns a view of what is judged about a sentence of a report."""
        return _view(
            [found for each in self._indexes for found in each.about_sentence(report, index)]
        )

    def of_report(self, report: Report) -> View:
        """Returns a view of what is judged about a report as a whole."""
        return _view([found for each in self._indexes for found in each.about_report(report)])

    def of_text(self, topic_id: str, text: str) -> View:
        """Returns a view of what is judged about a text of a topic, say a key point."""
        return _view([found for each in self._indexes for found in each.about_text(topic_id, text)])


def _view(subjects: list[Found]) -> View:
    """Returns several subjects as one; mostly there is one, and it needs no more calls."""
    return subjects[0] if len(subjects) == 1 else _Subjects(subjects)


class _Subjects:
    """What is judged about several subjects, the first of which goes first."""

    __slots__ = ("_subjects",)

    def __init__(self, subjects: list[Found]) -> None:
        self._subjects = subjects

    def get(self, question: tuple[Kind, Target], /) -> Stored | None:
        for found in self._subjects:
            stored = found.get(question)
            if stored is not None:
                return stored
        return None


def target_of(judgment: Judgment) -> Target:
    """Returns what a judgment is about besides its sentence."""
    kind = judgment.kind
    if kind is _ANSWERS:
        return (judgment.nugget_id, judgment.answer)
    if kind is _SUPPORT or kind is _RELEVANT:
        return judgment.doc_id
    if kind is Kind.AGREES or kind is Kind.COVERS:
        return judgment.nugget_id
    return ""


def _digest(topic_id: str, sentence: str) -> bytes:
    """Returns a digest of a sentence. NFC makes equal what looks equal."""
    text = f"{topic_id}\0{sentence.strip()}"
    if not text.isascii():
        text = normalize("NFC", text)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
