"""Summarizes the documents that were retrieved for each subtopic of a haystack, with a model.

Source: "Summary of a Haystack" (EMNLP 2024), sections 3.3, 5.1 and 5.4: as many bullets as the
subtopic has insights, each citing documents by their numbers. The paper's code cuts off the last
document where the budget ends; here all documents are whole.

A question is answered from documents of a collection, as Long2RAG (2024), section 5.1, has it:
with as many points of theirs as help. They are cited by their places in the prompt.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import NamedTuple

from argue_eval.curation.model import Call, Kept, Model, Progress
from argue_eval.curation.retrieval import FULL, Haystack
from argue_eval.curation.retrieved import Retrieved
from argue_eval.curation.texts import ReplyError, list_of, object_schema, object_with, request_block
from argue_eval.errors import Finding, InputError, UsageError, check_names, count, shorten, some
from argue_eval.formats.segmenting.markdown import Plain
from argue_eval.judges.model import Block, quoted
from argue_eval.records import Citation, Report, Sentence
from argue_eval.text.passages import num_tokens

TOP, BOTTOM, RANDOM = ORDERS = ("top", "bottom", "random")
BUDGET = 15_000
"""The tokens of documents that are shown in the paper."""

_OF_FULL = {TOP: "fl-ctxt-sort", BOTTOM: "fl-ctxt-rev-sort", RANDOM: FULL}
"""How runs on all documents are named by their order, as in the paper's repository."""

_MARK = re.compile(r"^[-*•] ")
_REPLY_TOKENS = 4096
_KEYS = {"summarize": "bullets", "answer": "sentences"}
"""The steps, each with the list in its replies."""


@dataclass(frozen=True, slots=True)
class Way:
    """How documents are shown to a summarizer.

    Attributes:
        order: where the most relevant documents are: ``top``, ``bottom``, or ``random`` places.
        budget: the tokens of the documents that are shown; None for all documents.
        seed: of the random order, which is the same for all subtopics.
    """

    retriever: str
    order: str
    budget: int | None
    seed: int = 0

    def run_id(self, summarizer: str) -> str:
        """The name of a run from which ``summhay table`` reads the retriever and the summarizer.

        Raises:
            UsageError: it is no name for a run.

        >>> Way("bm25", "top", 15_000).run_id("my_model"), Way("full", "top", None).run_id("m")
        ('bm25_my-model', 'fl-ctxt-sort_m')
        >>> Way("bm25", "bottom", 15_000).run_id("m")
        'bm25_m-bottom'
        """
        name = summarizer.replace("_", "-")
        retriever = self.retriever.replace("_", "-")
        of_order = "" if self.order == TOP else f"-{self.order}"
        if retriever == FULL:
            retriever, of_order = _OF_FULL[self.order], ""
        run_id = f"{retriever}_{name}{of_order}"
        if not name or not run_id.isprintable():
            message = f"the run would be {shorten(run_id)}, with a character that is not printable"
            raise UsageError(f"{message if name else 'a run needs a name'}: use another --name")
        return run_id


class Shown(NamedTuple):
    """The documents that a summarizer is shown for a subtopic, in their order.

    Attributes:
        num_bullets: how many bullets are wanted: one for each insight; None for an answer, which
            has sentences.
    """

    topic_id: str
    doc_ids: tuple[str, ...]
    num_tokens: int
    num_bullets: int | None

    @property
    def step(self) -> str:
        """What the model is asked for: ``summarize`` or ``answer``."""
        return "answer" if self.num_bullets is None else "summarize"

    @property
    def by_number(self) -> dict[str, str]:
        """The documents by the numbers that the model is shown."""
        if self.num_bullets is None:
            return {str(number): doc_id for number, doc_id in enumerate(self.doc_ids, 1)}
        return dict(zip(self.doc_ids, self.doc_ids, strict=True))


@dataclass(slots=True)
class Summarized:
    """What a model wrote.

    Attributes:
        reports: one for each subtopic with a usable reply, in the order of the haystack.
        not_shown: by subtopic, the cited documents that the model was not shown, which are kept; by
            question, the cited numbers of no document, which are left out.
        unread: brackets that may be citations but could not be read.
    """

    reports: list[Report] = field(default_factory=list)
    not_shown: dict[str, list[str]] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    num_bullets: int = 0
    num_citations: int = 0


# --- what is shown --------------------------------------------------------------------------------


def way_of(
    found: Retrieved, order: str | None = None, budget: int | None = None, seed: int = 0
) -> Way:
    """How the paper shows what was retrieved, unless said otherwise.

    Raises:
        UsageError: there is no such order, or the run does not say what made it.
    """
    if len(found.tags) != 1:
        message = f"expected a TREC run with one tag in its sixth column, found {len(found.tags)}"
        raise UsageError(f"--retrieved: {message}; the tag names the retriever")
    (retriever,) = found.tags
    check_names("--order", [] if order is None else [order], ORDERS)
    is_full = retriever == FULL
    order = order or (RANDOM if is_full else TOP)
    return Way(retriever, order, budget or (None if is_full else BUDGET), seed)


def choose(haystack: Haystack, found: Retrieved, way: Way, name: str) -> list[Shown]:
    """Fits the documents of every subtopic into the budget and puts them in order.

    The first documents of a ranking are shown, up to the first that no longer fits. A subtopic for
    which nothing was retrieved is left out.

    Args:
        name: of the file of what was retrieved, for messages.

    Raises:
        InputError: the run is of another haystack.
        UsageError: the budget has no room for a document, or for all that a run of all needs.
    """
    ranked = {each.topic_id: found.of(each.topic_id) for each in haystack.requests}
    _check(haystack, ranked, name)
    shuffled = list(haystack.documents)
    Random(way.seed).shuffle(shuffled)
    places = {doc_id: place for place, doc_id in enumerate(shuffled)}
    sizes = {doc_id: num_tokens(each.text) for doc_id, each in haystack.documents.items()}
    chosen = []
    for topic_id, doc_ids in ranked.items():
        ends = accumulate(sizes[doc_id] for doc_id in doc_ids)
        num = len(doc_ids) if way.budget is None else bisect_right(list(ends), way.budget)
        fitting = doc_ids[:num]
        if way.retriever == FULL and len(fitting) < len(sizes):
            message = (
                f"topic {topic_id}: {len(fitting):,} of {len(sizes):,} documents would be read"
            )
            raise UsageError(f"{message}, and 'full' means all: use another budget or retriever")
        if doc_ids and not fitting:
            message = f"topic {topic_id}: the first document has {sizes[doc_ids[0]]:,} tokens"
            raise UsageError(f"{message}, and --budget {way.budget:,} has no room for it")
        num_bullets = None
        if not haystack.is_of_questions:
            num_bullets = len(haystack.nuggets[topic_id].nuggets)
        if fitting:
            size = sum(sizes[doc_id] for doc_id in fitting)
            if way.order == RANDOM:
                fitting.sort(key=lambda doc_id: places[doc_id])
            elif way.order == BOTTOM:
                fitting.reverse()
            chosen.append(Shown(topic_id, tuple(fitting), size, num_bullets))
    return chosen


def _check(haystack: Haystack, ranked: Mapping[str, Sequence[str]], name: str) -> None:
    if not any(ranked.values()):
        asked = "questions" if haystack.is_of_questions else "subtopics"
        message = f"the run has none of the {asked} of {haystack.name}"
        hint = f"name a run for this file: its topics are the ids of {asked}"
        raise InputError(Finding("no_common_topic", message, hint, name))
    for topic_id, doc_ids in ranked.items():
        unknown = [doc_id for doc_id in doc_ids if doc_id not in haystack.documents]
        if unknown:
            known = f"{haystack.name} has the documents 1 to {len(haystack.documents):,}"
            message = f"{count(len(unknown), 'document')} of no haystack: {some(unknown)}; {known}"
            hint = "name each document by its place in the haystack, counted from 1"
            raise InputError(Finding("unknown_document", message, hint, name, topic_id=topic_id))


# --- what is asked --------------------------------------------------------------------------------


def summarize(
    haystack: Haystack,
    chosen: Sequence[Shown],
    way: Way,
    model: Model,
    name: str,
    progress: Progress | None = None,
) -> Summarized:
    """Summarizes each subtopic, or answers each question; the model's tally has what failed.

    Args:
        name: what the summarizer is called in the run.
    """
    requests = {request.topic_id: request for request in haystack.requests}
    calls = [
        Call(
            shown.step,
            about={"topic_id": shown.topic_id},
            shared=tuple(_shared(haystack, shown)),
            own=request_block(requests[shown.topic_id]),
            max_tokens=_REPLY_TOKENS,
            schema=object_schema({_KEYS[shown.step]: list_of("string")}),
        )
        for shown in chosen
    ]
    found = Summarized()
    for shown, texts in zip(chosen, model.ask(calls, _read, progress), strict=True):
        if texts is None:
            continue
        sentences = tuple(_sentences(texts, shown, haystack, found))
        about = {
            "summarizer": name,
            "retriever": way.retriever,
            "order": way.order,
            "budget": way.budget,
            "shown": list(shown.doc_ids),
            "made_by": f"{shown.step} {model.signature(shown.step)}",
        }
        report = Report(shown.topic_id, way.run_id(name), sentences, metadata=about)
        if haystack.is_of_questions:
            report = report._replace(references=shown.doc_ids)
        found.reports.append(report)
    return found


def _shared(haystack: Haystack, shown: Shown) -> Iterator[Block]:
    documents = {number: haystack.documents[each] for number, each in shown.by_number.items()}
    texts = {
        number: f"{each.title}\n{each.text}" if each.title else each.text
        for number, each in documents.items()
    }
    yield Block("documents", tuple(f"{number}: {quoted(text)}" for number, text in texts.items()))
    if shown.num_bullets is not None:
        yield Block("bullets", (str(shown.num_bullets),))


def _read(call: Call, kept: Kept) -> list[str]:
    key = _KEYS[call.step]
    texts = object_with(kept.text, key)[key]
    if isinstance(texts, list) and all(isinstance(each, str) for each in texts):
        return texts
    raise ReplyError(f"the {key} of the reply are not a list of texts")


def _sentences(
    texts: Sequence[str], shown: Shown, haystack: Haystack, found: Summarized
) -> Iterator[Sentence]:
    """Yields the texts of a reply, which cite documents as `argue-eval segment` reads it."""
    by_number = shown.by_number
    known = by_number if haystack.is_of_questions else haystack.documents
    for text in texts:
        text = _MARK.sub("", " ".join(text.split()))
        plain = Plain(text, known)
        if not plain.text.strip():
            continue
        labels = dict.fromkeys(label for marker in plain.markers for label in marker.labels)
        others = [label for label in labels if label not in by_number]
        if others:
            found.not_shown.setdefault(shown.topic_id, []).extend(others)
        found.unread += [brackets for brackets, _ in plain.unread]
        found.num_bullets += 1
        if haystack.is_of_questions:
            labels = {label: None for label in labels if label in by_number}
        doc_ids = [by_number.get(label, label) for label in labels]
        found.num_citations += len(doc_ids)
        # As in the files of the paper: bullets are as long as they were written.
        words = {"num_words": len(text.split())} if doc_ids else {}
        yield Sentence(plain.text.strip(), tuple(map(Citation, doc_ids)), words)
