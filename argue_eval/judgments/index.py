"""Judgments in memory, found by the texts that were judged.

A sentence is named by its topic and text, so that a judgment holds for every run that says the
same; or by its run and place. Texts are kept as 16-byte digests: a million judgments take about
110 MB.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple
from unicodedata import normalize

from argue_eval.measures.protocols import Target, View
from argue_eval.records import Judgment, Kind, Report, Verdict

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


class JudgmentIndex:
    """Judgments by question. Of several judges, the one that appeared first is used.

    A later judgment of the same question by the same judge replaces the earlier one.

    Attributes:
        judges: in order of their first appearance, with the number of judgments read.
        num_set_aside: judgments of a question that a judge before theirs has judged too.
        texts: what is judged about a text of a topic, by `digest_of` both.
        places: what is judged about a report, by topic and run id: by sentence index, or of the
            report as a whole by None.
        topics: what is judged about a topic's documents.
    """

    def __init__(self, judgments: Iterable[Judgment] = ()) -> None:
        self.judges: dict[str, int] = {}
        self.num_set_aside = 0
        self.texts: dict[bytes, Found] = {}
        self.places: dict[tuple[str, str], dict[int | None, Found]] = {}
        self.topics: dict[str, Found] = {}
        self._questions: dict[tuple[Kind, Target], tuple[Kind, Target]] = {}
        self._plain: dict[tuple[Verdict, str], Stored] = {}
        self._last: tuple[str, str | None] = ("", None)
        self._last_found: Found = {}
        for judgment in judgments:
            self.add(judgment)

    def __len__(self) -> int:
        places = [found for report in self.places.values() for found in report.values()]
        return sum(map(len, [*self.texts.values(), *places, *self.topics.values()]))

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
            found = self.texts.setdefault(digest_of(topic_id, sentence), {})
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
            return self.topics.setdefault(judgment.topic_id, {})
        places = self.places.setdefault((judgment.topic_id, judgment.run_id), {})
        return places.setdefault(judgment.sentence_index, {})

    def about(self, report: Report) -> ReportKnowledge:
        """What is judged about one report."""
        return ReportKnowledge((self,), report)


class Knowledge:
    """Several indexes as one: the first that knows a verdict gives it."""

    def __init__(self, *indexes: JudgmentIndex) -> None:
        self._indexes = indexes

    def about(self, report: Report) -> ReportKnowledge:
        """What is judged about one report."""
        return ReportKnowledge(self._indexes, report)


class ReportKnowledge:
    """What is judged about one report."""

    __slots__ = ("_indexes", "_report")

    def __init__(self, indexes: Sequence[JudgmentIndex], report: Report) -> None:
        self._indexes = indexes
        self._report = report

    def sentence(self, index: int) -> View:
        """What is judged about a sentence."""
        return self._view(index, self._report.sentences[index].text)

    def whole(self) -> View:
        """What is judged about the report as a whole, named by its run or its text."""
        return self._view(None, self._report.text)

    def text(self, text: str) -> View:
        """What is judged about another text of the topic, say a key point."""
        return self._view(_NOWHERE, text)

    def _view(self, place: int | None, text: str) -> View:
        """What is judged about a text, the most specific first."""
        topic_id, run_id = self._report.topic_id, self._report.run_id
        digest: bytes | None = None
        subjects: list[Found] = []
        # Written out, since it is done for every sentence: calls would cost as much as the rest.
        for index in self._indexes:
            if index.places:
                found = index.places.get((topic_id, run_id), {}).get(place)
                if found is not None:
                    subjects.append(found)
            if index.texts:
                if digest is None:
                    digest = digest_of(topic_id, text)
                found = index.texts.get(digest)
                if found is not None:
                    subjects.append(found)
            if index.topics:
                found = index.topics.get(topic_id)
                if found is not None:
                    subjects.append(found)
        # Mostly there is one, and it needs no more calls.
        if not subjects:
            return _NOTHING
        return subjects[0] if len(subjects) == 1 else _Subjects(subjects)


_NOTHING: Found = {}
_NOWHERE = -1
"""The place of a text that is no part of the report."""


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


def digest_of(topic_id: str, sentence: str) -> bytes:
    """Returns a digest of a sentence. NFC makes equal what looks equal."""
    text = f"{topic_id}\0{sentence.strip()}"
    if not text.isascii():
        text = normalize("NFC", text)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
