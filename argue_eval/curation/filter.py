"""Keeps the key points that answer the question, by the probability that a model says yes.

Source: Long2RAG (2024), section 3.3 and appendix A.2, after AutoDS: the probability of YES among
YES and NO as the first token of the reply. Without probabilities, a yes counts 1 and a no 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from argue_eval.curation.model import Call, Kept, Model, Progress
from argue_eval.curation.texts import ReplyError, first_word, request_block
from argue_eval.judges.model import Block, quoted
from argue_eval.records import Nugget, ReportRequest, TopicNuggets

THRESHOLD = 0.7
"""The threshold of the paper: people find 8.7 percent of what it leaves out to be key points."""

_REPLY_TOKENS = 16


@dataclass(slots=True)
class Filtered:
    """The key points after filtering.

    Attributes:
        kept: nuggets with at least the score of the threshold, nuggets without a score, and
            questions.
        left_out: all other nuggets.
        num_without_prob: answers whose probability the model did not report.
    """

    kept: list[TopicNuggets] = field(default_factory=list)
    left_out: list[TopicNuggets] = field(default_factory=list)
    num_kept: int = 0
    num_left_out: int = 0
    num_unscored: int = 0
    num_without_prob: int = 0


def filter_points(
    topics: Sequence[TopicNuggets],
    requests: Mapping[str, ReportRequest],
    model: Model,
    threshold: float = THRESHOLD,
    progress: Progress | None = None,
) -> Filtered:
    """Separates the nuggets by their score, which is added to each as its key ``score``."""
    calls = [
        Call(
            "filter",
            about={"topic_id": topic.topic_id, "nugget_id": nugget.nugget_id},
            shared=(request_block(requests[topic.topic_id]),),
            own=Block("statement", (f"statement: {quoted(nugget.answers[0].answer)}",)),
            max_tokens=_REPLY_TOKENS,
            schema={},
            likely="YES",
        )
        for topic in topics
        if topic.topic_id in requests
        for nugget in topic.nuggets
        if nugget.is_claim
    ]
    replies = {
        (call.about["topic_id"], call.about["nugget_id"]): kept
        for call, kept in zip(calls, model.ask(calls, _read, progress), strict=True)
        if kept is not None
    }
    by = f"filter {model.signature('filter')}"
    found = Filtered(num_without_prob=sum(kept.yes_prob is None for kept in replies.values()))
    for topic in topics:
        parted: dict[bool, list[Nugget]] = {True: [], False: []}
        for nugget in topic.nuggets:
            kept = replies.get((topic.topic_id, nugget.nugget_id))
            score = None if kept is None else _score(kept)
            if score is not None:
                extra = {**nugget.extra, "score": round(score, 6), "scored_by": by}
                nugget = nugget._replace(extra=extra)
            is_kept = score is None or score >= threshold
            parted[is_kept].append(nugget)
            found.num_kept += is_kept and score is not None
            found.num_left_out += not is_kept
            found.num_unscored += nugget.is_claim and score is None
        found.kept.append(topic._replace(nuggets=tuple(parted[True])))
        if parted[False]:
            found.left_out.append(topic._replace(nuggets=tuple(parted[False])))
    return found


def _read(call: Call, kept: Kept) -> Kept:
    if kept.yes_prob is None and first_word(kept.text) not in ("yes", "no"):
        raise ReplyError("the reply says neither YES nor NO")
    return kept


def _score(kept: Kept) -> float:
    return float(first_word(kept.text) == "yes") if kept.yes_prob is None else kept.yes_prob
