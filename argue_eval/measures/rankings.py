"""A report's citations as a ranking, and nuggets as the qrels of it.

The rule: a report's documents are ranked in the order in which it first cites them, or by the
system's confidence if that is asked for: not every system gives it. Every document
that attests some answer of a nugget is relevant, with the nugget as its subtopic. An absence
nugget has no document, so it is in no qrels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from argue_eval.records import Nugget, Report

_UNSAFE = re.compile(r"%(?=[0-9A-Fa-f]{2})|\s")


ORDERS = ("first", "confidence")


def ranking(report: Report | None, order: str = "first") -> tuple[str, ...]:
    """The ids of the documents that a report cites, each once.

    Args:
        order: ``first``: first cited first. ``confidence``: by the highest confidence that the
            document is cited with; what is cited without any comes last, first cited first.
    """
    if report is None:
        return ()
    best: dict[str, float] = {}
    for sentence in report.sentences:
        for each in sentence.citations:
            score = -inf if each.score is None or order == "first" else each.score
            best[each.doc_id] = max(score, best.get(each.doc_id, -inf))
    return tuple(sorted(best, key=lambda doc_id: -best[doc_id]))


def subtopics(nuggets: Iterable[Nugget]) -> tuple[tuple[str, str], ...]:
    """Pairs (nugget_id, doc_id): each document that attests an answer of a nugget, once."""
    pairs = (
        (nugget.nugget_id, doc_id)
        for nugget in nuggets
        for answer in nugget.answers
        for doc_id in answer.doc_ids
    )
    return tuple(dict.fromkeys(pairs))


def trec_id(text: str) -> str:
    """Make an id fit in a column: what would break it is percent-encoded.

    Different ids stay different; an id without white space or control characters is kept.

    >>> trec_id("shard 1"), trec_id("shard%201"), trec_id("100%")
    ('shard%201', 'shard%25201', '100%')
    """
    if text.isprintable() and _UNSAFE.search(text) is None:
        return text
    text = re.sub(r"%(?=[0-9A-Fa-f]{2})", "%25", text)
    return "".join([char if _fits(char) else _encoded(char) for char in text])


def plain_id(text: str) -> str:
    """The id of which `trec_id` made a column.

    >>> plain_id("shard%201"), plain_id("shard%25201"), plain_id("100%")
    ('shard 1', 'shard%201', '100%')
    """
    return unquote(text, errors="surrogatepass") if "%" in text else text


def _fits(char: str) -> bool:
    return char.isprintable() and not char.isspace()


def _encoded(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))


def scores(doc_ids: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yields (doc_id, score) from a ranking: whole numbers down to 1, so that no two are tied."""
    return zip(doc_ids, range(len(doc_ids), 0, -1), strict=True)


def run_lines(run_id: str, topic_id: str, doc_ids: Sequence[str]) -> Iterator[str]:
    """Yields the lines of a TREC run for one topic."""
    topic, tag = trec_id(topic_id), trec_id(run_id) or "run"
    for rank, (doc_id, score) in enumerate(scores(doc_ids), 1):
        yield f"{topic} Q0 {trec_id(doc_id)} {rank} {score} {tag}\n"


def qrels_lines(topic_id: str, pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yields the lines of TREC qrels for one topic: topic, subtopic, document, 1."""
    topic = trec_id(topic_id)
    for nugget_id, doc_id in pairs:
        yield f"{topic} {trec_id(nugget_id)} {trec_id(doc_id)} 1\n"
