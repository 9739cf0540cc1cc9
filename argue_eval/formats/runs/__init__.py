"""Formats of runs: one system's reports, a report per topic.

What stands in a file is first a `Draft`, whatever the format: scoring makes reports of drafts,
validation checks them. Formats that differ only in the names of their keys are a `Layout`.
"""

from __future__ import annotations

from argue_eval.formats.runs._draft import (
    NUMBERED,
    SENTENCE_KEYS,
    SMALL_BYTES,
    TOPIC_KEYS,
    Decoder,
    Draft,
    Layout,
    draft_of,
    topic_in,
)
from argue_eval.formats.runs._inline import drafts_of_document

__all__ = [
    "NUMBERED",
    "SENTENCE_KEYS",
    "SMALL_BYTES",
    "TOPIC_KEYS",
    "Decoder",
    "Draft",
    "Layout",
    "draft_of",
    "drafts_of_document",
    "topic_in",
]
