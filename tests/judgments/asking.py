"""Small questions and replies, and stores that hold them, for the tests of the store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from argue_eval.judgments.store import opened
from argue_eval.records import Document, Kind, Question, Reply, ReportRequest, Verdict

JUDGE = "judge@1/abc"
MILL = Document("d1", "The mill", "The mill was built in 1784.")
REQUEST = ReportRequest("t1", "The mill", "Tell the mill's history.")


def question(text: str = "It was built in 1784.", **fields: Any) -> Question:
    """A question of support, or of another kind."""
    support = {"kind": Kind.SUPPORT, "doc_id": "d1", "document": MILL, "request": REQUEST}
    return Question(**{"topic_id": "t1", "text": text, **support, **fields})


def numbered(number: int | str) -> Question:
    """A question of support that differs from those with other numbers."""
    return question(f"Sentence {number}.")


def first_instance(*earlier: str, text: str = "It was built in 1784.") -> Question:
    """The question whether a sentence repeats what the sentences before it say."""
    place = {"run_id": "run", "sentence_index": len(earlier)}
    return question(text, kind=Kind.FIRST_INSTANCE, sentences=(*earlier, text), **place)


def replied(verdict: Verdict = Verdict.YES, **fields: Any) -> Reply:
    """A judge's reply with a verdict."""
    return Reply(index=0, verdict=verdict, **fields)


def failed(reason: str = "empty reply", **fields: Any) -> Reply:
    """A judge's reply without a verdict."""
    return Reply(index=0, reason=reason, **fields)


def fill(path: str | Path, *rows: tuple[Question, Reply], judge: str = JUDGE) -> str:
    """Adds replies to a store; returns its path."""
    with opened(path) as store:
        for asked, reply in rows:
            store.add(asked, judge, reply)
    return str(path)
