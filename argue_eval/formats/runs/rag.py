"""JSON lines with `answer` and `references` (TREC RAG 2024 to 2026)."""

from __future__ import annotations

from functools import partial
from typing import Any

from argue_eval.formats.runs._draft import Layout
from argue_eval.formats.runs._reports import read_lines, read_values
from argue_eval.formats.writing import with_further
from argue_eval.records import Report

_LAYOUT = Layout(sentences=("answer",), metadata="either", has_pairs=True)
read, read_blocks = partial(read_values, _LAYOUT), partial(read_lines, _LAYOUT)


def encode(report: Report) -> dict[str, Any]:
    """A report as a JSON value: sentences that cite by places in `references`.

    Documents that are cited and not among the references are added to them, in order of citation.
    """
    cited = [citation.doc_id for each in report.sentences for citation in each.citations]
    listed = report.references or ()
    are_listed = set(listed)
    references = [*listed, *(each for each in dict.fromkeys(cited) if each not in are_listed)]
    place = {doc_id: index for index, doc_id in reversed(list(enumerate(references)))}
    ids = {"narrative_id": report.topic_id, "run_id": report.run_id}
    if report.team_id:
        ids["team_id"] = report.team_id
    answer = [
        with_further(
            {"text": each.text, "citations": [place[doc_id] for doc_id, _ in each.citations]},
            each.extra,
        )
        for each in report.sentences
    ]
    metadata = with_further(ids, report.metadata, ("topic_id", "team_id"))
    value = {"metadata": metadata, "references": references, "answer": answer}
    return with_further(value, report.extra, ("documents",))
