"""JSON lines with `run_id` and judged `sentences` (RAG 2024, judgments of support)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats import assessments
from argue_eval.formats.checking import Check, Fields
from argue_eval.records import Citation, Report, Sentence


def read(values: Iterable[Any], check: Check) -> Iterator[Report]:
    """Yields the reports; one with errors is left out."""
    for top, topic_id, run_id in assessments.support_reports(values, check):
        num_errors = len(check.errors)
        sentences = tuple([_sentence(each) for each in top.objects("sentences")])
        if len(check.errors) == num_errors:
            yield Report(
                topic_id=topic_id,
                run_id=run_id,
                sentences=sentences,
                line=check.line,
                extra=top.rest,
            )


def _sentence(fields: Fields) -> Sentence:
    cited = assessments.support_citations(fields)
    return Sentence(text=fields.text("text"), citations=tuple(map(Citation, cited)))
