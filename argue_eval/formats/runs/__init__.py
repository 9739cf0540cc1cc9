"""Formats of runs: one system's reports, a report per topic.

What stands in a file is first a `Draft`, whatever the format: scoring makes reports of drafts,
validation checks them. Formats that differ only in the names of their keys are a `Layout`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from argue_eval.formats.checking import Check
from argue_eval.formats.runs._draft import (
    NUMBERED,
    SMALL_BYTES,
    TOPIC_KEYS,
    Decoder,
    Draft,
    Layout,
    Problem,
    draft_of,
    topic_in,
)
from argue_eval.formats.runs._inline import drafts_of_document
from argue_eval.records import Report

__all__ = [
    "NUMBERED",
    "SMALL_BYTES",
    "TOPIC_KEYS",
    "Decoder",
    "Draft",
    "Layout",
    "Problem",
    "RunFormat",
    "draft_of",
    "drafts_of_document",
    "topic_in",
]


class RunFormat(Protocol):
    """A module that reads runs, in this folder or named by an entry point.

    It may also have ``read_blocks(check) -> Iterator[Report]``, which reads the lines of
    ``check.source`` itself, and ``encode(report) -> Any``, which makes it a format that can be
    written: the JSON value of a report.

    Attributes:
        SHAPES: sets of keys, such as ``("metadata.topic_id", "responses")``; a file whose first
            value has all keys of one is in this format.
    """

    SHAPES: Sequence[tuple[str, ...]]

    def read(self, values: Iterable[Any], check: Check) -> Iterator[Report]:
        """Yields a report for each JSON value; notes what is wrong with it in `check`."""
        ...
