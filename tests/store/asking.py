"""Small asks and answers for the tests of the store."""

from __future__ import annotations

from typing import Any

from argue_eval.judgments.store import Asked, asked
from argue_eval.records import Ask, Document, JudgeFailure, Judgment, Kind, ReportRequest, Verdict

JUDGE = "judge@1/abc"
MILL = Document("d1", "The mill", "The mill was built in 1784.")
REQUEST = ReportRequest("t1", "The mill", "Tell the mill's history.")


def ask(sentence: str = "It was built in 1784.", **fields: Any) -> Ask:
    """A question of support, or of another kind."""
    values: dict[str, Any] = {"kind": Kind.SUPPORT, "doc_id": "d1", "document": MILL}
    return Ask(**{"topic_id": "t1", "sentence": sentence, "request": REQUEST, **values, **fields})


def stored_ask(number: int | str, judge: str = JUDGE) -> Asked:
    """A numbered ask as the store takes it."""
    return asked(ask(f"Sentence {number}."), judge)


def said(verdict: Verdict = Verdict.YES, **fields: Any) -> Judgment:
    """An answer to an ask of support."""
    return Judgment(Kind.SUPPORT, "t1", verdict, JUDGE, **fields)


def failed(reason: str = "empty reply", attempts: int = 1) -> JudgeFailure:
    """An ask that could not be answered."""
    return JudgeFailure(Kind.SUPPORT, "t1", JUDGE, reason, attempts)
