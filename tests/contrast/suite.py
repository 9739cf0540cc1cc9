"""Minimal pairs: two sentences that differ in one respect, of which one is right.

``pairs.jsonl`` has them, ``documents.jsonl`` what the sentences about support are held against. A
pair is for support (``doc_id``), for a nugget's answer (``question``, ``answer``) or for a claim
(``answer`` alone). The right sentence deserves a yes, the wrong one anything but a yes.

One half may be looked at while a judge is made. The other is held out: figures are of it. The
halves are told apart by a hash of the document or nugget, so that pairs about the same text are in
the same half.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval.judges import Judge
from argue_eval.records import Ask, Document, Judgment, Kind, Verdict

FOLDER = Path(__file__).parent
CONTRASTS = (
    "number",
    "date",
    "name",
    "unit",
    "negation",
    "quantifier",
    "role",
    "hedge",
    "synonym",
    "paraphrase",
)


class Pair(NamedTuple):
    """Two asks that differ in one respect."""

    pair_id: str
    contrast: str
    is_held_out: bool
    right: Ask
    wrong: Ask


class Count(NamedTuple):
    """How a judge did on some pairs.

    Attributes:
        num_pairs: how many there are; each has two sentences.
        num_right: right verdicts, of two for each pair.
        num_ordered: pairs whose right sentence is the more probable.
        num_open: sentences that the judge left open; they are not right.
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
    """How a judge does by contrast; ``all`` is last."""
    asks = [ask for pair in chosen for ask in (pair.right, pair.wrong)]
    answers = {reply.ask_index: reply.answer for reply in judge.judge(asks)}
    found = {contrast: Count() for contrast in CONTRASTS}
    for at, pair in enumerate(chosen):
        right, wrong = (answers.get(2 * at + side) for side in (0, 1))
        found[pair.contrast] = _sum([found[pair.contrast], _count(right, wrong)])
    found = {contrast: each for contrast, each in found.items() if each.num_pairs}
    return {**found, "all": _sum(found.values())}


def _count(right: object, wrong: object) -> Count:
    verdicts = [each.verdict if isinstance(each, Judgment) else None for each in (right, wrong)]
    probs = [each.prob if isinstance(each, Judgment) else None for each in (right, wrong)]
    is_ordered = None not in probs and (probs[0] or 0.0) > (probs[1] or 0.0)
    num_right = (verdicts[0] is Verdict.YES) + (verdicts[1] not in (Verdict.YES, None))
    return Count(1, num_right, int(is_ordered), verdicts.count(None))


def _sum(counts: Iterable[Count]) -> Count:
    return Count(*(sum(column) for column in zip(*counts, strict=True)))


def _pair(row: Mapping[str, Any], documents: Mapping[str, Document]) -> Pair:
    doc_id = row.get("doc_id", "")
    about = doc_id or f"{row['answer']}/{row.get('question', '')}"
    right, wrong = (
        Ask(
            Kind(row["kind"]),
            "contrast",
            row[side],
            doc_id,
            documents.get(doc_id),
            "" if doc_id else row["pair_id"],
            row.get("question"),
            row.get("answer", ""),
        )
        for side in ("right", "wrong")
    )
    is_held_out = int(sha256(about.encode()).hexdigest(), 16) % 2 == 1
    return Pair(row["pair_id"], row["contrast"], is_held_out, right, wrong)


def _rows(name: str) -> list[dict[str, Any]]:
    with (FOLDER / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
