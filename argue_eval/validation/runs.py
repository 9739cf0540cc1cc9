"""Goes over runs, report by report, and checks each against the rules that its track has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from argue_eval.errors import Finding, InputError, Severity, count, shorten
from argue_eval.formats.files import ONE_RUN_A_FILE
from argue_eval.formats.jsonl import ForeignError, Source
from argue_eval.formats.runs import (
    SMALL_BYTES,
    Decoder,
    Draft,
)
from argue_eval.validation import citations, kinds, texts, tracks
from argue_eval.validation.audit import Audit, Topics, check_repeated, digest_of
from argue_eval.validation.kinds import MAX_VALUES, has_too_many_values
from argue_eval.validation.metadata import (
    check_ids,
    check_metadata,
    check_missing,
    check_topic,
    read_topic,
    topic_in_broken,
)
from argue_eval.validation.tracks import Track

if TYPE_CHECKING:
    from argue_eval.records import ReportRequest
    from argue_eval.validation import sifting

Progress = Callable[[str, int, int], None]


class Limits(NamedTuple):
    """Sizes on which the way of reading depends, in bytes.

    Attributes:
        line: no report is longer: such a line is no line of a run.
        small: what the standard library decodes (see `Decoder`).
        large: from here on several processes are faster than one.
        slice: how much a process is given at a time.
    """

    line: int = 16 << 20
    small: int = SMALL_BYTES
    large: int = 32 << 20
    slice: int = 8 << 20


class Job(NamedTuple):
    """What runs are checked against; see `argue_eval.validation.validate`.

    Attributes:
        num_processes: so many may check a large file, if there are as many processors.
    """

    track: str | None = None
    rules: str | None = None
    topics: str | Sequence[ReportRequest] | None = None
    collections: Sequence[str | Source] = ()
    is_strict: bool = False
    is_segmented: bool = False
    num_processes: int = 1
    limits: Limits = Limits()


class Checked(NamedTuple):
    """A run that was checked.

    Attributes:
        is_guessed: whether the track was guessed.
        findings: in file order; of one code, no more than the first two thousand.
        counts: how often each code was found, by severity and code, those not listed included.
        unchecked: the rules that were not checked, with the option that they need.
    """

    file: str
    track: Track
    is_guessed: bool
    num_reports: int
    num_errors: int
    num_warnings: int
    findings: tuple[Finding, ...]
    counts: dict[tuple[Severity, str], int]
    unchecked: dict[str, str]

    def __str__(self) -> str:
        errors, warnings = self.num_errors, self.num_warnings
        parts = ["not ok" if errors else "ok", count(self.num_reports, self.track.layout.noun)]
        parts += [count(errors, "error")] if errors else []
        parts += [count(warnings, "warning")] if warnings else []
        guessed = " (no single track fits)" if self.track.name == "generic" else " (guessed)"
        guessed = guessed if self.is_guessed else ""
        track = f"checked against {self.track.name}{guessed}, revision {self.track.revision}"
        return f"{self.file}: {', '.join([*parts, track])}"


_CHECKS: tuple[tuple[Callable[[Draft, Audit], None], tuple[str, ...], str], ...] = (
    (texts.check_blank, ("blank_sentence",), "texts"),
    (citations.check_further, ("missing_citations",), "further"),
    (citations.check_format, ("citation_format",), "texts"),
    (citations.check_count, ("citation_count",), "cited"),
    (citations.check_duplicates, ("citation_duplicate",), "has_lists"),
    (citations.check_indexes, ("reference_index",), "has_indexes"),
    (citations.check_doc_ids, ("docid_pattern",), "texts"),
    (citations.check_readable_ids, ("docid_readable",), "texts"),
    (citations.check_present, ("references_present",), "references"),
    (citations.check_references, tracks.OF_REFERENCES, "texts"),
    (texts.check_length, ("length",), "texts"),
    (texts.check_stated_length, ("response_length",), "texts"),
    (texts.check_suspicious, ("suspicious_text",), "texts"),
    (texts.check_artifacts, texts.OF_ARTIFACTS, "texts"),
    (citations.check_any, ("uncited_report",), "is_uncited"),
    (texts.check_segments, ("segmentation",), "texts"),
    (citations.note_cited, ("unknown_document",), "doc_ids"),
)
"""The checks of a report that has text, the rules that each serves, and what of the draft it is
about (see `Audit.checks`).
"""


def check_runs(
    runs: Sequence[str | Source], job: Job, progress: Progress | None = None
) -> Iterator[Checked]:
    """Checks runs one after the other, in the given order.

    Args:
        progress: is called with what is read, how much of it is done, and how much there is.
    """
    track = tracks.load(job.track) if job.track and not job.rules else None
    if job.rules:
        track = tracks.load_file(job.rules, job.track)
    topics: Topics | None = None
    if job.topics is not None:
        from argue_eval import formats

        given = job.topics
        requests = formats.read_topics(given) if isinstance(given, str) else given
        topics = {request.topic_id: request for request in requests}
    pending: list[Audit] = []
    taken: dict[str, str] = {}
    for each in runs:
        source = each if isinstance(each, Source) else Source(each)
        run = _Run(source, job, topics, progress)
        audit = run.audited(track)
        has_errors = any(severity is Severity.ERROR for severity, _ in audit.findings.counts)
        if has_errors and audit.track.layout.metadata == "either":  # it takes any format
            audit = run.audited_by_plugin(audit)
        file = taken.setdefault(audit.run_id, source.name)
        if audit.run_id and file != source.name:
            message = f"the run id {shorten(audit.run_id)} is that of {file} too"
            audit.findings.warn("run_id_taken", message, ONE_RUN_A_FILE)
        if job.collections:
            pending.append(audit)
        else:
            yield _checked(audit, is_guessed=track is None)
    if pending:
        citations.check_collection(job.collections, pending, progress)
        for audit in pending:
            yield _checked(audit, is_guessed=track is None)


def _checked(audit: Audit, *, is_guessed: bool) -> Checked:
    """Sums up what was found in a run."""
    findings = audit.findings
    if findings.listed:
        findings.sum_up_once()
    by_severity = dict.fromkeys(Severity, 0)
    for (severity, _), number in findings.counts.items():
        by_severity[severity] += number
    return Checked(
        file=findings.file,
        track=audit.track,
        is_guessed=is_guessed,
        num_reports=audit.num_reports,
        num_errors=by_severity[Severity.ERROR],
        num_warnings=by_severity[Severity.WARNING],
        findings=tuple(findings.listed),
        counts=dict(findings.counts),
        unchecked=dict(audit.unchecked),
    )


class _Run(NamedTuple):
    """A run to check."""

    source: Source
    job: Job
    topics: Topics | None
    progress: Progress | None

    def audited(self, track: Track | None) -> Audit:
        """Reads the run and checks every report in it.

        Args:
            track: that was named; None to guess it.
        """
        source, audit = self.source, None
        try:
            lines = source.lines(self.job.limits.line)
            number, raw = next(lines)
            first = None
            if track and not track.layout.table and len(raw) <= MAX_VALUES:
                first = Decoder(source, track.layout).plain(number, raw)
            if first is None:
                track = kinds.track_of(source, number, raw, track)
            audit = self._start(track or self._guessed(raw))
            if audit.track.layout.table:
                from argue_eval.validation import tables

                tables.check(source, chain([(number, raw)], lines), audit)
            elif audit.track.layout.results:
                self._check_document(audit)
            else:
                if first is None and (raw[:1] == b"[" or raw.rstrip()[-1:] != b"}"):
                    kinds.refuse_document(source, number, raw, track)
                self._check_lines(chain([(number, raw)], lines), first, audit)
            if audit.num_reports and audit.requests:
                check_missing(audit)
        except InputError as exc:
            audit = audit or self._start(track or self._guessed(b""))
            audit.findings.add(*exc.findings)
        return audit

    def audited_by_plugin(self, audit: Audit) -> Audit:
        """The audit of a run that another package's format reads; the given one of any other."""
        from argue_eval.validation import reports

        if name := reports.format_of(self.source):
            audit = self._start(audit.track)
            for draft in reports.drafts(self.source, name, audit):
                _check_draft(draft, audit)
            check_missing(audit)
        return audit

    def _start(self, track: Track) -> Audit:
        """Starts with the rules of a track: those that have what they need are checked."""
        job = self.job
        track = track.strict() if job.is_strict else track
        given = {
            "--requests": self.topics is not None,
            "--collection": job.collections,
            "--segmentation": job.is_segmented,
        }
        needs = track.needs()
        unchecked = {code: option for code, option in needs.items() if not given[option]}
        active = {code for code, rule in track.rules.items() if rule.severity} - unchecked.keys()
        active -= {"docid_readable"} if "docid_pattern" in active else set()
        active -= {"reference_index"} if "indexes" not in track.layout.citations else set()
        checks = [(check, part) for check, codes, part in _CHECKS if not active.isdisjoint(codes)]
        return Audit(self.source.name, track, self.topics, unchecked, checks)

    def _guessed(self, raw: bytes) -> Track:
        from argue_eval.validation.tracks.guessing import guess_track

        value = None
        for is_whole in (False, True):  # a line, or a document over several
            with suppress(ValueError, RecursionError, InputError):
                content = self.source.read(self.job.limits.line) if is_whole else raw
                value = None if has_too_many_values(content) else json.loads(content)
                break
        return guess_track(value)

    def _check_document(self, audit: Audit) -> None:
        from argue_eval.formats.jsonl.locator import Locator
        from argue_eval.formats.runs import drafts_of_document

        raw = self.source.read(self.job.limits.line)
        kinds.check_size(self.source, 1, raw)
        audit.locate = Locator(raw).line
        value = self.source.decode(raw)
        kinds.track_of_value(self.source, 1, value, audit.track)
        for draft in drafts_of_document(value, audit.track.layout):
            _check_draft(draft, audit)

    def _check_lines(
        self, lines: Iterable[tuple[int, bytes]], first: Draft | None, audit: Audit
    ) -> None:
        """Checks the lines of a run, of which the first may be decoded already."""
        source, limits = self.source, self.job.limits
        layout = audit.track.layout
        banks: BankDecoder | None = None
        draft_of = Decoder(source, layout, limits.small).draft
        if layout.nuggets:
            from argue_eval.validation.banks import BankDecoder

            banks = BankDecoder(source, layout)
            draft_of, first = banks.draft, None
        num_bytes, size = 0, source.size or 0
        if size >= limits.large and not (self.job.collections or banks):
            from argue_eval.formats.processes import num_usable

            num_processes = min(self.job.num_processes, num_usable())
            lines = self._sifted(lines, audit, num_processes) if num_processes > 1 else lines
        for number, raw in lines:
            try:
                if len(raw) > MAX_VALUES:
                    kinds.check_size(source, number, raw)
                draft, first = first or draft_of(number, raw), None
            except ForeignError:
                raise
            except InputError as exc:
                audit.broken.add(topic_in_broken(raw))
                audit.note_broken(*exc.findings)
            else:
                if not draft.is_report:
                    audit.broken.add(topic_in_broken(raw))
                _check_draft(draft, audit)
            num_bytes += len(raw)
            if self.progress and size:
                self.progress(f"{source.name}, MB", num_bytes // 10**6, size // 10**6)
        if banks:
            rule = audit.rules.get("docid_pattern")
            audit.findings.add(*banks.finish(rule.values["pattern"] if rule else None))

    def _sifted(
        self, lines: Iterable[tuple[int, bytes]], audit: Audit, num_processes: int
    ) -> Iterator[tuple[int, bytes]]:
        """Yields the first line; then those of the others in which there is something to report."""
        from argue_eval.validation import sifting

        first, raw = next(iter(lines))
        yield first, raw
        limits = self.job.limits
        name, sift = self.source.name, _sift_alone(self.source, audit)
        topics, requests = audit.topics, audit.requests
        sizes = limits.slice, limits.line
        with Path(name).open("rb") as stream:
            for num_before, found in sifting.sifted(name, sizes, num_processes, sift):
                for place, topic_id, digest, offset, length in found:
                    number = num_before + place
                    if number <= first:
                        continue
                    is_requested = topic_id and (requests is None or topic_id in requests)
                    if is_requested and topic_id not in topics:
                        topics[topic_id] = number
                        audit.num_reports += 1
                        check_repeated(digest, topic_id, number, audit)
                    elif length > limits.line:
                        raise self.source.too_long(number, limits.line)
                    else:
                        stream.seek(offset)
                        yield number, stream.read(length)


def _check_draft(draft: Draft, audit: Audit, *, is_alone: bool = False) -> None:
    """Checks a report, whether it `is_alone` or among those of its run."""
    if draft.problems:
        audit.found_problems(draft)
    if not draft.is_report:
        return
    if not is_alone:
        audit.num_reports += 1
        check_topic(draft, audit)
    check_ids(draft, audit)
    check_metadata(draft, audit)
    if not draft.joined or draft.joined.isspace():
        texts.note_empty(draft, audit)
        citations.check_one_shape(draft, audit)
        return
    for check, part in audit.checks:
        if getattr(draft, part):
            check(draft, audit)
    if not is_alone:
        check_repeated(digest_of(draft), draft.topic_id, draft.line, audit, draft.base)


def _sift_alone(source: Source, audit: Audit) -> sifting.Sift:
    """Makes what gives topic and hash of the text of a line in which, by itself, nothing is wrong.

    Args:
        audit: that of the run, which has seen its first report. It is left as it is.
    """
    from argue_eval.validation import sifting

    alone = Audit(source.name, audit.track, audit.requests, audit.unchecked, audit.checks)
    decoder = Decoder(source, audit.track.layout, 0)
    run_id, team_id = audit.run_id, audit.team_id

    def sift(raw: bytes) -> tuple[str, int]:
        alone.is_clean(run_id, team_id)
        try:
            kinds.check_size(source, 1, raw)
            draft = decoder.draft(1, raw)
        except InputError:
            return sifting.NOT_CLEAN
        if draft.problems:
            return sifting.NOT_CLEAN
        read_topic(draft, alone)
        _check_draft(draft, alone, is_alone=True)
        is_clean = alone.is_clean(run_id, team_id)
        return (draft.topic_id, digest_of(draft)) if is_clean else sifting.NOT_CLEAN

    return sift
