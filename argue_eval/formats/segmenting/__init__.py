"""Plain-text and Markdown reports with citations in brackets, into a run sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from argue_eval.errors import Finding, InputError, UsageError, shorten, unknown_name
from argue_eval.formats.segmenting.files import read_references, read_text, stem
from argue_eval.formats.segmenting.report import PLACES, Form, segment
from argue_eval.records import Report

__all__ = ["PLACES", "Form", "Segmented", "segment", "segment_files"]


@dataclass(frozen=True, slots=True)
class Segmented:
    """The reports of a run, and what is doubtful about them, in the order of the files."""

    reports: tuple[Report, ...]
    warnings: tuple[Finding, ...]

    @property
    def summary(self) -> str:
        """A line that counts reports, sentences, citations and warnings."""
        cited = [each.doc_id for report in self.reports for one in report.sentences
                 for each in one.citations]  # fmt: skip
        num_sentences = sum(len(report.sentences) for report in self.reports)
        counts = (
            (len(self.reports), "report"),
            (num_sentences, "sentence"),
            (len(cited), "citation"),
        )
        shown = ", ".join(_count(number, what) for number, what in counts)
        documents = _count(len(set(cited)), "document")
        return f"{shown} of {documents}; {_count(len(self.warnings), 'warning')}"


def segment_files(
    paths: Sequence[str],
    run_id: str,
    form: Form | None = None,
    *,
    team_id: str = "",
    topic_id: str | None = None,
    references: str | None = None,
) -> Segmented:
    """Returns the reports of several files, one per topic.

    Args:
        paths: files of plain text or Markdown; ``-`` is standard input.
        topic_id: of the one file; without it, a file's name without its ending is its topic id.
        references: a file with document ids by label.

    Raises:
        InputError: files have errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
        UsageError: the topics of the files are not told apart.
    """
    form = form or Form()
    if form.place not in PLACES:
        raise unknown_name("--citations", form.place, PLACES)
    topics = _topics(paths, topic_id)
    table = read_references(references) if references else None
    reports: list[Report] = []
    warnings: list[Finding] = []
    errors: list[Finding] = []
    for path, topic in zip(paths, topics, strict=True):
        own = replace(form, references=table.of(topic)) if table else form
        try:
            report, found = segment(read_text(path), topic, run_id, own, path, team_id)
        except InputError as exc:
            errors.extend(exc.findings)
        else:
            reports.append(report)
            warnings.extend(found)
    if errors:
        raise InputError(errors)
    return Segmented(tuple(reports), tuple(warnings))


def _topics(paths: Sequence[str], topic_id: str | None) -> list[str]:
    """Returns the topic id of each file; no two are the same."""
    if topic_id is not None:
        if len(paths) > 1:
            raise UsageError("--topic names the topic of one file; several take their names")
        return [topic_id]
    if "-" in paths:
        raise UsageError("standard input has no name to take the topic id from: use --topic ID")
    topics = [stem(path) for path in paths]
    if "" in topics:
        raise UsageError(f"{paths[topics.index('')]} has no name to take the topic id from")
    first: dict[str, str] = {}
    for path, topic in zip(paths, topics, strict=True):
        other = first.setdefault(topic, path)
        if other is not path:
            message = f"the topic {shorten(topic)} is that of {other} too"
            raise InputError(
                Finding(
                    "duplicate_topic", message, "rename one of the files", path, None, "", topic
                )
            )
    return topics


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
