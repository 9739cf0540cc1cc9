"""Extracts key points from documents with a language model, with the spans that support them.

Source: Long2RAG (2024), section 3.3. Every document is read for every request for which it was
retrieved, in several rounds if wanted: each round is shown what the earlier ones found. A span that
is not in the document is dropped, and so is a key point without any span.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple
from unicodedata import category, combining, normalize
from zlib import crc32

from argue_eval.curation.model import Call, Kept, Model, Progress
from argue_eval.curation.texts import (
    Listing,
    ReplyError,
    filler,
    list_of,
    numbered,
    object_with,
    request_block,
)
from argue_eval.formats.jsonl import encode
from argue_eval.judges.model import Block, neutral, quoted
from argue_eval.records import Answer, Document, Nugget, ReportRequest, TopicNuggets
from argue_eval.text.passages import passages

PASSAGE_TOKENS = 6000
OVERLAP_TOKENS = 300
_REPLY_TOKENS = 4096
LIKELY_POINTS = 20
"""Key points of a passage, for the price of what follows: in the paper, 28,611 of 1,400 documents.
"""

_POINT_WORDS, _SPAN_WORDS = 15, 10
_POINTS = Listing("points", point="string", spans=list_of("string"))

Pairs = Sequence[tuple[ReportRequest, Document]]
"""The requests with the documents that were retrieved for them, in the order of the output."""


class Dropped(NamedTuple):
    """A key point that was left out, since none of its spans is in the document."""

    topic_id: str
    doc_id: str
    point: str


@dataclass(slots=True)
class Extracted:
    """What was found in the documents.

    Attributes:
        topics: the key points as nuggets, in the order of the requests.
        num_read: number of documents of topics of which some part was read.
        num_spans: number of spans that are in their document: ``exact``, ``normalised``, ``lost``.
    """

    topics: list[TopicNuggets] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    num_read: int = 0
    num_spans: Counter[str] = field(default_factory=Counter)


class _Point(NamedTuple):
    text: str
    spans: tuple[Mapping[str, Any], ...]


@dataclass(slots=True)
class _Reading:
    request: ReportRequest
    document: Document
    searched: Searched
    passages: list[str]
    points: list[_Point] = field(default_factory=list)
    is_done: bool = False


def extract(
    pairs: Pairs, model: Model, num_rounds: int = 1, progress: Progress | None = None
) -> Extracted:
    """Extracts the key points of documents; the model's tally has the calls that failed.

    Args:
        num_rounds: the most rounds per document; it is done after a round that finds nothing new.
    """
    found = Extracted()
    readings = _readings(pairs)
    read: set[int] = set()
    for _ in range(num_rounds):
        open_ = [reading for reading in readings if not reading.is_done]
        calls = [(reading, call) for reading in open_ for call in _calls(reading)]
        replies = model.ask([call for _, call in calls], _read, progress)
        before = {id(reading): len(reading.points) for reading in open_}
        for (reading, _), points in zip(calls, replies, strict=True):
            if points is not None:
                _add(reading, points, found)
                read.add(id(reading))
        for reading in open_:
            reading.is_done = len(reading.points) == before[id(reading)]
    found.num_read = len(read)
    found.topics = list(_topics(readings, model.signature("extract")))
    return found


def of_run(topics: Sequence[TopicNuggets], run_id: str) -> list[TopicNuggets]:
    """Marks key points as those of a run's reports, which no document attests yet."""
    return [
        topic._replace(
            nuggets=tuple(
                nugget._replace(answers=tuple(each._replace(doc_ids=()) for each in nugget.answers))
                for nugget in topic.nuggets
            ),
            extra={**topic.extra, "run_id": run_id},
        )
        for topic in topics
    ]


def _readings(pairs: Pairs) -> list[_Reading]:
    cut: dict[str, tuple[Searched, list[str]]] = {}
    readings = []
    for request, document in pairs:
        if document.doc_id not in cut:
            text = neutral(document.text)
            parts = passages(text, PASSAGE_TOKENS, OVERLAP_TOKENS, document.language)
            cut[document.doc_id] = (Searched(document.text), parts)
        readings.append(_Reading(request, document, *cut[document.doc_id]))
    return readings


def _calls(reading: _Reading) -> Iterator[Call]:
    title = reading.document.title
    for passage in reading.passages:
        lines = [f"title: {quoted(title)}"] if title else []
        document = Block("document", (*lines, f"text: {quoted(passage)}"))
        yield Call(
            "extract",
            about={"topic_id": reading.request.topic_id, "doc_id": reading.document.doc_id},
            shared=(request_block(reading.request), document),
            own=numbered("found", [point.text for point in reading.points]),
            max_tokens=_REPLY_TOKENS,
            schema=_POINTS.schema,
            likely=_likely(passage),
        )


def _likely(passage: str) -> str:
    """A reply with key points, all of which the document has, and no other document."""
    span = " ".join(passage.split()[:_SPAN_WORDS])
    only = f"{crc32(passage.encode('utf-8', 'replace')):x}"
    return encode(
        {
            "points": [
                {"point": f"{only} {filler(_POINT_WORDS, f'p{number}w')}", "spans": [span]}
                for number in range(LIKELY_POINTS)
            ]
        }
    )


def _read(call: Call, kept: Kept) -> list[dict[str, Any]]:
    points = object_with(kept.text, "points")["points"]
    if not isinstance(points, list) or not all(isinstance(point, dict) for point in points):
        raise ReplyError("the key points of the reply are not a list of objects")
    return points


def _add(reading: _Reading, points: Sequence[Mapping[str, Any]], found: Extracted) -> None:
    """Adds the key points of a reply that are new and whose spans are in the document."""
    known = {_folded(point.text) for point in reading.points}
    for value in points:
        text = value.get("point")
        text = " ".join(text.split()) if isinstance(text, str) else ""
        if not text or _folded(text) in known:
            continue
        known.add(_folded(text))
        given = value.get("spans")
        spans = tuple(_spans(given if isinstance(given, list) else [], reading, found))
        if spans:
            reading.points.append(_Point(text, spans))
        else:
            ids = (reading.request.topic_id, reading.document.doc_id)
            found.dropped.append(Dropped(*ids, point=text))


def _spans(given: Sequence[Any], reading: _Reading, found: Extracted) -> Iterator[dict[str, Any]]:
    seen = set()
    for each in given:
        span = reading.searched.find(each) if isinstance(each, str) else None
        if span is None:
            found.num_spans["lost"] += 1
            continue
        found.num_spans["exact" if span.is_exact else "normalised"] += 1
        start, end, _ = span
        if (start, end) not in seen:
            seen.add((start, end))
            text = reading.document.text[start:end]
            yield {"doc_id": reading.document.doc_id, "start": start, "end": end, "text": text}


def _topics(readings: Sequence[_Reading], made_by: str) -> Iterator[TopicNuggets]:
    by_topic: dict[str, list[_Reading]] = {}
    for reading in readings:
        by_topic.setdefault(reading.request.topic_id, []).append(reading)
    for topic_id, members in by_topic.items():
        points = [
            (reading.document.doc_id, point) for reading in members for point in reading.points
        ]
        nuggets = [
            Nugget(
                f"{topic_id}-p{number}",
                question=None,
                answers=(Answer(point.text, (doc_id,)),),
                extra={"spans": list(point.spans), "made_by": [f"extract {made_by}"]},
            )
            for number, (doc_id, point) in enumerate(points, 1)
        ]
        yield TopicNuggets(topic_id, tuple(nuggets), members[0].request.extra)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


# --- spans in a document --------------------------------------------------------------------------

_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        # As `argue_eval.judges.llm.prompts` shows texts of others to a model.
        **dict.fromkeys("‹⟨＜﹤", "<"),
        **dict.fromkeys("›⟩＞﹥", ">"),
        "⟦": "[",
        "⟧": "]",
        "…": "...",
    }
)
_WRITTEN_OUT = re.compile("‹U\\+[0-9A-F]{4,6}›")
_INVISIBLE = ("Cc", "Cf", "Co", "Cs")


class Span(NamedTuple):
    """The place of a text in a document: characters `start` to `end`.

    Attributes:
        is_exact: the document has it to the letter.
    """

    start: int
    end: int
    is_exact: bool = True


class Searched:
    """A document's text, prepared for many searches."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _plain_text(self) -> tuple[str, list[int]]:
        return _plain(self.text)

    def find(self, span: str) -> Span | None:
        """Finds a span, exact except for space, quotes and dashes; None if it is not there.

        >>> Searched("He said: “no”,  twice.").find('said: "no", twice')
        Span(start=3, end=21, is_exact=False)
        """
        span = span.strip()
        if not any(char.isalnum() for char in span):
            return None
        start = self.text.find(span)
        if start >= 0:
            return Span(start, start + len(span))
        text, places = self._plain_text
        wanted = _plain(_WRITTEN_OUT.sub("", span))[0].strip()
        start = text.find(wanted) if wanted else -1
        # No span ends between a letter and its accent.
        while start >= 0 and combining(text[start + len(wanted) : start + len(wanted) + 1] or " "):
            start = text.find(wanted, start + 1)
        if start < 0:
            return None
        return Span(places[start], places[start + len(wanted) - 1] + 1, is_exact=False)


def _plain(text: str) -> tuple[str, list[int]]:
    """Makes characters equal that look alike, and records where each comes from.

    Letters and digits stay what they are: a span with another number is another span.
    """
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if char.isspace():
            if chars and chars[-1] != " ":
                chars.append(" ")
                places.append(place)
            continue
        if category(char) in _INVISIBLE:
            continue
        for each in normalize("NFKD", char.translate(_SAME)):
            chars.append(" " if each.isspace() else each)
            places.append(place)
    return "".join(chars), places
