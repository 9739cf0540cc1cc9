"""Has questions answered by judges. The only module that calls a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from unicodedata import normalize

from argue_eval.errors import shorten
from argue_eval.judges import Judge, Reply
from argue_eval.limits import Limits
from argue_eval.records import (
    Ask,
    Document,
    JudgeFailure,
    Judgment,
    Nugget,
    Question,
    Report,
    ReportRequest,
)
from argue_eval.store.database import Asked, JudgmentStore, asked
from argue_eval.store.index import JudgmentIndex, Stored
from argue_eval.terms import Kind


@dataclass(frozen=True, slots=True)
class Texts:
    """Everything that a judge may be shown, by id. `documents` has those that are cited."""

    requests: Mapping[str, ReportRequest] = field(default_factory=dict)
    nuggets: Mapping[str, Mapping[str, Nugget]] = field(default_factory=dict)
    documents: Mapping[str, Document] = field(default_factory=dict)


Progress = Callable[[str, int, int], None]
"""Called with what is being judged, how many asks are done, and how many there are."""


class _Asking(NamedTuple):
    """A question about a report on its way to a judge."""

    report: Report
    question: Question
    ask: Ask
    stored: Asked


class Judging:
    """Answers questions about reports with one judge per kind, and keeps what they say.

    Every ask ends in one of four ways, and all are counted: it was found in the store, it was
    judged, the judge failed, or it was skipped since the limits were reached before.

    Attributes:
        judged: every judgment made, by question.
        open_reasons: (kind, judge, reason) with the number of questions that stayed open.
        num_asks: asks by how they ended: ``found``, ``judged``, ``failed``, ``skipped``.
    """

    def __init__(
        self,
        judges: Mapping[Kind, Judge],
        texts: Texts,
        store: JudgmentStore | None = None,
        limits: Limits | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._judges = judges
        self._texts = texts
        self._store = store
        self._limits = limits or Limits()
        self._progress = progress
        self.num_asks: Counter[str] = Counter()
        self.judged = JudgmentIndex()
        self.open_reasons: Counter[tuple[str, str, str]] = Counter()

    def forget(self) -> None:
        """Drops what was judged so far, to keep memory bounded over many runs."""
        self.judged = JudgmentIndex()
        self.open_reasons.clear()
        self.num_asks.clear()

    def answer(self, asked_of: Sequence[tuple[Report, Sequence[Question]]]) -> None:
        """Has questions about reports answered, each judge with all that it is to answer."""
        groups: dict[str, tuple[Judge, dict[tuple[int, Question], Report]]] = {}
        for report, questions in asked_of:
            for question in self._with_joint(questions):
                judge = self._judges.get(question.kind)
                if judge is None:
                    reason = (question.kind.value, "none", "no judge for this kind")
                    self.open_reasons[reason] += 1
                    continue
                _, group = groups.setdefault(judge.signature, (judge, {}))
                group[id(report), _without_context(question)] = report
        for judge, group in groups.values():
            askings = [self._asking(judge, report, key[1]) for key, report in group.items()]
            self._ask(judge, askings)

    def _with_joint(self, questions: Sequence[Question]) -> Iterator[Question]:
        """Yields questions, each with those that its judge answers in the same call."""
        for question in questions:
            yield question
            judge = self._judges.get(question.kind)
            if judge is not None and question.kind in judge.joint:
                for kind in sorted(judge.joint - {question.kind}):
                    if self._judges.get(kind) is judge:
                        yield Question(kind, question.sentence_index)

    def _asking(self, judge: Judge, report: Report, question: Question) -> _Asking:
        ask = ask_of(report, question, self._texts)
        return _Asking(
            report, question, ask, asked(ask, judge.signature, *_place(report, question))
        )

    def _ask(self, judge: Judge, askings: Sequence[_Asking]) -> None:
        """Asks a judge what the store does not know. Equal content is asked once."""
        missing: dict[bytes, list[_Asking]] = {}
        for asking, known in zip(askings, self._known(askings), strict=True):
            if known is None:
                missing.setdefault(asking.stored.content.key, []).append(asking)
                continue
            self.num_asks["found"] += 1
            self._keep(asking, _of_stored(asking.ask, known))
        left = dict(enumerate(missing.values()))
        total = len(left)
        for reply in _replies(judge, [each[0].ask for each in missing.values()]):
            same = left.pop(reply.ask_index)
            self.num_asks["failed" if isinstance(reply.answer, JudgeFailure) else "judged"] += 1
            for asking in same:
                if self._store is not None:
                    self._store.add(asking.stored, reply.answer, reply.raw)
                self._keep(asking, reply.answer)
            if self._progress:
                self._progress(f"asking {judge.signature}", total - len(left), total)
        for same in left.values():
            self._leave(same, judge)

    def _known(self, askings: Sequence[_Asking]) -> Sequence[Stored | None]:
        if self._store is None:
            return [None] * len(askings)
        return self._store.find([asking.stored for asking in askings])

    def _leave(self, same: Sequence[_Asking], judge: Judge) -> None:
        """Counts an ask without a reply: one that was not begun, or that the judge forgot."""
        is_skipped = self._limits.is_halted
        self.num_asks["skipped" if is_skipped else "failed"] += 1
        reason = f"not asked: {self._limits.reason}" if is_skipped else "failed: no reply"
        for asking in same:
            self._keep(asking, _failure(judge, asking.ask, reason))

    def _keep(self, asking: _Asking, answer: Judgment | JudgeFailure) -> None:
        if isinstance(answer, JudgeFailure):
            self.open_reasons[asking.question.kind.value, answer.judge, answer.reason] += 1
            return
        self.judged.add(located(answer, asking.report, asking.question))


def ask_of(report: Report, question: Question, texts: Texts) -> Ask:
    """Returns a question about a report with its texts."""
    index = question.sentence_index
    sentences = report.sentences
    nugget = texts.nuggets.get(report.topic_id, {}).get(question.nugget_id)
    is_claim = question.kind is Kind.COVERS and nugget is not None and nugget.answers
    answer = nugget.answers[0].answer if is_claim and nugget else question.answer
    earlier: Iterable[str] = ()
    if question.kind is Kind.FIRST_INSTANCE:
        earlier = (_nfc(sentence.text) for sentence in sentences[:index])
    return Ask(
        question.kind,
        report.topic_id,
        _nfc(sentences[index].text),
        question.doc_id,
        # The document of the collection; failing that, the run's own copy of it.
        texts.documents.get(question.doc_id) or report.documents.get(question.doc_id),
        question.nugget_id,
        _nfc(nugget.question) if nugget and nugget.question else None,
        _nfc(answer),
        tuple(earlier),
        texts.requests.get(report.topic_id),
    )


def _place(report: Report, question: Question) -> tuple[str, int]:
    """Returns run and sentence, for a kind that is judged by place."""
    is_placed = question.kind is Kind.FIRST_INSTANCE
    return (report.run_id, question.sentence_index) if is_placed else ("", -1)


def _replies(judge: Judge, asks: Sequence[Ask]) -> Iterator[Reply]:
    """Yields one reply per ask. Whatever a judge does wrong is a failure, not a verdict."""
    left = set(range(len(asks)))
    if not left:
        return
    try:
        for reply in judge.judge(asks):
            if reply.ask_index not in left:
                raise ValueError(f"there is no ask {reply.ask_index}, or it was answered before")
            left.discard(reply.ask_index)
            yield reply
    except Exception as exc:
        reason = f"failed with {type(exc).__name__}: {shorten(str(exc))}"
        for index in sorted(left):
            yield Reply(index, _failure(judge, asks[index], reason))


def _failure(judge: Judge, ask: Ask, reason: str) -> JudgeFailure:
    return JudgeFailure(ask.kind, ask.topic_id, judge.signature, reason)


def _of_stored(ask: Ask, known: Stored) -> Judgment:
    return Judgment(
        ask.kind,
        ask.topic_id,
        known.verdict,
        known.judge,
        prob=known.prob,
        rationale=known.rationale,
    )


def located(judgment: Judgment, report: Report, question: Question) -> Judgment:
    """Returns a judge's answer with the ids of the question that was asked."""
    index = question.sentence_index
    return Judgment(
        question.kind,
        report.topic_id,
        judgment.verdict,
        judgment.judge,
        report.sentences[index].text,
        report.run_id,
        index,
        question.doc_id,
        question.nugget_id,
        question.answer,
        judgment.prob,
        judgment.rationale,
    )


def _without_context(question: Question) -> Question:
    """Returns the question as it is asked: an answer is the same whatever document attests it."""
    return question._replace(doc_id="") if question.kind is Kind.ANSWERS else question


def _nfc(text: str) -> str:
    return text if text.isascii() else normalize("NFC", text)
