"""Ranks the documents of a haystack for each subtopic, or those of a collection for questions.

Source: "Summary of a Haystack" (EMNLP 2024), section 5.1. A ranking of a haystack holds all
documents: how many of them are read is decided by a budget of tokens. For questions with
sub-questions, Long2RAG (2024), section 3.2 and the prompt for decomposing in appendix B: what all
of them retrieve is pooled. The paper orders the pool with a model; here the rankings are fused
(Cormack et al., SIGIR 2009).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from argue_eval import formats
from argue_eval.curation.model import Call, Model, Progress
from argue_eval.curation.retrieved import documents_of
from argue_eval.curation.texts import Listing, request_block
from argue_eval.errors import (
    Finding,
    InputError,
    MissingResourceError,
    UsageError,
    check_names,
    some,
)
from argue_eval.formats.detection import CALLED
from argue_eval.formats.jsonl import Source
from argue_eval.judges.lexical.words import STOP_WORDS, stem
from argue_eval.measures.rankings import scores, trec_id
from argue_eval.records import Document, ReportRequest, TopicNuggets
from argue_eval.text.words import words

FULL = "full"
TAGS = {"oracle": "oracle", "random": "random", "keyword": "bm25", FULL: FULL}
"""The ways to rank, and the name that the lines of a run give each."""

POOLED_TAG = "bm25-pooled"
DEPTH = 5
"""The documents that the paper of Long2RAG keeps for each question."""

POOLED = 100
"""Documents of each ranking that are pooled; `_SMOOTHING`: as in the paper on fusing rankings."""
_SMOOTHING = 60

_KEY = "sub_questions"
"""The further key of a request that has its sub-questions already."""

_STEP = "questions/parts"
_REPLY_TOKENS = 1024
_PARTS = Listing("questions", question="string")
_KINDS = ("nuggets", "requests", "documents")

Rankings = Mapping[str, Sequence[str]]
"""The ids of documents, best first, by topic as a TREC run writes it."""

SubQuestions = Mapping[str, Sequence[str]]
"""By topic, what is searched for besides the question; nothing if one search is enough."""


class Haystack(NamedTuple):
    """Documents, and what is asked about them.

    It is what a file of SummHay holds, with documents named by their places, from 1; or questions
    with the documents of a collection, without nuggets.
    """

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
    def is_of_questions(self) -> bool:
        """Whether its documents are those of a collection."""
        return not self.nuggets

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
        hint = "name a haystack; or for questions, their documents too: --collection FILE"
        raise source.error("unknown_format", message, hint=hint)
    documents = {
        each.doc_id: each for each in formats.iter_documents(source, format_name="summhay")
    }
    requests = formats.read_topics(source, "summhay")
    nuggets = {each.topic_id: each for each in formats.read_nuggets(source, "summhay")}
    return Haystack(path, requests, documents, nuggets)


def read_questions(path: str, collections: Sequence[str]) -> Haystack:
    """Reads questions, and all documents of collections.

    Raises:
        InputError: a file has errors.
        MissingResourceError: a file or data set does not exist.
        UsageError: all documents of a data set are requested.
    """
    if any(each.startswith("irds:") for each in collections):
        message = "--collection irds:ID: expected files of documents"
        raise UsageError(f"{message}; rank a data set with a search engine, and use its TREC run")
    return Haystack(path, formats.read_topics(path), documents_of(collections, None), {})


# --- sub-questions --------------------------------------------------------------------------------


def stated_parts(requests: Sequence[ReportRequest]) -> dict[str, list[str]]:
    """The sub-questions that requests state.

    Raises:
        InputError: they are no list of texts.
    """
    found = {each.topic_id: each.extra[_KEY] for each in requests if _KEY in each.extra}
    for topic_id, value in found.items():
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            message = f"topic {some([topic_id])}: {_KEY!r} is not a list of texts"
            hint = f'write "{_KEY}": ["…", "…"], or leave the key out'
            raise InputError(Finding("wrong_type", message, hint, topic_id=topic_id))
    return found


def break_down(
    requests: Sequence[ReportRequest], model: Model, progress: Progress | None = None
) -> dict[str, list[str]]:
    """The sub-questions of the requests that state none; the model's tally has what failed."""
    known = stated_parts(requests)
    left = [each for each in requests if each.topic_id not in known]
    calls = [
        Call(
            _STEP,
            about={"topic_id": each.topic_id},
            shared=(),
            own=request_block(each),
            max_tokens=_REPLY_TOKENS,
            schema=_PARTS.schema,
        )
        for each in left
    ]
    return {
        request.topic_id: list(dict.fromkeys(" ".join(each["question"].split()) for each in parts))
        for request, parts in zip(left, model.ask(calls, _PARTS.read, progress), strict=True)
        if parts is not None
    }


# --- rankings -------------------------------------------------------------------------------------


def rank(
    haystack: Haystack,
    by: str,
    seed: int = 0,
    parts: SubQuestions = MappingProxyType({}),
    depth: int | None = None,
) -> dict[str, list[str]]:
    """The documents of a haystack in the order of their relevance, by subtopic or question.

    Args:
        by: ``oracle``: more insights of the subtopic first; equal ones as in the haystack.
            ``full``: the same order, for reports on all documents. ``keyword``: by BM25.
            ``random``: in a random order for each subtopic.
        parts: sub-questions, whose rankings by BM25 are pooled with that of the question.
        depth: how many documents are kept; None for all. Of a collection, those without any word of
            the question are left out.

    Raises:
        MissingResourceError: ``keyword`` needs a package that is not installed.
        UsageError: there is no such way, or the haystack does not say where its insights are.
    """
    check_names("--by", [by], TAGS)
    if by in ("oracle", FULL) and not haystack.has_places:
        message = "no document holds an insight of a subtopic ('insights_included')"
        raise UsageError(f"--by {by}: {haystack.name}: {message}; use random or keyword")
    score = _bm25(haystack) if by == "keyword" else None
    found = {}
    for request in haystack.requests:
        doc_ids = list(haystack.documents)
        if by == "random":
            Random(f"{seed} {request.topic_id}").shuffle(doc_ids)
        elif score is None:
            known = haystack.num_insights(request.topic_id)
            doc_ids.sort(key=lambda doc_id: -known[doc_id])
        else:
            texts = (request.narrative, *parts.get(request.topic_id, ()))
            scored = _pooled([score(text) for text in texts])
            doc_ids.sort(key=lambda doc_id: -scored.get(doc_id, 0.0))
            if haystack.is_of_questions:
                doc_ids = [each for each in doc_ids if scored.get(each, 0.0) > 0]
        found[request.topic_id] = doc_ids[:depth]
    return found


def _pooled(rankings: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """The scores of documents in several rankings together: by reciprocal ranks.

    >>> one, two = {"a": 3.0, "b": 2.0, "c": 0.0}, {"a": 0.0, "b": 1.0, "c": 0.5}
    >>> {key: round(each, 4) for key, each in _pooled([one, two]).items()}
    {'a': 0.0164, 'b': 0.0325, 'c': 0.0161}
    """
    if len(rankings) == 1:
        return rankings[0]
    pooled: dict[str, float] = {}
    for scored in rankings:
        best = nlargest(POOLED, scored, key=lambda doc_id: scored[doc_id])
        for place, doc_id in enumerate(best, 1):
            if scored[doc_id] > 0:
                pooled[doc_id] = pooled.get(doc_id, 0.0) + 1 / (_SMOOTHING + place)
    return pooled


def _bm25(haystack: Haystack) -> Callable[[str], Mapping[str, float]]:
    """Scores documents by the words that they share with a query, in Lucene's form of BM25."""
    try:
        from bm25s import BM25
    except ImportError as exc:
        message = "--by keyword needs bm25s: pip install 'argue-eval[curate]'"
        raise MissingResourceError(message) from exc
    index = BM25()
    documents = haystack.documents.values()
    texts = [_terms(f"{each.title} {each.text}") or [""] for each in documents]
    index.index(texts, show_progress=False)

    def score(text: str) -> Mapping[str, float]:
        query = _terms(text)
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
