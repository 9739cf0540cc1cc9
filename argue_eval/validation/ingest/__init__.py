"""Takes requests and nuggets in: reads any form, merges sources, checks, and makes them canonical.

Every check is a module of its own and knows the records alone. All of them run, so that one call
finds everything that is odd.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from argue_eval import formats
from argue_eval.errors import Finding, InputError, Severity, UsageError, shorten
from argue_eval.formats.collection import Collection, existing
from argue_eval.formats.jsonl import atomic_writer
from argue_eval.records import ReportRequest, TopicNuggets
from argue_eval.validation.ingest import answers, collection, doc_ids, ids, nuggets, questions
from argue_eval.validation.ingest import requests as _requests
from argue_eval.validation.ingest import topics as _topics
from argue_eval.validation.ingest.extra import clean_nuggets, clean_requests
from argue_eval.validation.ingest.found import Found
from argue_eval.validation.ingest.summary import Line, of_nuggets, of_requests

__all__ = ["Ingested", "ingest_nuggets", "ingest_requests", "write"]

Topic = TypeVar("Topic", ReportRequest, TopicNuggets)

_OWN_CHECKS = ("no_document_ids", "answer_without_documents", "placeholder_document_ids")
"""What reading warns of for a file as a whole, and the checks here for every nugget."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """What was taken in, and what is odd or wrong with it.

    Attributes:
        text: the canonical file; empty if there are errors.
        findings: errors first, then warnings, both in input order.
        summary: what is in the file, for people and machines.
    """

    text: str
    findings: tuple[Finding, ...]
    summary: tuple[Line, ...] = ()

    @property
    def has_errors(self) -> bool:
        """True if something must be corrected before a file can be written."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)


@dataclass(slots=True)
class _Read:
    """The topics of all sources that could be read, and where each stands."""

    topics: list[Any] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)


def ingest_requests(
    sources: Sequence[str], *, form: str | None = None, is_strict: bool = False
) -> Ingested:
    """Returns the report requests of all sources in the canonical form, checked.

    Args:
        form: the name of the form that the sources are in; None to find it out for each.
        is_strict: warnings count as errors.

    Raises:
        MissingResourceError: a source does not exist.
        UsageError: there is no such form.
    """
    read = _read(formats.read_requests, sources, form)
    found = Found(read.places, sources[0])
    requests = clean_requests(read.topics, found)
    ids.check_topics([request.topic_id for request in requests], found)
    _requests.check(requests, found)
    return _finish(read, found, is_strict, of_requests(requests), formats.write_requests, requests)


def ingest_nuggets(
    sources: Sequence[str],
    *,
    form: str | None = None,
    requests: str | None = None,
    collections: Sequence[str] = (),
    is_strict: bool = False,
) -> Ingested:
    """Returns the nuggets of all sources in the canonical form, checked.

    Args:
        form: the name of the form that the sources are in; None to find it out for each.
        requests: a file of report requests, whose topics should be the same.
        collections: files of documents or of their ids, or ``irds:ID``; documents that the
            nuggets name should be in one of them.
        is_strict: warnings count as errors.

    Raises:
        InputError: the requests or a collection can't be read.
        MissingResourceError: a source does not exist.
        UsageError: there is no such form.
    """
    read = _read(formats.read_nuggets, sources, form)
    found = Found(read.places, sources[0])
    topics = clean_nuggets(read.topics, found)
    ids.check_topics([topic.topic_id for topic in topics], found)
    for topic in topics:
        ids.check_nuggets(topic, found)
        nuggets.check(topic, found)
        questions.check(topic, found)
        answers.check(topic, found)
    nuggets.check_importance(topics, found)
    is_complete = not read.errors  # without some topics, whatever is compared would be off
    opened = [Collection(name) for name in collections] if is_complete else []
    known = existing(opened, doc_ids.named_times(topics))
    doc_ids.check(topics, known, found)
    if opened:
        collection.check(topics, opened, known, found)
    if requests and is_complete:
        _topics.check(topics, formats.read_requests(requests), requests, found)
    return _finish(read, found, is_strict, of_nuggets(topics), formats.write_nuggets, topics)


def write(text: str, path: str) -> None:
    """Writes a canonical file as a whole or not at all.

    Raises:
        MissingResourceError: it can't be written.
        UsageError: the path is that of a directory.
    """
    target = Path(path)
    if target.is_dir():
        raise UsageError(f"-o: expected the name of a file, found the directory {path}")
    if target.exists() and not target.is_file():  # a device or a pipe: it must not be replaced
        target.write_text(text, encoding="utf-8")
        return
    with atomic_writer(target) as stream:
        stream.write(text)


def _read(reader: Callable[..., list[Topic]], sources: Sequence[str], form: str | None) -> _Read:
    """Returns the topics of all sources; a topic that comes twice is an error."""
    read = _Read()
    for source in sources:
        places: dict[str, str] = {}
        try:
            topics = reader(source, form, read.warnings, places)
        except InputError as exc:
            read.errors.extend(exc.findings)
            continue
        for topic in topics:
            topic_id = topic.topic_id
            if topic_id in read.places:
                read.errors.append(_again(topic_id, places, read.places[topic_id], source))
                continue
            read.places[topic_id] = places[topic_id]
            read.topics.append(topic)
    if not read.topics and not read.errors:
        hint = "check the step that wrote it"
        read.errors.append(Finding("no_topics", "there is no topic in it", hint, sources[0]))
    return read


def _again(topic_id: str, places: dict[str, str], first: str, source: str) -> Finding:
    file, line = Found(places, source).place(topic_id)
    message = f"the topic {shorten(topic_id)} occurs again; it was first at {first}"
    return Finding("duplicate_topic", message, "keep one of the two", file, line, "", topic_id)


def _finish(
    read: _Read,
    found: Found,
    is_strict: bool,
    summary: list[Line],
    writer: Callable[..., None],
    records: Sequence[ReportRequest] | Sequence[TopicNuggets],
) -> Ingested:
    from io import StringIO

    warnings = [each for each in read.warnings if each.code not in _OWN_CHECKS] + found.warnings
    if is_strict:
        warnings = [each._replace(severity=Severity.ERROR) for each in warnings]
    ingested = Ingested("", (*read.errors, *warnings), tuple(summary) if read.topics else ())
    if ingested.has_errors:
        return ingested
    stream = StringIO()
    writer(records, stream)
    return replace(ingested, text=stream.getvalue())
