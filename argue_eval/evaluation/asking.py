"""Asks judges what is open, and keeps what they say. The only module that calls a judge.

Of a cascade, the next judge is asked when the ones before have nothing left to answer, and only for
what then still decides a unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import attrgetter
from typing import Protocol

from argue_eval.errors import ArgueEvalError, shorten
from argue_eval.formats.processes import Progress
from argue_eval.judges import NO_JUDGE, NO_LATER_JUDGE, NO_REPORT, NOBODY, Judge
from argue_eval.judges.cascade import Judges, Stage
from argue_eval.judges.limits import Limits
from argue_eval.judgments.content import content_of
from argue_eval.judgments.index import JudgmentIndex, Stored
from argue_eval.records import VERDICTS, Judgment, Kind, Question, Reply, Verdict

ENDS = ("found", "judged", "failed", "skipped")
"""How a question ends: it was in the store, was judged, the judge failed, or it was not begun."""


class NumAsks(Counter[tuple[str, str]]):
    """How many questions of a kind came to an end: by (kind, one of `ENDS`), or (kind, ``asked``).

    Questions of equal content are asked as one. Under (kind, ``questions``) is how many there were
    before, under (kind, ``limited``) how many answers are used only if the judge is sure, and under
    (kind, ``unsure``) of how many it is not.
    """

    def total_of(self, end: str) -> int:
        """The number over all kinds."""
        return sum(number for (_, each), number in self.items() if each == end)


StageAsks = Counter[tuple[str, str, str]]
"""What became of the questions that each judge was asked: by (kind, judge, one of `ENDS` or
``asked``, ``questions`` or ``unsure``, as in `NumAsks`). In a cascade, the next judge is asked what
one is not sure of or cannot answer, if it still decides anything.
"""

OpenReasons = Counter[tuple[str, str, str]]
"""Why questions stayed open: (kind, judge, reason) with the number of questions."""

_NO_JUDGE = ("none", NO_JUDGE)
_NOBODY = ("none", NOBODY)
_NO_TEXT = ("none", NO_REPORT)

_FAILED = "failed"
"""What a reason begins with if a judge broke. The next judge of a cascade is not asked instead:
that could cost what nobody expects, and to ask again may help.
"""


class Store(Protocol):
    """Where answers are kept; `argue_eval.judgments.store.JudgmentStore` is one."""

    def find(self, questions: Sequence[Question], judge: str) -> list[Stored | None]:
        """What each question was answered with; None if it was not."""

    def add(self, question: Question, judge: str, reply: Reply) -> None:
        """Adds what a judge answered."""


_Ids = tuple[object, ...]
_IDS_OF_ANSWER: Callable[[Question], _Ids] = attrgetter(
    "kind", "topic_id", "run_id", "sentence_index", "nugget_id", "answer"
)
_IDS: Callable[[Question], _Ids] = attrgetter(
    "kind", "topic_id", "run_id", "sentence_index", "doc_id", "nugget_id", "answer"
)


@dataclass(slots=True, eq=False)
class Engine:
    """Answers questions with the judges of their kind, and keeps what they say.

    Questions of equal content are asked as one. Every question comes to one of four `ENDS`, and all
    are counted.

    Attributes:
        judged: every judgment made, by question.
        num_asks: questions by kind and end.
        stage_asks: questions by kind, judge and end.
    """

    judges: Judges
    store: Store | None = None
    limits: Limits = field(default_factory=Limits)
    progress: Progress | None = None
    judged: JudgmentIndex = field(default_factory=JudgmentIndex)
    num_asks: NumAsks = field(default_factory=NumAsks)
    stage_asks: StageAsks = field(default_factory=StageAsks)
    _reasons: dict[_Ids, tuple[str, str, str]] = field(default_factory=dict)
    _turns: dict[_Ids, int] = field(default_factory=dict)  # what the first judge passed on
    _waiting: set[Question] = field(default_factory=set)

    def open_reasons(self, questions: Iterable[Question]) -> OpenReasons:
        """Why questions stayed open. An answer counts once, whichever documents attest it."""
        default = _NO_JUDGE if self.judges else _NOBODY
        kinds = {_ids(each): each.kind for each in questions}
        return OpenReasons(
            self._reasons.get(ids, (kind.value, *default)) for ids, kind in kinds.items()
        )

    def answer(self, questions: Sequence[Question]) -> Set[Question]:
        """Has questions answered, each judge with all that it is to answer.

        Where judges of cascades are asked, later ones are not yet.

        Returns:
            All questions, of earlier times too, that wait for a judge: the next one, or one who is
            asked when others have nothing left to answer.
        """
        if self._waiting:
            self._waiting.difference_update(questions)
        turns: dict[int, list[Question]] = {}
        for question in questions:
            stages = self._stages(question)
            if not stages or not question.has_text:
                self._stay_open(question, *(_NO_TEXT if stages else _NO_JUDGE))
            else:
                turns.setdefault(len(stages), []).append(question)
        if not turns:
            return self._waiting
        now = turns.pop(max(turns))
        groups: dict[str, tuple[Judge, dict[_Ids, Question]]] = {}
        for question in now:
            judges = [stage.judge for stage in self._stages(question)]
            _, group = groups.setdefault(judges[0].signature, (judges[0], {}))
            group.setdefault(_ids(question), question)
            # With it, what its judge answers in the same call, or a later one would.
            kinds = [each.joint for each in judges if question.kind in each.joint]
            for joint in self._joint(question, kinds, judges[0]) if kinds else ():
                group.setdefault(_ids(joint), joint)
        for judge, group in groups.values():
            self._ask(judge, list(group.values()))
        if self._turns:
            self._waiting.update(each for each in now if _ids(each) in self._turns)
        self._waiting.update(*turns.values())
        return self._waiting

    def answer_all(self, questions: Sequence[Question]) -> None:
        """Has all of these answered, whatever depends on them."""
        left = list(questions)
        while left:
            waiting = self.answer(left)
            left = [each for each in left if each in waiting]

    def _stages(self, question: Question) -> Sequence[Stage]:
        """The judges who may still answer a question; the first is to be asked now."""
        stages = self.judges.get(question.kind, ())
        return stages[self._turns.get(_ids(question), 0) :] if len(stages) > 1 else stages

    def _joint(
        self, question: Question, kinds: Iterable[Set[Kind]], judge: Judge
    ) -> Iterator[Question]:
        """Yields the questions of these kinds that a judge is asked with another, in one call."""
        for kind in chain.from_iterable(map(sorted, kinds)):
            if kind is not question.kind:
                joint = replace(question, kind=kind, content=None)
                stages = self._stages(joint)
                if stages and stages[0].judge is judge:
                    yield joint

    def _ask(self, judge: Judge, questions: Sequence[Question]) -> None:
        """Asks a judge what the store does not know. Equal content is asked once."""
        signature, store = judge.signature, self.store
        found = [None] * len(questions) if store is None else store.find(questions, signature)
        same: dict[bytes, list[Question]] = {}
        answers: dict[bytes, Stored | None] = {}
        for question, answer in zip(questions, found, strict=True):
            key = content_of(question, signature).key
            same.setdefault(key, []).append(question)
            answers[key] = answer
        left: dict[int, list[Question]] = {}
        for key, group in same.items():
            stored = answers[key]
            if stored is None:
                left[len(left)] = group
            else:
                reply = Reply(0, stored.verdict, stored.prob, stored.rationale)
                self._settle(group, "found", reply)
        num_asked = len(left)
        self.limits.is_asking = True
        for reply in _replies(judge, [group[0] for group in left.values()]):
            group = left.pop(reply.index)
            has_failed = reply.verdict is None
            if store is not None:
                for question in group[:1] if has_failed else group:
                    store.add(question, signature, reply)
            self._settle(group, "failed" if has_failed else "judged", reply)
            if self.progress:
                self.progress(f"asking {signature}", num_asked - len(left), num_asked)
        self.limits.is_asking = False
        for group in left.values():
            if self.limits.halted:
                reply = Reply(0, reason=f"not asked: {self.limits.halted}")
                self._settle(group, "skipped", reply)
            else:
                self._settle(group, "failed", Reply(0, reason=f"{_FAILED}: no reply"))

    def _settle(self, same: Sequence[Question], end: str, reply: Reply) -> None:
        """Reads what the judge said whose turn it was. It is the answer, or it is the next one's
        turn, or the question stays open.
        """
        kind, is_answered = same[0].kind, reply.verdict is not None
        stage, *later = self._stages(same[0])
        judge, is_read = stage.judge.signature, stage.reader is not None or stage.must_be_sure
        if is_read and is_answered:
            reply = stage.read(same[0], reply)
        is_unsure = is_answered and reply.verdict is None
        ends = Counter({"questions": len(same), "asked": 1, end: 1, "unsure": int(is_unsure)})
        ends["limited"] = int(is_answered and is_read and stage.has_limits)
        for name, number in ends.items():
            self.stage_asks[kind.value, judge, name] += number
        if is_unsure and stage.must_be_sure:
            reply = reply._replace(reason=NO_LATER_JUDGE)
        has_broken = end == "skipped" or reply.reason.startswith(_FAILED)
        if reply.verdict is None and later and not has_broken:
            for question in same:
                self._turns[_ids(question)] = self._turns.get(_ids(question), 0) + 1
            return
        for name, number in ends.items():
            self.num_asks[kind.value, name] += number
        judge = stage.signature if is_read else judge
        for question in same:
            self._turns.pop(_ids(question), None)
            if reply.verdict is None:
                self._stay_open(question, judge, reply.reason)
            else:
                self.judged.add(_judgment(question, judge, reply, reply.verdict))

    def _stay_open(self, question: Question, judge: str, reason: str) -> None:
        self._reasons[_ids(question)] = (question.kind.value, judge, reason)


def _ids(question: Question) -> _Ids:
    """A question's ids as it is asked: an answer is the same whatever document attests it."""
    return _IDS_OF_ANSWER(question) if question.kind is Kind.ANSWERS else _IDS(question)


def _replies(judge: Judge, questions: Sequence[Question]) -> Iterator[Reply]:
    """Yields one reply per question. Whatever a judge does wrong is a failure, not a verdict.

    Raises:
        ArgueEvalError: the judge says that no question can be answered, for want of a model, say.
    """
    left = set(range(len(questions)))
    if not left:
        return
    try:
        for reply in judge.answer(questions):
            if not isinstance(reply, Reply):
                raise TypeError(f"expected a Reply, found {type(reply).__name__}")
            if reply.index not in left:
                raise ValueError(
                    f"no question has the index {reply.index}, or it was answered before"
                )
            left.discard(reply.index)
            verdict, prob, kind = reply.verdict, reply.prob, questions[reply.index].kind
            if (verdict is None and reply.reason) or (
                isinstance(verdict, Verdict)
                and verdict in VERDICTS[kind]
                and (prob is None or 0 <= prob <= 1)
            ):
                yield reply
            else:
                yield _refused(reply, kind)
    except ArgueEvalError:
        raise  # what it has answered is kept
    except Exception as exc:
        reason = f"{_FAILED} with {type(exc).__name__}: {shorten(str(exc))}"
        for index in sorted(left):
            yield Reply(index, reason=reason)


def _refused(reply: Reply, kind: Kind) -> Reply:
    """The failure for a reply that no question of a kind can have."""
    reason = f"{_FAILED}: a probability is from 0 to 1, found {reply.prob}"
    if not isinstance(reply.verdict, Verdict) or reply.verdict not in VERDICTS[kind]:
        found = shorten(str(reply.verdict))
        reason = f"{_FAILED}: there is no verdict {found} on the kind {kind.value!r}"
    return Reply(reply.index, reason=reason, raw=reply.raw)


def _judgment(question: Question, judge: str, reply: Reply, verdict: Verdict) -> Judgment:
    """What a judge said, as the judgment of the question that was asked."""
    is_whole = question.sentence_index < 0
    is_support = question.kind is Kind.SUPPORT
    return Judgment(
        kind=question.kind,
        topic_id=question.topic_id,
        verdict=verdict,
        judge=judge,
        sentence=None if is_whole and question.kind is Kind.COVERS else question.text,
        run_id=question.run_id,
        sentence_index=None if is_whole else question.sentence_index,
        doc_id=question.doc_id,
        nugget_id="" if is_support else question.nugget_id,
        answer="" if is_support else question.answer,
        prob=reply.prob,
        rationale=reply.rationale,
    )
