"""Requests and nuggets of any format, merged, checked and written as one canonical file.

All checks run, so that one call finds everything that is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import maxsize
from typing import Any, Generic, NamedTuple, TypeVar

from argue_eval import formats
from argue_eval.errors import (
    Finding,
    Findings,
    InputError,
    Severity,
    UsageError,
    count,
    plain,
    shorten,
)
from argue_eval.formats.collection import Collection, existing
from argue_eval.formats.jsonl import atomic_writer
from argue_eval.records import Aggregator, Extra, Importance, ReportRequest, TopicNuggets
from argue_eval.validation import nuggets as nugget_checks
from argue_eval.validation import requests as request_checks
from argue_eval.validation.doc_ids import Expected, doc_ids, of_track

__all__ = ["Ingested", "ingest_nuggets", "ingest_requests", "write"]

Topic = TypeVar("Topic", bound=ReportRequest | TopicNuggets)

OWN_CHECKS = ("no_document_ids", "answer_without_documents")
"""What reading warns of for a file as a whole, and the checks here for every nugget."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """A canonical file, and what is wrong with its sources.

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


def ingest_requests(
    sources: Sequence[str], *, format_name: str | None = None, is_strict: bool = False
) -> Ingested:
    """Checks the report requests of all sources and makes one canonical file of them.

    Args:
        format_name: the format of the sources; None to detect it for each.
        is_strict: warnings count as errors.

    Raises:
        MissingResourceError: a source does not exist.
        UsageError: there is no such format.
    """
    read = _Read(formats.read_topics, sources, format_name)
    renamed = _Renamed()
    requests = [renamed.request(each) for each in read.topics]
    renamed.warn(read.checked)
    request_checks.check(read.checked, requests)
    return read.finish(is_strict, _summary_of_requests(requests), formats.write_requests, requests)


def ingest_nuggets(
    sources: Sequence[str],
    *,
    format_name: str | None = None,
    requests: str | None = None,
    collections: Sequence[str] = (),
    track: str | None = None,
    is_strict: bool = False,
) -> Ingested:
    """Checks the nuggets of all sources and makes one canonical file of them.

    Args:
        format_name: the format of the sources; None to detect it for each.
        requests: a file of report requests, whose topics should be the same.
        collections: files of documents or of their ids, or ``irds:ID``; documents that the
            nuggets name should be in one of them.
        track: the ids should be such as those of the track.
        is_strict: warnings count as errors.

    Raises:
        InputError: the requests or a collection cannot be read.
        MissingResourceError: a source does not exist.
        UsageError: there is no such format or track.
    """
    expected = _doc_ids_of(track) if track else None
    read = _Read(formats.read_nuggets, sources, format_name)
    renamed = _Renamed()
    topics = [renamed.topic(each) for each in read.topics]
    renamed.warn(read.checked)
    read.errors += nugget_checks.unwritable(topics, sources[0])
    nugget_checks.check(read.checked, topics)
    # Where topics could not be read, comparing the others with further files would mislead.
    is_complete = not read.errors
    opened = Collection.all_of(collections) if is_complete else []
    known = existing(opened, doc_ids(topics))
    nugget_checks.check_documents(read.checked, topics, known, opened, expected)
    if requests and is_complete:
        requested = formats.read_topics(requests)
        request_checks.compare_topics(read.checked, requested, topics, requests)
    return read.finish(is_strict, _summary_of_nuggets(topics), formats.write_nuggets, topics)


def _doc_ids_of(track: str) -> Expected | None:
    """What the ids of a track look like; None if it has no pattern for them."""
    from argue_eval.validation import tracks

    rule = tracks.load(track).rule("docid_pattern")
    return of_track(rule.values["pattern"]) if rule else None


def write(text: str, path: str) -> None:
    """Writes a canonical file as a whole or not at all.

    Raises:
        MissingResourceError: it cannot be written.
        UsageError: the path is that of a directory.
    """
    if Path(path).is_dir():
        raise UsageError(f"-o: expected the name of a file, found the directory {path}")
    with atomic_writer(path) as stream:
        stream.write(text)


class _Read(Generic[Topic]):
    """The topics of all sources that could be read.

    Attributes:
        errors: what makes sources unreadable; `warnings` of reading them.
        checked: what the checks find in the topics.
    """

    def __init__(
        self, reader: Callable[..., list[Topic]], sources: Sequence[str], format_name: str | None
    ) -> None:
        self.topics: list[Topic] = []
        self.errors: list[Finding] = []
        self.warnings: list[Finding] = []
        self._places: dict[str, str] = {}
        self.checked = Findings(sources[0], places=self._places, max_listed=maxsize)
        for source in sources:
            places: dict[str, str] = {}
            try:
                topics = reader(source, format_name, self.warnings, places)
            except InputError as exc:
                self.errors.extend(exc.findings)
                continue
            for topic in topics:
                self._add(topic, places, source)
        if not self.topics and not self.errors:
            hint = "check the step that wrote it"
            self.errors.append(Finding("no_topics", "the file has no topics", hint, sources[0]))

    def _add(self, topic: Topic, places: Mapping[str, str], source: str) -> None:
        topic_id = topic.topic_id
        if topic_id not in self._places:
            self._places[topic_id] = places[topic_id]
            self.topics.append(topic)
            return
        first = self._places[topic_id]
        message = f"the topic {shorten(topic_id)} occurs again; it was first at {first}"
        again = Findings(source, places=places, listed=self.errors)
        again.error("duplicate_topic", message, "keep one of the two", topic_id=topic_id)

    def finish(
        self,
        is_strict: bool,
        summary: list[Line],
        writer: Callable[..., None],
        records: Sequence[Topic],
    ) -> Ingested:
        from io import StringIO

        warnings = [each for each in self.warnings if each.code not in OWN_CHECKS]
        severity = Severity.ERROR if is_strict else Severity.WARNING
        found = [each._replace(severity=severity) for each in (*warnings, *self.checked)]
        stream = StringIO()
        if not self.errors and not (is_strict and found):
            writer(records, stream)
        lines = tuple(summary) if self.topics else ()
        return Ingested(stream.getvalue(), (*self.errors, *found), lines)


# --- further keys of a source that mean something else in the canonical format ---

_TOPIC = frozenset(("topic_id", "nuggets"))
_NUGGET = frozenset(
    ("nugget_id", "question", "aggregator", "importance", "answers", "weight", "group")
)
_ANSWER = frozenset(("answer", "doc_ids"))
_REQUEST = frozenset(ReportRequest._fields) - {"extra"} | {"collection_id"}
"""With the key by which NeuCLIR's format is detected."""

_ENDING = "_in_source"


class _Renamed:
    """Renames further keys that have a meaning in the canonical format.

    Where a source uses one of them for something else, say an importance of 1 to 5, the file that
    is written could not be read again.
    """

    def __init__(self) -> None:
        self._num_by_key: Counter[str] = Counter()

    def request(self, request: ReportRequest) -> ReportRequest:
        return request._replace(extra=self._extra(request.extra, _REQUEST))

    def topic(self, topic: TopicNuggets) -> TopicNuggets:
        nuggets = tuple(
            nugget._replace(
                answers=tuple(
                    answer._replace(extra=self._extra(answer.extra, _ANSWER))
                    for answer in nugget.answers
                ),
                extra=self._extra(nugget.extra, _NUGGET),
            )
            for nugget in topic.nuggets
        )
        return topic._replace(nuggets=nuggets, extra=self._extra(topic.extra, _TOPIC))

    def _extra(self, extra: Extra, reserved: frozenset[str]) -> Extra:
        if reserved.isdisjoint(extra):
            return extra
        kept: dict[str, Any] = {}
        for key, value in extra.items():
            if key not in reserved:
                kept[key] = value
            elif value is not None:
                self._num_by_key[key] += 1
                name = key + _ENDING
                while name in extra:
                    name += "_"
                kept[name] = value
        return kept

    def warn(self, findings: Findings) -> None:
        for key, number in self._num_by_key.items():
            message = (
                f"the key {shorten(key)} means something else in the canonical format; what the "
                f"source has there is kept as {shorten(key + _ENDING)}, {count(number, 'time')}"
            )
            hint = "if it has the canonical meaning, correct its values"
            findings.warn("renamed_key", message, hint)


# --- what is in the file, in numbers ---

_MAX_NAMED = 10


class Spread(NamedTuple):
    """The smallest, middle and largest of several numbers."""

    min: float
    median: float
    max: float

    def __str__(self) -> str:
        if self.min == self.max:
            return _number(self.min)
        return f"{_number(self.min)} to {_number(self.max)}, median {_number(self.median)}"


class Line(NamedTuple):
    """One line of a summary.

    Attributes:
        key: its name for machines.
        label: its name for people; indented if it is about the line before.
        value: a count, a spread, or counts by name.
    """

    key: str
    label: str
    value: int | Spread | dict[str, int]

    def __str__(self) -> str:
        value = self.value
        if isinstance(value, dict):
            parts = [f"{plain(name)} {_number(number)}" for name, number in value.items()]
            shown = ", ".join(parts[:_MAX_NAMED]) + (", …" if len(parts) > _MAX_NAMED else "")
        else:
            shown = str(value) if isinstance(value, Spread) else _number(value)
        return f"{self.label.ljust(28)}{shown}"

    @property
    def as_json(self) -> Any:
        """The value as a JSON file has it."""
        return self.value._asdict() if isinstance(self.value, Spread) else self.value


def _number(number: float) -> str:
    return f"{int(number):,}" if number == int(number) else f"{number:,}"


def _spread(key: str, label: str, numbers: Iterable[int]) -> list[Line]:
    from statistics import median

    found = sorted(numbers)
    return [Line(key, label, Spread(found[0], median(found), found[-1]))] if found else []


def _summary_of_requests(requests: Sequence[ReportRequest]) -> list[Line]:
    limits = [(each.limit_unit, each.limit) for each in requests if each.limit is not None]
    languages = Counter(each.language for each in requests if each.language is not None)
    with_title = sum(bool(each.title.strip()) for each in requests)
    with_background = sum(bool(each.background.strip()) for each in requests)
    lines = [
        Line("topics", "topics", len(requests)),
        Line("with_title", "  with title", with_title),
        Line("with_background", "  with background", with_background),
        Line("with_limit", "  with limit", len(limits)),
    ]
    for unit in sorted({unit for unit, _ in limits}):
        numbers = [limit for each, limit in limits if each == unit]
        lines += _spread(f"limit_{unit}", f"    in {unit}", numbers)
    if languages:
        lines.append(Line("languages", "languages", dict(languages.most_common())))
    lengths = [len(each.problem_statement) for each in requests]
    return lines + _spread("problem_statement_characters", "problem statement (chars)", lengths)


def _summary_of_nuggets(topics: Sequence[TopicNuggets]) -> list[Line]:
    nuggets = [nugget for topic in topics for nugget in topic.nuggets]
    answers = [answer for nugget in nuggets for answer in nugget.answers]
    has_answers = [nugget for nugget in nuggets if not nugget.is_absence]
    per_nugget = [
        len({doc_id for answer in nugget.answers for doc_id in answer.doc_ids})
        for nugget in has_answers
    ]
    aggregators = Counter(nugget.aggregator for nugget in nuggets)
    importances = Counter(nugget.importance for nugget in nuggets)
    by_importance = {each.value: importances[each] for each in Importance}
    by_aggregator = {each.value: aggregators[each] for each in Aggregator}
    without_nuggets = sum(not each.nuggets for each in topics)
    num_documents = len({doc_id for answer in answers for doc_id in answer.doc_ids})
    return [
        Line("topics", "topics", len(topics)),
        Line("topics_without_nuggets", "  without nuggets", without_nuggets),
        Line("nuggets", "nuggets", len(nuggets)),
        *_spread("nuggets_per_topic", "  per topic", (len(topic.nuggets) for topic in topics)),
        Line("aggregators", "  aggregator", by_aggregator),
        Line("importance", "  importance", {**by_importance, "none": importances[None]}),
        Line("claim_nuggets", "  claims", sum(nugget.is_claim for nugget in nuggets)),
        Line("absence_nuggets", "  absence nuggets", sum(each.is_absence for each in nuggets)),
        Line("answers", "answers", len(answers)),
        *_spread("answers_per_nugget", "  per nugget", (len(each.answers) for each in has_answers)),
        Line("documents", "documents", num_documents),
        *_spread("documents_per_answer", "  per answer", (len(each.doc_ids) for each in answers)),
        *_spread("documents_per_nugget", "  per nugget", per_nugget),
    ]
