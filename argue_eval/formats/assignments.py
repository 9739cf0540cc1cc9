"""What the readers of nuggetizer's assignments have in common: a line per run and topic.

A line is a report, the topic's nuggets, and how each of them was assigned, at once.
"""

from __future__ import annotations

from argue_eval.records import nfc

ASSIGNED = ("run_id", "answer_text", "response_length")
"""The keys of a line that are about the report, not about the topic."""

SUB_NARRATIVE = "mapped_sub_narrative"
"""The key of the part of the topic's narrative to which a nugget belongs (RAG 2025)."""


def squeezed(text: str) -> str:
    """A text by which nuggets are compared: files differ in spaces.

    >>> squeezed(" Two  pumps\\nfailed. ")
    'Two pumps failed.'
    """
    return " ".join(nfc(text).split())
