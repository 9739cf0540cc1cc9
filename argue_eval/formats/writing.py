"""Writes records in a format, such that reading them gives equal records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from os import PathLike, fspath
from typing import IO, Any

from argue_eval.errors import UsageError
from argue_eval.formats.given import check_records
from argue_eval.formats.jsonl import atomic_writer, encode
from argue_eval.formats.plugins import Format, Framed, Plain, Writable, load
from argue_eval.records import Report, ReportRequest, Run, TopicNuggets

Target = str | PathLike[str] | IO[str]
"""A file, which appears when it is complete; or a stream."""


def write_requests(requests: Iterable[ReportRequest], target: Target) -> None:
    """Writes report requests in the canonical format, one a line.

    Raises:
        UsageError: they are not requests, JSON cannot hold them, or the target is neither a file
            nor a stream.
        MissingResourceError: the file cannot be written.
    """
    _write("requests", requests, target, ReportRequest)


def write_nuggets(topics: Iterable[TopicNuggets], target: Target) -> None:
    """Writes nuggets in the canonical format: one JSON document with a topic a line.

    Raises:
        UsageError: they are not nuggets, JSON cannot hold them, or the target is neither a file
            nor a stream.
        MissingResourceError: the file cannot be written.
    """
    _write("nuggets", topics, target, TopicNuggets)


def write_run(reports: Run | Iterable[Report], target: Target) -> None:
    """Writes a run in the canonical format, one report a line.

    Raises:
        UsageError: it is not a run, JSON cannot hold it, or the target is neither a file nor a
            stream.
        MissingResourceError: the file cannot be written.
    """
    _write("runs", reports.reports if isinstance(reports, Run) else reports, target, Report)


def _write(kind: str, records: Iterable[Any], target: Target, of: type) -> None:
    if not isinstance(records, Iterable):
        raise UsageError(f"expected {of.__name__} records, found {type(records).__name__}")
    listed = [records] if hasattr(records, "_fields") else records
    canonical = load(kind, "canonical")
    lines = joined(canonical, texts_of(canonical, _checked(listed, of)))
    if not isinstance(target, (str, PathLike)) and not hasattr(target, "writelines"):
        raise UsageError(f"expected records, then a file or stream; found {type(target).__name__}")
    try:
        if isinstance(target, (str, PathLike)):
            with atomic_writer(fspath(target)) as stream:
                stream.writelines(lines)
        else:
            target.writelines(lines)
    except (TypeError, UnicodeEncodeError) as exc:  # further keys that JSON does not have
        raise UsageError(f"{of.__name__} records cannot be written: {exc}") from exc


def _checked(records: Iterable[Any], of: type) -> Iterator[Any]:
    for each in records:
        if not isinstance(each, of):
            raise UsageError(f"expected {of.__name__} records, found {type(each).__name__}")
        check_records([each])
        yield each


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
