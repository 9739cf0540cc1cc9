"""Key points from documents, by a language model, with spans that stand in the documents.

Source: Long2RAG (2024), section 3.3. Every document is read for every request it was retrieved for,
in several rounds if wanted: each is told what those before have found. A span that the document
does not have is dropped, and a key point that is left without any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from argue_eval.curation.model import Call, Model, Progress
from argue_eval.curation.replies import Kept
from argue_eval.curation.spans import Searched
from argue_eval.curation.texts import NO_JSON, numbered, object_with, request_block
from argue_eval.judges import Workload
from argue_eval.judges.llm.delimiters import Block, neutral, quoted
from argue_eval.records import Answer, Document, Nugget, ReportRequest, TopicNuggets
from argue_eval.text.passages import passages

PASSAGE_TOKENS = 6000
OVERLAP_TOKENS = 300
_REPLY_TOKENS = 4096

_SCHEMA = {
    "type": "object",
    "properties": {
        "points": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "point": {"type": "string"},
                    "spans": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["point", "spans"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["points"],
    "additionalProperties": False,
}

Pairs = Sequence[tuple[ReportRequest, Document]]
"""The requests with the documents that were retrieved for them, in the order of the output."""


class Dropped(NamedTuple):
    """A key point that was left out since no span of it stands in its document."""

    topic_id: str
    doc_id: str
    point: str


@dataclass(slots=True)
class Extracted:
    """What was found in the documents.

    Attributes:
        topics: the key points as nuggets, in the order of the requests.
        num_spans: spans by how they stand in their document: ``exact``, ``normalised``, ``lost``.
    """

    topics: list[TopicNuggets] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    num_spans: Counter[str] = field(default_factory=Counter)


class _Point(NamedTuple):
    text: str
    spans: tuple[Mapping[str, Any], ...]


@dataclass(slots=True)
class _Reading:
    """A document as it is read for a request."""

    request: ReportRequest
    document: Document
    searched: Searched
    passages: list[str]
    points: list[_Point] = field(default_factory=list)
    is_done: bool = False


def extract(
    pairs: Pairs, model: Model, num_rounds: int = 1, progress: Progress | None = None
) -> Extracted:
    """Returns the key points of documents; what could not be asked is in the model's tally.

    Args:
        num_rounds: how often a document is read, at most: until a round finds nothing new.
    """
    found = Extracted()
    readings = _readings(pairs)
    for _ in range(num_rounds):
        open_ = [reading for reading in readings if not reading.is_done]
        calls = [(reading, call) for reading in open_ for call in _calls(reading)]
        replies = model.ask([call for _, call in calls], _why_unusable, progress)
        before = {id(reading): len(reading.points) for reading in open_}
        for place, (reading, _) in enumerate(calls):
            if place in replies:
                _add(reading, replies[place], found)
        for reading in open_:
            reading.is_done = len(reading.points) == before[id(reading)]
    found.topics = list(_topics(readings, model.signature))
    return found


def of_run(topics: Sequence[TopicNuggets], run_id: str) -> list[TopicNuggets]:
    """Returns key points that were found in the reports of a run: no document attests them yet."""
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


def workload(pairs: Pairs, model: Model) -> Workload:
    """Returns what the first round takes at most."""
    return model.workload([call for reading in _readings(pairs) for call in _calls(reading)])


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
    """Yields a call for each passage of a document."""
    about = {"topic_id": reading.request.topic_id, "doc_id": reading.document.doc_id}
    found = numbered("found", [point.text for point in reading.points])
    for passage in reading.passages:
        lines = [f"title: {quoted(reading.document.title)}"] if reading.document.title else []
        document = Block("document", (*lines, f"text: {quoted(passage)}"))
        shared = (request_block(reading.request), document)
        yield Call("extract", about, shared, found, _REPLY_TOKENS, _SCHEMA)


def _why_unusable(call: Call, kept: Kept) -> str:
    value = object_with(kept.text, "points")
    if value is None:
        return NO_JSON
    points = value["points"]
    if not isinstance(points, list) or not all(isinstance(point, dict) for point in points):
        return "the key points of the reply are no list of objects"
    return ""


def _add(reading: _Reading, kept: Kept, found: Extracted) -> None:
    """Adds the key points of a reply that are new and whose spans the document has."""
    known = {_folded(point.text) for point in reading.points}
    for value in (object_with(kept.text, "points") or {"points": []})["points"]:
        text = value.get("point")
        text = " ".join(text.split()) if isinstance(text, str) else ""
        if not text or _folded(text) in known:
            continue
        known.add(_folded(text))
        given = value.get("spans")
        spans = list(_spans(given if isinstance(given, list) else [], reading, found))
        if spans:
            reading.points.append(_Point(text, tuple(spans)))
        else:
            ids = (reading.request.topic_id, reading.document.doc_id)
            found.dropped.append(Dropped(*ids, text))


def _spans(given: Sequence[Any], reading: _Reading, found: Extracted) -> Iterator[dict[str, Any]]:
    """Yields where the spans stand in the document, as the document has them."""
    seen = set()
    for each in given:
        span = reading.searched.find(each) if isinstance(each, str) else None
        if span is None:
            found.num_spans["lost"] += 1
            continue
        found.num_spans["exact" if span.is_exact else "normalised"] += 1
        if span[:2] not in seen:
            seen.add(span[:2])
            text = reading.document.text[span.start : span.end]
            yield {
                "doc_id": reading.document.doc_id,
                "start": span.start,
                "end": span.end,
                "text": text,
            }


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
                None,
                (Answer(point.text, (doc_id,)),),
                extra={"spans": list(point.spans), "made_by": [f"extract {made_by}"]},
            )
            for number, (doc_id, point) in enumerate(points, 1)
        ]
        yield TopicNuggets(topic_id, tuple(nuggets), members[0].request.extra)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
