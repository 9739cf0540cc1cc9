"""Ranks the documents of a haystack for each of its subtopics, as baselines of SummHay do.

Source: "Summary of a Haystack" (EMNLP 2024), section 5.1. A ranking holds all documents: how many
of them are read is decided by a budget of tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from argue_eval import formats
from argue_eval.errors import MissingResourceError, UsageError, unknown_name
from argue_eval.formats.detection import CALLED
from argue_eval.formats.jsonl import Source
from argue_eval.judges.lexical.words import STOP_WORDS, stem
from argue_eval.measures.rankings import scores, trec_id
from argue_eval.records import Document, ReportRequest, TopicNuggets
from argue_eval.text.words import words

FULL = "full"
TAGS = {"oracle": "oracle", "random": "random", "keyword": "bm25", FULL: FULL}
"""The ways to rank, and the name that the lines of a run give each."""

_KINDS = ("nuggets", "requests", "documents")

Rankings = Mapping[str, Sequence[str]]
"""The ids of documents, best first, by topic as a TREC run writes it."""


class Haystack(NamedTuple):
    """What a file of SummHay holds. Documents are named by their places, from 1."""

    name: str
    requests: list[ReportRequest]
    documents: dict[str, Document]
    nuggets: dict[str, TopicNuggets]

    def num_insights(self, topic_id: str) -> Counter[str]:
        """How many of the insights of a subtopic each document holds."""
        return Counter(
            doc_id
            for nugget in self.nuggets[topic_id].nuggets
            for doc_id in nugget.answers[0].doc_ids
        )

    @property
    def has_places(self) -> bool:
        """Whether it says which documents hold insights."""
        return any(self.num_insights(topic_id) for topic_id in self.nuggets)


def read_haystack(path: str) -> Haystack:
    """Reads the subtopics, insights and documents of a haystack.

    Raises:
        InputError: the file has errors, or is no haystack.
        MissingResourceError: there is no such file.
    """
    source = Source(path)
    if not all(formats.holds(kind, source) for kind in _KINDS):
        kinds = formats.kinds_of(source)
        found = CALLED[kinds[0]] if kinds else "another format"
        message = f"expected a haystack of SummHay ('subtopics' and 'documents'), found {found}"
        hint = "name a file of the paper's repository, or one of argue-eval curate haystack"
        raise source.error("unknown_format", message, hint=hint)
    documents = {
        each.doc_id: each for each in formats.iter_documents(source, format_name="summhay")
    }
    requests = formats.read_topics(source, "summhay")
    nuggets = {each.topic_id: each for each in formats.read_nuggets(source, "summhay")}
    return Haystack(path, requests, documents, nuggets)


def rank(haystack: Haystack, by: str, seed: int = 0) -> dict[str, list[str]]:
    """The documents of a haystack in the order of their relevance, by subtopic.

    Args:
        by: ``oracle``: more insights of the subtopic first; equal ones as in the haystack.
            ``full``: the same order, for reports on all documents. ``keyword``: by BM25.
            ``random``: in a random order for each subtopic.

    Raises:
        MissingResourceError: ``keyword`` needs a package that is not installed.
        UsageError: there is no such way, or the haystack does not say where its insights are.
    """
    if by not in TAGS:
        raise unknown_name("--by", by, TAGS)
    if by in ("oracle", FULL) and not haystack.has_places:
        message = "no document holds an insight of a subtopic ('insights_included')"
        raise UsageError(f"--by {by}: {haystack.name}: {message}; use random or keyword")
    score = _bm25(haystack) if by == "keyword" else None
    found = {}
    for request in haystack.requests:
        doc_ids = list(haystack.documents)
        if by == "random":
            Random(f"{seed} {request.topic_id}").shuffle(doc_ids)
        else:
            known = score(request) if score else haystack.num_insights(request.topic_id)
            doc_ids.sort(key=lambda doc_id: -known[doc_id])
        found[request.topic_id] = doc_ids
    return found


def _bm25(haystack: Haystack) -> Callable[[ReportRequest], Mapping[str, float]]:
    """Scores documents by the words that they share with a query, in Lucene's form of BM25."""
    try:
        from bm25s import BM25
    except ImportError as exc:
        message = "--by keyword needs bm25s: pip install 'argue-eval[curate]'"
        raise MissingResourceError(message) from exc
    index = BM25()
    texts = [_terms(each.text) or [""] for each in haystack.documents.values()]
    index.index(texts, show_progress=False)

    def score(request: ReportRequest) -> Mapping[str, float]:
        query = _terms(request.narrative)
        known = index.get_scores(query).tolist() if query else [0.0] * len(texts)
        return dict(zip(haystack.documents, known, strict=True))

    return score


def _terms(text: str) -> list[str]:
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


def measured(haystack: Haystack, retriever: str, rankings: Rankings) -> str:
    """Measures of ir_measures for rankings, as a message shows them: means over subtopics.

    A document is as relevant as it holds insights of the subtopic. Nothing is measured where that
    is not known, or where all documents are read.
    """
    from ir_measures import AP, Qrel, ScoredDoc, calc_aggregate, nDCG

    qrels = [
        Qrel(trec_id(topic_id), doc_id, number)
        for topic_id in haystack.nuggets
        for doc_id, number in haystack.num_insights(topic_id).items()
    ]
    if retriever == FULL or not qrels:
        return ""
    run = [
        ScoredDoc(topic_id, doc_id, float(score))
        for topic_id, doc_ids in rankings.items()
        for doc_id, score in scores(doc_ids)
    ]
    found = calc_aggregate([AP, nDCG @ 10], qrels, run)
    return "".join(f", {measure} {found[measure]:.4f}" for measure in (AP, nDCG @ 10))
