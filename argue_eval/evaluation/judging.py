"""Has questions answered by judges. The only module that calls a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol
from unicodedata import normalize

from argue_eval.errors import ArgueEvalError, shorten
from argue_eval.judges import Judge, Reply
from argue_eval.judges.limits import Limits
from argue_eval.judgments.index import JudgmentIndex, Stored
from argue_eval.judgments.store import Asked, asked
from argue_eval.records import (
    Ask,
    Document,
    JudgeFailure,
    Judgment,
    Kind,
    Nugget,
    Question,
    Report,
    ReportRequest,
)


@dataclass(frozen=True, slots=True)
class Texts:
    """Everything that a judge may be shown, by id. `documents` has those that are cited."""

    requests: Mapping[str, ReportRequest] = field(default_factory=dict)
    nuggets: Mapping[str, Mapping[str, Nugget]] = field(default_factory=dict)
    documents: Mapping[str, Document] = field(default_factory=dict)


Progress = Callable[[str, int, int], None]
"""Called with what is being judged, how many asks are done, and how many there are."""

ENDS = ("found", "judged", "failed", "skipped")
"""How an ask ends: it was in the store, was judged, the judge failed, or it was not begun."""


class NumAsks(Counter[tuple[str, str]]):
    """How many asks of a kind came to an end: by (kind, one of `ENDS`), or (kind, ``asked``).

    Under (kind, ``questions``) is how many questions these asks were, before equal ones were put
    together.
    """

    def total_of(self, end: str) -> int:
        """Returns the number over all kinds."""
        return sum(number for (_, each), number in self.items() if each == end)

    def check(self) -> None:
        """Checks that every ask came to one end.

        Raises:
            ArgueEvalError: the books don't balance, which is a mistake of argue-eval.
        """
        for kind in {kind for kind, _ in self}:
            ends = [self[kind, end] for end in ENDS]
            if self[kind, "asked"] != sum(ends):
                raise ArgueEvalError(
                    f"{self[kind, 'asked']} asks of kind {kind}, but {' + '.join(map(str, ends))} "
                    f"of them {', '.join(ENDS)}: please report this"
                )


OpenReasons = Counter[tuple[str, str, str]]
"""Why questions stayed open: (kind, judge, reason) with the number of questions."""

NO_JUDGE = ("none", "no judge for this kind")


class Store(Protocol):
    """Where answers are kept; `argue_eval.judgments.store.JudgmentStore` is one."""

    def find(self, asks: Sequence[Asked]) -> list[Stored | None]:
        """Returns what each ask was answered with; None if it was not."""

    def add(self, ask: Asked, answer: Judgment | JudgeFailure, reply: str | None = None) -> None:
        """Adds what a judge answered, and what its model replied, word for word."""


class _Asking(NamedTuple):
    """A question about a report on its way to a judge."""

    report: Report
    question: Question
    ask: Ask
    stored: Asked


class Judging:
    """Answers questions about reports with one judge per kind, and keeps what they say.

    Questions of equal content are one ask. Every ask comes to one of four `ENDS`, and all are
    counted.

    Attributes:
        judged: every judgment made, by question.
        num_asks: asks by kind and end.
    """

    def __init__(
        self,
        judges: Mapping[Kind, Judge],
        texts: Texts,
        store: Store | None = None,
        limits: Limits | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._judges = judges
        self._texts = texts
        self._store = store
        self._limits = limits or Limits()
        self._progress = progress
        self.num_asks = NumAsks()
        self.judged = JudgmentIndex()
        self._reasons: dict[tuple[str, str, Question], tuple[str, str]] = {}

    def forget(self) -> None:
        """Drops what was judged so far, to keep memory bounded over many runs."""
        self.judged = JudgmentIndex()
        self.num_asks = NumAsks()
        self._reasons = {}

    def open_reasons(self, report: Report, questions: Iterable[Question]) -> OpenReasons:
        """Returns why questions about a report stayed open."""
        reasons = OpenReasons()
        for question in questions:
            key = (report.run_id, report.topic_id, _without_context(question))
            judge, reason = self._reasons.get(key, NO_JUDGE)
            reasons[question.kind.value, judge, reason] += 1
        return reasons

    def all_open_reasons(self) -> OpenReasons:
        """Returns why questions stayed open, over all that was asked."""
        return OpenReasons(
            (question.kind.value, *reason) for (_, _, question), reason in self._reasons.items()
        )

    def answer(self, asked_of: Sequence[tuple[Report, Sequence[Question]]]) -> None:
        """Has questions about reports answered, each judge with all that it is to answer."""
        groups: dict[str, tuple[Judge, dict[tuple[int, Question], Report]]] = {}
        for report, questions in asked_of:
            for question in self._with_joint(questions):
                judge = self._judges.get(question.kind)
                if judge is None:
                    self._stay_open(report, question, *NO_JUDGE)
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
        same: dict[bytes, list[_Asking]] = {}
        found: dict[bytes, Stored] = {}
        for asking, known in zip(askings, self._known(askings), strict=True):
            key = asking.stored.content.key
            same.setdefault(key, []).append(asking)
            if known is not None:
                found[key] = known
        for key, known in found.items():
            self._end(same[key], "found", _of_stored(same[key][0].ask, known))
        left = dict(enumerate(group for key, group in same.items() if key not in found))
        num_asked = len(left)
        self._limits.is_asking = True
        for reply in _replies(judge, [group[0].ask for group in left.values()]):
            group = left.pop(reply.ask_index)
            has_failed = isinstance(reply.answer, JudgeFailure)
            if self._store is not None:
                for asking in group[:1] if has_failed else group:
                    self._store.add(asking.stored, reply.answer, reply.raw)
            self._end(group, "failed" if has_failed else "judged", reply.answer)
            if self._progress:
                self._progress(f"asking {judge.signature}", num_asked - len(left), num_asked)
        self._limits.is_asking = False
        for group in left.values():
            if self._limits.is_halted:
                failure = _failure(judge, group[0].ask, f"not asked: {self._limits.reason}")
                self._end(group, "skipped", failure)
            else:
                self._end(group, "failed", _failure(judge, group[0].ask, "failed: no reply"))
        self.num_asks.check()

    def _known(self, askings: Sequence[_Asking]) -> Sequence[Stored | None]:
        if self._store is None:
            return [None] * len(askings)
        return self._store.find([asking.stored for asking in askings])

    def _end(self, same: Sequence[_Asking], end: str, answer: Judgment | JudgeFailure) -> None:
        """Counts an ask that came to its end, and keeps what it was answered with."""
        kind = same[0].question.kind.value
        self.num_asks[kind, "questions"] += len(same)
        self.num_asks[kind, "asked"] += 1
        self.num_asks[kind, end] += 1
        for asking in same:
            if isinstance(answer, JudgeFailure):
                self._stay_open(asking.report, asking.question, answer.judge, answer.reason)
            else:
                self.judged.add(located(answer, asking.report, asking.question, asking.ask))

    def _stay_open(self, report: Report, question: Question, judge: str, reason: str) -> None:
        self._reasons[report.run_id, report.topic_id, question] = (judge, reason)


def ask_of(report: Report, question: Question, texts: Texts) -> Ask:
    """Returns a question about a report with its texts."""
    nugget = texts.nuggets.get(report.topic_id, {}).get(question.nugget_id)
    is_claim = question.kind is Kind.COVERS and nugget is not None and nugget.answers
    answer = nugget.answers[0].answer if is_claim and nugget else question.answer
    if question.kind is Kind.SUPPORT:
        answer = ""  # it may be a claim, which stands in the place of the sentence then
    earlier: Iterable[str] = ()
    if question.kind is Kind.FIRST_INSTANCE:
        before = report.sentences[: question.sentence_index]
        earlier = (_nfc(sentence.text) for sentence in before)
    return Ask(
        question.kind,
        report.topic_id,
        _nfc(_judged_text(report, question)),
        question.doc_id,
        # The document of the collection; failing that, the run's own copy of it.
        texts.documents.get(question.doc_id) or report.documents.get(question.doc_id),
        "" if question.kind is Kind.SUPPORT else question.nugget_id,
        _nfc(nugget.question) if nugget and nugget.question else None,
        _nfc(answer),
        tuple(earlier),
        texts.requests.get(report.topic_id),
    )


def _judged_text(report: Report, question: Question) -> str:
    """Returns the text that a question is about: a sentence, a claim, or the whole report."""
    if question.sentence_index >= 0:
        return report.sentences[question.sentence_index].text
    return question.answer if question.kind is Kind.SUPPORT else report.text


def _place(report: Report, question: Question) -> tuple[str, int]:
    """Returns run and sentence, for a kind that is judged by place."""
    is_placed = question.kind is Kind.FIRST_INSTANCE
    return (report.run_id, question.sentence_index) if is_placed else ("", -1)


def _replies(judge: Judge, asks: Sequence[Ask]) -> Iterator[Reply]:
    """Yields one reply per ask. Whatever a judge does wrong is a failure, not a verdict.

    Raises:
        ArgueEvalError: the judge says that no ask can be answered, such as for want of a model.
    """
    left = set(range(len(asks)))
    if not left:
        return
    try:
        for reply in judge.judge(asks):
            if reply.ask_index not in left:
                raise ValueError(f"there is no ask {reply.ask_index}, or it was answered before")
            left.discard(reply.ask_index)
            yield reply
    except ArgueEvalError:
        raise  # what it has answered is kept
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


def located(judgment: Judgment, report: Report, question: Question, ask: Ask) -> Judgment:
    """Returns a judge's answer with the ids of the question that was asked."""
    index = question.sentence_index if question.sentence_index >= 0 else None
    is_whole = index is None and question.kind is Kind.COVERS
    return Judgment(
        question.kind,
        report.topic_id,
        judgment.verdict,
        judgment.judge,
        None if is_whole else ask.sentence if index is None else report.sentences[index].text,
        report.run_id,
        index,
        question.doc_id,
        ask.nugget_id,
        "" if question.kind is Kind.SUPPORT else question.answer,
        judgment.prob,
        judgment.rationale,
    )


def _without_context(question: Question) -> Question:
    """Returns the question as it is asked: an answer is the same whatever document attests it."""
    return question._replace(doc_id="") if question.kind is Kind.ANSWERS else question


def _nfc(text: str) -> str:
    return text if text.isascii() else normalize("NFC", text)
