"""Runs in formats of other packages: drafts of their reports, so that they are checked as ours are.

The paths of what is found are those of the records, since nobody knows those of the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.errors import Finding, InputError
from argue_eval.formats.checking import first_item
from argue_eval.formats.detection import installed_format
from argue_eval.formats.jsonl import Source
from argue_eval.formats.reading import read_run
from argue_eval.formats.runs import Draft, Layout
from argue_eval.records import Report
from argue_eval.validation.audit import Audit


def format_of(source: Source) -> str:
    """The format of another package that a run is in; an empty text if it is in none."""
    return installed_format("runs", first_item(source))


def drafts(source: Source, format_name: str, audit: Audit) -> Iterator[Draft]:
    """Yields a draft of each report; what the format finds wrong is added to the findings."""
    warnings: list[Finding] = []
    try:
        for report in read_run(source, format_name, warnings):
            yield _draft(report, audit.track.layout)
    except InputError as exc:
        audit.broken.add("")
        audit.findings.add(*exc.findings)
    audit.findings.add(*warnings)


def _draft(report: Report, layout: Layout) -> Draft:
    metadata = {**report.metadata, layout.topic_id[0]: report.topic_id}
    metadata[layout.run_id] = report.run_id
    metadata |= {"team_id": report.team_id} if report.team_id else {}
    texts = [each.text for each in report.sentences]
    cited = [[citation.doc_id for citation in each.citations] for each in report.sentences]
    references = None if report.references is None else list(report.references)
    draft = Draft(report.line or 1, metadata, "sentences", texts, cited, references)
    draft.meta_path = ()
    extras = enumerate(each.extra for each in report.sentences)
    draft.further = {index: dict(extra) for index, extra in extras if extra}
    return draft
