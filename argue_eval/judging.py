"""Has questions answered by judges. The only module that calls a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from unicodedata import normalize

from argue_eval.errors import shorten
from argue_eval.judges import Judge
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
from argue_eval.store.database import JudgmentStore, asked
from argue_eval.store.index import JudgmentIndex
from argue_eval.terms import Kind


@dataclass(frozen=True, slots=True)
class Texts:
    """Everything that a judge may be shown, by id. `documents` has those that are cited."""

    requests: Mapping[str, ReportRequest] = field(default_factory=dict)
    nuggets: Mapping[str, Mapping[str, Nugget]] = field(default_factory=dict)
    documents: Mapping[str, Document] = field(default_factory=dict)


class Judging:
    """Answers questions about reports with one judge per kind, and keeps what they say.

    Attributes:
        judged: every judgment made, by question.
        failures: (kind, judge, reason) with the number of questions that stayed open.
        num_asks: asks by what became of them: ``found`` in the store, ``judged``, ``failed``.
    """

    def __init__(
        self, judges: Mapping[Kind, Judge], texts: Texts, store: JudgmentStore | None = None
    ) -> None:
        self._judges = judges
        self._texts = texts
        self._store = store
        self.num_asks: Counter[str] = Counter()
        self.judged = JudgmentIndex()
        self.failures: Counter[tuple[str, str, str]] = Counter()

    def forget(self) -> None:
        """Drops what was judged so far, to keep memory bounded over many runs."""
        self.judged = JudgmentIndex()
        self.failures.clear()
        self.num_asks.clear()

    def answer(self, report: Report, questions: Sequence[Question]) -> None:
        """Has the questions about a report answered, kind by kind."""
        distinct = dict.fromkeys(_without_context(question) for question in questions)
        by_kind: dict[Kind, list[Question]] = {}
        for question in distinct:
            by_kind.setdefault(question.kind, []).append(question)
        for kind, group in by_kind.items():
            judge = self._judges.get(kind)
            if judge is None:
                self.failures[kind.value, "none", "no judge for this kind"] += len(group)
                continue
            asks = [ask_of(report, question, self._texts) for question in group]
            answers = self._answers(judge, asks, report, group)
            for question, answer in zip(group, answers, strict=True):
                self._keep(report, question, answer)

    def _answers(
        self, judge: Judge, asks: Sequence[Ask], report: Report, group: Sequence[Question]
    ) -> Sequence[Judgment | JudgeFailure]:
        """Returns one answer per ask. What the store knows, the judge is not asked."""
        if self._store is None:
            return _answers(judge, asks)
        stored = [
            asked(ask, judge.signature, *_place(report, question))
            for ask, question in zip(asks, group, strict=True)
        ]
        found = self._store.find(stored)
        # Asks of equal content, such as of two nuggets with one text, are asked once.
        missing = {
            each.content.key: ask
            for each, ask, known in zip(stored, asks, found, strict=True)
            if known is None
        }
        new = dict(zip(missing, _answers(judge, list(missing.values())), strict=True))
        answers: list[Judgment | JudgeFailure] = []
        for each, ask, known in zip(stored, asks, found, strict=True):
            if known is not None:
                self.num_asks["found"] += 1
                answers.append(
                    Judgment(
                        ask.kind,
                        ask.topic_id,
                        known.verdict,
                        known.judge,
                        prob=known.prob,
                        rationale=known.rationale,
                    )
                )
                continue
            answer = new[each.content.key]
            self.num_asks["failed" if isinstance(answer, JudgeFailure) else "judged"] += 1
            self._store.add(each, answer, getattr(answer, "reply", None))
            answers.append(answer)
        return answers

    def _keep(self, report: Report, question: Question, answer: Judgment | JudgeFailure) -> None:
        if isinstance(answer, JudgeFailure):
            self.failures[question.kind.value, answer.judge, answer.reason] += 1
            return
        self.judged.add(located(answer, report, question))


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


def _answers(judge: Judge, asks: Sequence[Ask]) -> Sequence[Judgment | JudgeFailure]:
    """Returns one answer per question. Whatever a judge does wrong is a failure, not a verdict."""
    try:
        answers = list(judge.judge(asks))
        if len(answers) == len(asks):
            return answers
        reason = "failed: not one answer per question"
    except Exception as exc:
        reason = f"failed with {type(exc).__name__}: {shorten(str(exc))}"
    return [JudgeFailure(ask.kind, ask.topic_id, judge.signature, reason) for ask in asks]


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
