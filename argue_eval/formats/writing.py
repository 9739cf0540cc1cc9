"""Writes records in a format, such that reading them gives equal records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import IO, Any

from argue_eval.formats.jsonl import encode
from argue_eval.formats.plugins import Format, Framed, Plain, Writable, load
from argue_eval.records import Report, ReportRequest, TopicNuggets


def write_requests(requests: Iterable[ReportRequest], stream: IO[str]) -> None:
    """Writes report requests in the canonical format, one a line."""
    _write("requests", requests, stream)


def write_nuggets(topics: Iterable[TopicNuggets], stream: IO[str]) -> None:
    """Writes nuggets in the canonical format: one JSON document with a topic a line."""
    _write("nuggets", topics, stream)


def write_run(reports: Iterable[Report], stream: IO[str]) -> None:
    """Writes a run in the canonical format, one report a line."""
    _write("runs", reports, stream)


def _write(kind: str, records: Iterable[Any], stream: IO[str]) -> None:
    canonical = load(kind, "canonical")
    stream.writelines(joined(canonical, texts_of(canonical, records)))


def texts_of(format_: Format[Any], records: Iterable[Any]) -> Iterator[str]:
    """Yields each record in a format that can be written, without the end of the line."""
    assert isinstance(format_, Writable)
    values = map(format_.encode, records)
    yield from values if isinstance(format_, Plain) else map(encode, values)


def joined(format_: Format[Any], texts: Iterable[str]) -> Iterator[str]:
    """Yields the content of a file of these records."""
    start, between, end, empty_end = "", "\n", "\n", ""
    if isinstance(format_, Framed):
        start, between, end = format_.START, format_.BETWEEN, format_.END
        empty_end = start + end
    before = start
    for text in texts:
        yield before + text
        before = between
    yield end if before is between else empty_end


def with_further(
    value: Mapping[str, Any], extra: Mapping[str, Any], reserved: Collection[str] = ()
) -> dict[str, Any]:
    """An object of a format with the further keys of a record.

    Those that mean something in the format are left out: they would be read as what they are not.

    Args:
        reserved: keys that mean something in the format, besides those of the value.

    >>> with_further({"text": "A."}, {"text": "B.", "span": 1, "score": 2}, ("score",))
    {'text': 'A.', 'span': 1}
    """
    further = {key: each for key, each in extra.items() if key not in value and key not in reserved}
    return {**value, **further}
