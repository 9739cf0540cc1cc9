"""Questions with few arguments, and how a judge answers them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from argue_eval.judges import Judge, Settings
from argue_eval.judges.lexical.judge import create
from argue_eval.judges.llm.judge import LlmJudge
from argue_eval.records import Document, Kind, Question, Reply, ReportRequest

JUDGE = create()


def replies(judge: Judge, questions: Sequence[Question]) -> list[Reply]:
    """One reply per question, in their order."""
    found = sorted(judge.answer(questions), key=lambda reply: reply.index)
    assert [reply.index for reply in found] == list(range(len(questions)))
    return found


def verdict_or_reason(reply: Reply) -> str:
    """The verdict, or the reason why there is none."""
    return reply.reason if reply.verdict is None else reply.verdict.value


def llm(**settings: Any) -> LlmJudge:
    """A language model as a judge."""
    return LlmJudge("m", Settings(**settings))


def replied(question: Question) -> Reply:
    """How the lexical judge answers."""
    (reply,) = replies(JUDGE, [question])
    return reply


def outcome(question: Question) -> str:
    """The verdict of the lexical judge, or its reason for giving none."""
    return verdict_or_reason(replied(question))


def probs(judge: Judge, questions: Sequence[Question]) -> list[float]:
    """The probabilities of a yes, all of which must be known."""
    found = [reply.prob for reply in replies(judge, questions)]
    known = [prob for prob in found if prob is not None]
    assert len(known) == len(found)
    return known


def printed(code: str, **environment: str) -> str:
    """What code prints in a process of its own."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, **environment},
        timeout=60,
    ).stdout


def support(sentence: str, text: str | None, title: str = "") -> Question:
    document = None if text is None else Document("d1", title, text)
    return Question(kind=Kind.SUPPORT, topic_id="t1", text=sentence, doc_id="d1", document=document)


def answers(question: str | None, answer: str, sentence: str) -> Question:
    return Question(
        kind=Kind.ANSWERS, topic_id="t1", text=sentence, nugget_id="n1", answer=answer,
        nugget_question=question, claim=answer,
    )  # fmt: skip


def covers(claim: str, sentence: str) -> Question:
    return Question(
        kind=Kind.COVERS, topic_id="t1", text=sentence, nugget_id="n1", answer=claim, claim=claim
    )


def negative(sentence: str) -> Question:
    return Question(kind=Kind.NEGATIVE, topic_id="t1", text=sentence)


def agrees(question: str, sentence: str) -> Question:
    return Question(
        kind=Kind.AGREES, topic_id="t1", text=sentence, nugget_id="n1", nugget_question=question
    )


def needs_citation(sentence: str, request: ReportRequest | None = None) -> Question:
    return Question(kind=Kind.REQUIRES_CITATION, topic_id="t1", text=sentence, request=request)


def first(sentence: str, *earlier: str) -> Question:
    sentences = (*earlier, sentence)
    return Question(
        kind=Kind.FIRST_INSTANCE, topic_id="t1", sentence_index=len(earlier), text=sentence,
        sentences=sentences,
    )  # fmt: skip
