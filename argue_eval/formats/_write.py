"""Writes records in a form, such that reading them gives equal records.

A form that can be written has ``encode(record)``, which returns a JSON value, or a line if the
form is a text. What stands before, between and after the records is in `START`, `BETWEEN` and
`END` of its module, where it is not one record a line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import ModuleType
from typing import IO, Any

from argue_eval import registry
from argue_eval.jsonl import encode
from argue_eval.records import Report, ReportRequest, TopicNuggets


def write_requests(requests: Iterable[ReportRequest], stream: IO[str]) -> None:
    """Writes report requests in the canonical form, one a line."""
    _write("requests", requests, stream)


def write_nuggets(topics: Iterable[TopicNuggets], stream: IO[str]) -> None:
    """Writes nugget qrels in the canonical form: one JSON document with a topic a line."""
    _write("nuggets", topics, stream)


def write_run(reports: Iterable[Report], stream: IO[str]) -> None:
    """Writes a run in the canonical form, one report a line."""
    _write("runs", reports, stream)


def _write(kind: str, records: Iterable[Any], stream: IO[str]) -> None:
    module = registry.load(f"formats.{kind}", "canonical")
    stream.writelines(joined(module, (text_of(module, record) for record in records)))


def text_of(module: ModuleType, record: Any) -> str:
    """Returns one record in a form, without the end of the line."""
    value = module.encode(record)
    return value if getattr(module, "IS_TEXT", False) else encode(value)


def joined(module: ModuleType, texts: Iterable[str]) -> Iterator[str]:
    """Yields the content of a file of these records."""
    before = getattr(module, "START", "")
    between = getattr(module, "BETWEEN", "\n")
    for text in texts:
        yield before + text
        before = between
    if before == between:
        yield getattr(module, "END", "\n")
    else:
        yield before + getattr(module, "END", "")


def with_further(
    value: Mapping[str, Any], extra: Mapping[str, Any], reserved: Collection[str] = ()
) -> dict[str, Any]:
    """Returns an object of a form with the further keys of a record.

    Those that mean something in the form are left out: they would be read as what they are not.

    Args:
        reserved: keys that mean something in the form, besides those of the value.

    >>> with_further({"text": "A."}, {"text": "B.", "span": 1, "score": 2}, ("score",))
    {'text': 'A.', 'span': 1}
    """
    further = {key: each for key, each in extra.items() if key not in value and key not in reserved}
    return {**value, **further}
