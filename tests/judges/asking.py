"""Short ways to ask the lexical judge one question."""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.judges import Judge
from argue_eval.judges.lexical.judge import create
from argue_eval.records import Ask, Document, JudgeFailure, Judgment, Kind, ReportRequest

JUDGE = create()


def replies(judge: Judge, asks: Sequence[Ask]) -> list[Judgment | JudgeFailure]:
    """Returns one answer per ask, in their order."""
    by_index = {reply.ask_index: reply.answer for reply in judge.judge(asks)}
    return [by_index[index] for index in range(len(asks))]


def outcome(ask: Ask) -> str:
    """Returns the verdict, or the reason why there is none."""
    (result,) = replies(JUDGE, [ask])
    return result.reason if isinstance(result, JudgeFailure) else result.verdict.value


def judged(ask: Ask) -> Judgment:
    (result,) = replies(JUDGE, [ask])
    assert isinstance(result, Judgment)
    return result


def support(sentence: str, text: str | None, title: str = "") -> Ask:
    document = None if text is None else Document("d1", title, text)
    return Ask(Kind.SUPPORT, "t1", sentence, "d1", document)


def answers(question: str | None, answer: str, sentence: str) -> Ask:
    return Ask(Kind.ANSWERS, "t1", sentence, nugget_id="n1", question=question, answer=answer)


def covers(claim: str, sentence: str) -> Ask:
    return Ask(Kind.COVERS, "t1", sentence, nugget_id="n1", answer=claim)


def negative(sentence: str) -> Ask:
    return Ask(Kind.NEGATIVE, "t1", sentence)


def agrees(question: str, sentence: str) -> Ask:
    return Ask(Kind.AGREES, "t1", sentence, nugget_id="n1", question=question)


def needs_citation(sentence: str, request: ReportRequest | None = None) -> Ask:
    return Ask(Kind.REQUIRES_CITATION, "t1", sentence, request=request)


def first(sentence: str, *earlier: str) -> Ask:
    return Ask(Kind.FIRST_INSTANCE, "t1", sentence, earlier=earlier)
