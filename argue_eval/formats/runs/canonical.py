"""JSON lines with `metadata` and `responses` (RAGTIME, DRAGUN, AutoJudge)."""

from __future__ import annotations

from functools import partial
from typing import Any

from argue_eval.formats.runs._draft import Layout
from argue_eval.formats.runs._reports import read_lines, read_values
from argue_eval.formats.writing import with_further
from argue_eval.records import Document, Report, Sentence

_LAYOUT = Layout(sentences=("responses",), has_pairs=True)
read, read_blocks = partial(read_values, _LAYOUT), partial(read_lines, _LAYOUT)


def encode(report: Report) -> dict[str, Any]:
    """A report as a JSON value."""
    ids = {"team_id": report.team_id, "run_id": report.run_id, "topic_id": report.topic_id}
    value: dict[str, Any] = {
        "metadata": with_further(ids, report.metadata),
        "responses": [_sentence(sentence) for sentence in report.sentences],
    }
    if report.references is not None:
        value["references"] = report.references
    if report.documents:
        value["documents"] = {key: _document(each) for key, each in report.documents.items()}
    return with_further(value, report.extra, ("references", "documents"))


def _sentence(sentence: Sentence) -> dict[str, Any]:
    cited: Any = [citation.doc_id for citation in sentence.citations]
    if any(citation.score is not None for citation in sentence.citations):
        cited = dict(sentence.citations)
    return with_further({"text": sentence.text, "citations": cited}, sentence.extra)


def _document(document: Document) -> dict[str, Any]:
    value: dict[str, Any] = {"title": document.title, "text": document.text}
    if document.language is not None:
        value["language"] = document.language
    return with_further(value, document.extra, ("language",))
