"""Minimal pairs: two sentences that differ in one respect, of which one is right.

``pairs.jsonl`` holds the pairs, ``documents.jsonl`` the documents for the questions about support.
A pair is about support (``doc_id``), a nugget's answer (``question``, ``answer``) or a claim
(``answer`` alone). The right sentence deserves a yes, the wrong one anything but a yes.

One half may be examined while a judge is developed. The other is held out, and figures are computed
on it. A hash of the document or nugget decides, so pairs about the same text are in the same half.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval.judges import Judge
from argue_eval.records import Document, Kind, Question, Reply, Verdict

FOLDER = Path(__file__).parent
CONTRASTS = (
    *("number", "date", "name", "unit", "negation"),
    *("quantifier", "role", "hedge", "synonym", "paraphrase"),
)


class Pair(NamedTuple):
    """Two questions that differ in one respect."""

    pair_id: str
    contrast: str
    is_held_out: bool
    right: Question
    wrong: Question


class Count(NamedTuple):
    """How a judge did on some pairs.

    Attributes:
        num_pairs: how many there are; each has two sentences.
        num_right: right verdicts, of two for each pair.
        num_ordered: pairs whose right sentence is the more probable.
        num_open: sentences without a verdict; they are not right.
    """

    num_pairs: int = 0
    num_right: int = 0
    num_ordered: int = 0
    num_open: int = 0

    @property
    def accuracy(self) -> float:
        """The share of right verdicts."""
        return self.num_right / (2 * self.num_pairs)

    @property
    def ordered(self) -> float:
        """The share of pairs whose right sentence is the more probable."""
        return self.num_ordered / self.num_pairs


def pairs() -> list[Pair]:
    """All pairs, in file order."""
    documents = {
        row["doc_id"]: Document(row["doc_id"], "", row["text"]) for row in _rows("documents.jsonl")
    }
    return [_pair(row, documents) for row in _rows("pairs.jsonl")]


def count(judge: Judge, chosen: Sequence[Pair]) -> dict[str, Count]:
    """Counts how a judge does by contrast; ``all`` is last."""
    questions = [question for pair in chosen for question in (pair.right, pair.wrong)]
    replies = {at: Reply(index=at) for at in range(len(questions))}  # without a verdict
    replies.update((reply.index, reply) for reply in judge.answer(questions))
    counts: dict[str, list[Count]] = {name: [] for name in (*CONTRASTS, "all")}
    for at, pair in enumerate(chosen):
        counted = _count(replies[2 * at], replies[2 * at + 1])
        counts[pair.contrast].append(counted)
        counts["all"].append(counted)
    return {name: _sum(each) for name, each in counts.items() if each or name == "all"}


def _count(right: Reply, wrong: Reply) -> Count:
    is_ordered = right.prob is not None and wrong.prob is not None and right.prob > wrong.prob
    num_right = (right.verdict is Verdict.YES) + (wrong.verdict not in (Verdict.YES, None))
    num_open = (right.verdict, wrong.verdict).count(None)
    return Count(num_pairs=1, num_right=num_right, num_ordered=int(is_ordered), num_open=num_open)


def _sum(counts: Sequence[Count]) -> Count:
    return Count(*map(sum, zip(*counts, strict=True)))


def _pair(row: Mapping[str, Any], documents: Mapping[str, Document]) -> Pair:
    doc_id = row.get("doc_id", "")
    about = doc_id or f"{row['answer']}/{row.get('question', '')}"
    right, wrong = (
        Question(
            kind=Kind(row["kind"]),
            topic_id="contrast",
            doc_id=doc_id,
            nugget_id="" if doc_id else row["pair_id"],
            answer=row.get("answer", ""),
            text=row[side],
            document=documents.get(doc_id),
            nugget_question=row.get("question"),
            claim=row.get("answer", ""),
        )
        for side in ("right", "wrong")
    )
    is_held_out = int(sha256(about.encode()).hexdigest(), 16) % 2 == 1
    return Pair(row["pair_id"], row["contrast"], is_held_out, right=right, wrong=wrong)


def _rows(name: str) -> list[dict[str, Any]]:
    with (FOLDER / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
