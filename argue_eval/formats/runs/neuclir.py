"""JSON lines with `request_id` and `sentences`, or `report: [[text, [doc_id]]]` (NeuCLIR 2024)."""

from __future__ import annotations

from functools import partial
from typing import Any

from argue_eval.formats.runs._draft import TOPIC_KEYS, Layout
from argue_eval.formats.runs._reports import read_lines, read_values
from argue_eval.formats.writing import with_further
from argue_eval.records import Report

_LAYOUT = Layout(sentences=("report", "sentences"), metadata="flat", has_pairs=True)
read, read_blocks = partial(read_values, _LAYOUT), partial(read_lines, _LAYOUT)


def encode(report: Report) -> dict[str, Any]:
    """A report as a JSON value: sentences that cite by ids, beside the report's ids."""
    value = {
        "request_id": report.topic_id,
        "run_id": report.run_id,
        "sentences": [
            with_further(
                {"text": each.text, "citations": [citation.doc_id for citation in each.citations]},
                each.extra,
            )
            for each in report.sentences
        ],
    }
    reserved = (*TOPIC_KEYS, "team_id", "references", "documents", "report")
    return with_further(value, report.metadata, reserved)
