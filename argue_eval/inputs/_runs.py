"""Reads all runs once and checks them, before the first is scored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from argue_eval import formats
from argue_eval.crosschecks import Warnings, check_run_topics
from argue_eval.errors import Finding, InputError
from argue_eval.jsonl import Source
from argue_eval.records import Report

Progress = Callable[[str, int, int], None]
Reports = dict[str, Report]

_MAX_KEPT = 200_000
"""So many sentences are kept from the first reading, about 200 MB; further runs are read again."""


@dataclass(slots=True)
class Runs:
    """What was found in all runs, read once so that an error in the last stops the first.

    Attributes:
        lists_count: are the documents wanted that the reports list and do not cite?
        cited: ids of the documents that are cited.
        listed: ids of those that the reports list, if they are wanted.
        has_documents: does any run bring texts of its own?
        kept: the reports of each run that are to be scored, while there are few.
    """

    topics: Collection[str]
    lists_count: bool = False
    cited: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    has_documents: bool = False
    kept: dict[Source, Reports] = field(default_factory=dict)
    num_sentences: int = 0

    def read(self, source: Source, warnings: list[Finding]) -> tuple[list[str], str]:
        """Returns the topics and the id of a run."""
        topic_ids, run_id, reports = [], "", {}
        for report in formats.read_run(source, warnings=warnings):
            run_id = report.run_id
            topic_ids.append(report.topic_id)
            self.has_documents = self.has_documents or bool(report.documents)
            self.num_sentences += len(report.sentences)
            if self.lists_count:
                self.listed.update(report.references or ())
            for sentence in report.sentences:
                self.cited.update([citation.doc_id for citation in sentence.citations])
            if self._has_room() and report.topic_id in self.topics:
                reports[report.topic_id] = report
        if self._has_room():
            self.kept[source] = reports
        return topic_ids, run_id

    def _has_room(self) -> bool:
        return self.num_sentences <= _MAX_KEPT and not self.has_documents


def check_runs(
    sources: Sequence[Source],
    topics: Collection[str],
    odd: Warnings,
    progress: Progress | None,
    *,
    lists_count: bool = False,
) -> Runs:
    """Returns what was found in all runs.

    Args:
        lists_count: documents are wanted that the reports list and do not cite.

    Raises:
        InputError: some run has errors; those of all runs are named.
    """
    runs = Runs(topics, lists_count)
    findings: list[Finding] = []
    run_ids: dict[str, str] = {}
    for number, source in enumerate(sources):
        if progress:
            progress("checking runs", number, len(sources))
        try:
            found, run_id = runs.read(source, odd.findings)
        except InputError as exc:
            findings.extend(exc.findings)
            continue
        findings.extend(check_run_topics(source.name, found, topics, odd))
        if run_id in run_ids:
            message = f"the run id {run_id!r} is that of {run_ids[run_id]} too"
            odd.add(source.name, "run_id_taken", message, "give every run an id of its own")
        run_ids.setdefault(run_id, source.name)
    if findings:
        raise InputError(findings)
    return runs
