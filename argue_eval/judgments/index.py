"""Judgments in memory, found by what was judged.

A sentence is named by its topic and text, so that a judgment holds for every run that says the
same; or by its run and place. Texts are kept as 16-byte digests, and what is judged about them as
numbers of facts: a million judgments take about 70 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from argue_eval import records
from argue_eval.formats.judgment_lines import (
    NUMBER_BYTES,
    NUMBERS,
    TARGETS,
    Part,
    Subject,
)
from argue_eval.measures.protocols import Target, View
from argue_eval.records import Judgment, Kind, Report, Verdict, digest_of

# Millions of judgments are read, and finding a member in its Enum takes ten times as long as
# finding a name of this module.
_SUPPORT, _RELEVANT, _FIRST_INSTANCE = Kind.SUPPORT, Kind.RELEVANT, Kind.FIRST_INSTANCE
_OF_KIND: dict[Kind, Callable[[Judgment | records.Question], Target]] = {
    kind: attrgetter(*keys) for kind, keys in TARGETS.items()
}
"""Picks what a question of a kind is about besides the sentence."""


class Stored(NamedTuple):
    """A verdict and what is known about how it came about.

    Attributes:
        turn: how often the judgments of an index had changed between naming sentences by text and
            by place before this one. Of two names for one sentence, the later turn is the later.
    """

    verdict: Verdict
    judge: str
    prob: float | None = None
    rationale: str = ""
    turn: int = 0


Question = tuple[Kind, Target]
Found = dict[Question, Stored]
"""What is judged about one subject: a sentence, a report or a topic."""


@dataclass(slots=True, eq=False)
class JudgmentIndex:
    """Judgments by question. Of several judges, the one that appeared first is used.

    A later judgment of the same question by the same judge replaces the earlier one. Both hold
    whether a judgment names its sentence by text or by place.

    What is judged about a subject is packed where it comes from a `Part`, and unpacked whenever it
    is looked up. It is not packed where several judges answer one question, or after an `add`.

    Attributes:
        judges: in order of their first appearance, with the number of judgments read.
        num_set_aside: judgments of a question that a judge before theirs has judged too.
        subjects: what is judged about each, or that packed.
        shown: the sentence that was shown to who judged a place, where a file says so.
        facts: the question and the answer that each packed number stands for.
        next_fact: a number from which on no fact has one.
    """

    judges: dict[str, int] = field(default_factory=dict)
    num_set_aside: int = 0
    subjects: dict[Subject, Found | bytes] = field(default_factory=dict)
    shown: dict[Subject, str] = field(default_factory=dict)
    facts: dict[int, tuple[Question, Stored]] = field(default_factory=dict)
    next_fact: int = 0
    _questions: dict[Question, Question] = field(default_factory=dict)
    _plain: dict[tuple[Verdict, str], Stored] = field(default_factory=dict)
    _last: tuple[str, str | None] = ("", None)
    _last_found: Found = field(default_factory=dict)
    _is_placed: bool | None = None
    _turn: int = 0
    _ranks: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, judgments: Iterable[Judgment]) -> JudgmentIndex:
        """An index of some judgments."""
        index = cls()
        for judgment in judgments:
            index.add(judgment)
        return index

    def __len__(self) -> int:
        return sum(map(len, map(self.unpacked, self.subjects.values())))

    @property
    def is_named_both_ways(self) -> bool:
        """Whether several judges name sentences, some by text and some by place."""
        return self._turn > 0 and len(self.judges) > 1

    def add(self, judgment: Judgment) -> None:
        """Adds a judgment, or replaces the same judge's earlier one."""
        kind, topic_id, verdict, judge, sentence, run_id, index, _, _, _, prob, rationale = judgment
        self.judges[judge] = self.judges.get(judge, 0) + 1
        if kind is _RELEVANT:
            found = self._open((topic_id,))
        elif kind is _FIRST_INSTANCE:
            found = self._open((topic_id, run_id, index))
            if sentence is not None:
                self.shown[topic_id, run_id, index] = sentence
        # Judgments of one sentence mostly follow each other: its digest is made once.
        elif sentence is not None and sentence == self._last[1] and topic_id == self._last[0]:
            found = self._last_found
        else:
            is_placed = sentence is None
            if self._is_placed is None:
                self._is_placed = is_placed
            elif is_placed is not self._is_placed:
                self._begin_turn(is_placed)
            if sentence is None:
                found = self._open((topic_id, run_id, index))
            else:
                found = self._open(digest_of(topic_id, sentence))
                self._last, self._last_found = (topic_id, sentence), found
        of = _OF_KIND.get(kind)
        asked = (kind, of(judgment) if of else "")
        question, stored = self._shared(asked, verdict, judge, prob, rationale)
        if question in found:
            self._put(found, question, stored)
        else:
            found[question] = stored

    def merge(self, part: Part) -> None:
        """Adds all judgments of a part, with the same result as one by one."""
        for judge, number in part.judges.items():
            self.judges[judge] = self.judges.get(judge, 0) + number
        if self._is_placed is None:
            self._is_placed = part.is_placed
        elif part.is_placed not in (None, self._is_placed):
            self._begin_turn(part.is_placed)
        for number, (kind, target, verdict, judge, prob, rationale) in part.facts.items():
            asked = (Kind(kind), target)
            self.facts[number] = self._shared(asked, Verdict(verdict), judge, prob, rationale)
        self.next_fact = max(self.next_fact, max(part.facts, default=-1) + 1)
        self._last = ("", None)
        may_join = not self._turn and len(self.judges) == 1
        if may_join and self.subjects.keys().isdisjoint(part.subjects):
            self.subjects.update(part.subjects)
            return
        for subject, packed in part.subjects.items():
            earlier = self.subjects.get(subject)
            if earlier is None and (may_join or not (self._turn or self._is_contested(packed))):
                self.subjects[subject] = packed
            elif may_join and type(earlier) is bytes:
                self.subjects[subject] = earlier + packed
            else:
                found = self._open(subject)
                for number in memoryview(packed).cast(NUMBERS):
                    question, stored = self.facts[number]
                    if stored.turn != self._turn:  # the fact is of an earlier one
                        question, stored = self._shared(question, *stored[:-1])
                    self._put(found, question, stored)

    def _begin_turn(self, is_placed: bool | None) -> None:
        """Notes that the judgments from here on name their sentences in the other way."""
        self._turn += 1
        self._plain.clear()
        self._is_placed = is_placed
        self._last = ("", None)

    def _is_contested(self, packed: bytes) -> bool:
        """Whether some question is answered more than once."""
        return len(self.unpacked(packed)) < len(packed) // NUMBER_BYTES

    def unpacked(self, found: Found | bytes) -> Found:
        """What is judged about a subject. Of two answers to one question, the later is used."""
        if type(found) is not bytes:
            return found  # type: ignore[return-value]
        return dict(map(self.facts.__getitem__, memoryview(found).cast(NUMBERS)))

    def of_topic(self, topic_id: str) -> Found:
        """What is judged about a topic: unpacked once, since every sentence of it is told."""
        return self._open((topic_id,))

    def _open(self, subject: Subject) -> Found:
        """What is judged about a subject, to be added to."""
        found = self.subjects.get(subject)
        if type(found) is not dict:
            found = self.subjects[subject] = {} if found is None else self.unpacked(found)
        return found

    def _put(self, found: Found, question: Question, stored: Stored) -> None:
        earlier = found.get(question)
        if earlier is not None and earlier.judge != stored.judge:
            self.num_set_aside += 1
            if self._is_before(earlier, stored):
                return
        found[question] = stored

    def _is_before(self, one: Stored, other: Stored) -> bool:
        """Whether the first of two answers to one question is used."""
        if one.judge == other.judge:
            return one.turn > other.turn
        if len(self._ranks) < len(self.judges):
            self._ranks = {judge: rank for rank, judge in enumerate(self.judges)}
        return self._ranks[one.judge] < self._ranks[other.judge]

    def joined(self, by_place: Found | bytes, by_text: Found | bytes) -> Found:
        """What is judged about a sentence that is named both ways."""
        if type(by_place) is bytes and type(by_text) is bytes:
            return self.unpacked(by_place + by_text)  # of the first turn: no question is in both
        one, other = self.unpacked(by_place), self.unpacked(by_text)
        both = {**one, **other}
        for question in one.keys() & other.keys():
            if self._is_before(one[question], other[question]):
                both[question] = one[question]
        return both

    def subjects_in(self, report: Report) -> Iterator[Subject]:
        """Yields what is judged of a report: its sentences by place and by text, all, its topic."""
        names = [(report.topic_id,), *chain.from_iterable(_names(report))]
        return (subject for subject in names if subject in self.subjects)

    def supporting(self, report: Report) -> Iterator[set[str]]:
        """Yields for each sentence the documents of which it is judged whether they support it."""
        for names in _names(report)[:-1]:
            found = [self.unpacked(self.subjects[each]) for each in names if each in self.subjects]
            yield {str(target) for each in found for kind, target in each if kind is _SUPPORT}

    def num_set_aside_in(self, report: Report) -> int:
        """Judgments about a report that are set aside since another judge, used first, answers the
        same question and names the sentence in the other way.
        """
        names = _names(report)
        number = 0
        for by_place, by_text in names if len(names) > 2 else names[:-1]:
            placed = self.unpacked(self.subjects.get(by_place, {}))
            named = self.unpacked(self.subjects.get(by_text, {}))
            shared = placed.keys() & named.keys()
            number += sum(placed[each].judge != named[each].judge for each in shared)
        return number

    def _shared(
        self, question: Question, verdict: Verdict, judge: str, prob: float | None, rationale: str
    ) -> tuple[Question, Stored]:
        """A question with its answer. Most questions are asked of many sentences, and most verdicts
        say no more: all share one.
        """
        question = self._questions.setdefault(question, question)
        if prob is not None or rationale:
            return question, Stored(verdict, judge, prob, rationale, self._turn)
        stored = self._plain.get((verdict, judge))
        if stored is None:
            stored = self._plain[verdict, judge] = Stored(verdict, judge, turn=self._turn)
        return question, stored

    def about(self, report: Report) -> ReportKnowledge:
        """What is judged about one report."""
        return ReportKnowledge((self,), report)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Several indexes as one: the first that knows a verdict gives it."""

    indexes: Sequence[JudgmentIndex]

    def about(self, report: Report) -> ReportKnowledge:
        """What is judged about one report."""
        return ReportKnowledge(self.indexes, report)


@dataclass(slots=True, eq=False)
class ReportKnowledge:
    """What is judged about one report."""

    indexes: Sequence[JudgmentIndex]
    report: Report
    _whole: tuple[str, bytes] | None = None

    def whole(self) -> View:
        """What is judged about the report as a whole, named by its run or its text."""
        if self._whole is None:  # the text is long, and every claim is sought in it
            text = self.report.text
            self._whole = text, digest_of(self.report.topic_id, text)
        return self.sentence(None, *self._whole)

    def text(self, text: str) -> View:
        """What is judged about another text of the topic, say a key point."""
        return self.sentence(_NOWHERE, text)

    def sentence(
        self, index: int | None, text: str | None = None, digest: bytes | None = None
    ) -> View:
        """What is judged about a sentence, or another text, by the first index, then by the others.

        Args:
            index: the sentence's place; None for the report as a whole.
            text: the text that is judged, if it is no sentence; `digest` that of it, if known.
        """
        topic_id, run_id, sentences = self.report[:3]
        if text is None:
            text = sentences[index].text  # type: ignore[index]
        found: list[Found] = []
        # Written out, since it is done for every sentence.
        for judged in self.indexes:
            about = judged.subjects
            if not about:
                continue
            if digest is None:
                digest = digest_of(topic_id, text)
            of_place, of_text = about.get((topic_id, run_id, index)), about.get(digest)
            if of_place is None or of_text is None:
                of_one = of_text if of_place is None else of_place
                if type(of_one) is bytes:
                    fact = judged.facts.__getitem__
                    found.append(dict(map(fact, memoryview(of_one).cast(NUMBERS))))
                elif of_one is not None:
                    found.append(of_one)  # type: ignore[arg-type]
            elif index is not None or len(sentences) > 1:
                found.append(judged.joined(of_place, of_text))
            else:  # the text is that of a report's only sentence, which was not asked as a report
                found += (judged.unpacked(of_place), judged.unpacked(of_text))
            if (topic_id,) in about:
                found.append(judged.of_topic(topic_id))
        # Mostly there is one, and it needs no more calls.
        if len(found) == 1:
            return found[0]
        return _Subjects(found) if found else _NOTHING


def _names(report: Report) -> list[tuple[Subject, Subject]]:
    """The names, by place and by text, of each sentence and at last of the report as a whole."""
    topic_id, run_id = report.topic_id, report.run_id
    texts = [*enumerate(each.text for each in report.sentences), (None, report.text)]
    return [((topic_id, run_id, index), digest_of(topic_id, text)) for index, text in texts]


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


def target_of(asked: Judgment | records.Question) -> Target:
    """What a question, or its answer, is about besides the sentence."""
    of = _OF_KIND.get(asked.kind)
    return of(asked) if of else ""
