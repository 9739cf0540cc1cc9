"""Goes over runs, report by report, and checks each against the rules that its track has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval.errors import Finding, InputError, Severity
from argue_eval.formats.jsonl import Source
from argue_eval.validation import ids, tracks
from argue_eval.validation.audit import Audit, Requests
from argue_eval.validation.decode import Decoder
from argue_eval.validation.found import Found, TooManyError
from argue_eval.validation.report import Check, check_report, checks_of, sift_alone
from argue_eval.validation.size import has_too_many_values
from argue_eval.validation.tracks import Track

MAX_LINE_BYTES = 16 << 20
"""No report is longer: such a line is no line of a run."""

LARGE_BYTES = 32 << 20
"""From here on several processes are faster than one."""

_SHORT = 1000

Progress = Callable[[str, int, int], None]


class Job(NamedTuple):
    """What runs are checked against; see `argue_eval.validation.validate`."""

    track: str | None = None
    rules: str | None = None
    requests: str | None = None
    collections: Sequence[str] = ()
    is_strict: bool = False
    is_segmented: bool = False
    num_processes: int = 1


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
    findings: tuple[Finding, ...]
    counts: dict[tuple[Severity, str], int]
    unchecked: dict[str, str]

    def num(self, severity: Severity) -> int:
        """Returns how many findings of a severity there are."""
        return sum(number for (each, _), number in self.counts.items() if each is severity)


def check_runs(
    paths: Sequence[str], job: Job, progress: Progress | None = None
) -> Iterator[Checked]:
    """Yields what is wrong with each run, in the given order.

    Args:
        progress: is told how far it is: what, done, total.
    """
    track = _track(job)
    requests = _requests(job.requests)
    pending: list[_Run] = []
    for path in paths:
        run = _Run(path, track, job, requests)
        run.check(progress)
        if job.collections:
            pending.append(run)
        else:
            yield run.checked()
    if job.collections:
        from argue_eval.validation.collection import check_collection

        check_collection(job.collections, [run.audit for run in pending if run.audit], progress)
        for run in pending:
            yield run.checked()


def _track(job: Job) -> Track | None:
    if job.rules:
        return tracks.load_file(job.rules, job.track)
    return tracks.load(job.track) if job.track else None


def _requests(path: str | None) -> Requests | None:
    if path is None:
        return None
    from argue_eval import formats

    return {request.topic_id: request for request in formats.read_requests(path)}


class _Run:
    """One run, while it is checked."""

    def __init__(self, path: str, track: Track | None, job: Job, requests: Requests | None) -> None:
        self._source = Source(path)
        self._job = job
        self._requests = requests
        self._is_guessed = track is None
        self.audit: Audit | None = None
        self._track = track

    def check(self, progress: Progress | None) -> None:
        """Reads the run and checks every report in it."""
        try:
            lines = self._source.lines(MAX_LINE_BYTES)
            number, raw = next(lines)
            audit = self._start(self._first(raw))
            if audit.track.form.results:
                self._check_document(audit)
            elif self._is_document(number, raw):
                hint = "write one report a line; argue-eval convert can do it"
                message = "the file is one JSON document, spread over lines"
                audit.found.at(number, "not_json_lines", message, (), hint)
            else:
                self._check_lines(chain([(number, raw)], lines), audit, progress)
            if audit.num_reports:
                ids.check_missing(audit)
        except InputError as exc:
            self._start(None).found.broken(*exc.findings)
        except TooManyError:
            pass

    def checked(self) -> Checked:
        """Returns what was found."""
        audit = self._start(None)
        found = audit.found
        return Checked(
            self._source.name,
            found.track,
            self._is_guessed,
            audit.num_reports,
            tuple(found.findings),
            dict(found.counts),
            _unchecked(found.track, self._job),
        )

    def _first(self, raw: bytes) -> Any:
        """Returns the first value of the file, by which its track is guessed."""
        if self._track is not None or has_too_many_values(raw):
            return None
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            pass
        try:
            raw = self._source.read(MAX_LINE_BYTES)
            return None if has_too_many_values(raw) else json.loads(raw)
        except (ValueError, RecursionError, InputError):
            return None

    def _is_document(self, number: int, raw: bytes) -> bool:
        """Returns whether the first line is the beginning of a document over several lines."""
        if raw.rstrip()[-1:] == b"}" or raw.lstrip()[:1] not in b"{[" or has_too_many_values(raw):
            return False
        try:
            value = self._source.decode(raw, number)
        except InputError as exc:
            return len(raw) < _SHORT and exc.findings[0].code == "json_truncated"
        return type(value) is list

    def _start(self, value: Any) -> Audit:
        if self.audit is None:
            track = self._track
            if track is None:
                from argue_eval.validation.guess import guess_track

                track = guess_track(value)
            track = track.strict() if self._job.is_strict else track
            found = Found(self._source.name, track)
            has_collection = bool(self._job.collections)
            self.audit = Audit(track, found, self._requests, has_collection)
        return self.audit

    def _check_document(self, audit: Audit) -> None:
        from argue_eval.validation import inline

        value = inline.load(self._source, audit.found, MAX_LINE_BYTES)
        checks = checks_of(audit.track, self._job.is_segmented, bool(self._job.collections))
        for draft in inline.drafts(value, audit.track.form, audit.found):
            audit.num_reports += 1
            ids.check_topic(draft, audit)
            check_report(draft, audit, checks)

    def _check_lines(
        self, lines: Iterator[tuple[int, bytes]], audit: Audit, progress: Progress | None
    ) -> None:
        name = self._source.name
        decoder = Decoder(self._source, audit.track.form, audit.found)
        checks = checks_of(audit.track, self._job.is_segmented, bool(self._job.collections))
        num_bytes, size = 0, _size_of(name)
        if size >= LARGE_BYTES and self._job.num_processes > 1 and not self._job.collections:
            from argue_eval.validation.sift import sifted

            number, raw = next(lines)
            self._check_line(number, raw, decoder, audit, checks)
            options = (MAX_LINE_BYTES, self._job.num_processes)
            sift = sift_alone(self._source, audit, checks)
            lines = sifted(self._source, number, *options, sift, audit)
        for number, raw in lines:
            self._check_line(number, raw, decoder, audit, checks)
            num_bytes += len(raw)
            if progress and size:
                progress(f"{name}, MB", num_bytes // 10**6, size // 10**6)

    def _check_line(
        self, number: int, raw: bytes, decoder: Decoder, audit: Audit, checks: list[Check]
    ) -> None:
        draft = decoder.draft(number, raw)
        if draft is None:
            audit.broken.add(ids.topic_in_broken(raw))
            return
        audit.num_reports += 1
        ids.check_topic(draft, audit)
        check_report(draft, audit, checks)


def _size_of(name: str) -> int:
    """Returns the size of a file that is read as it stands; 0 for anything else."""
    path = Path(name)
    if name == "-" or not path.is_file():
        return 0
    with path.open("rb") as stream:
        return 0 if stream.read(2) == b"\x1f\x8b" else path.stat().st_size


def _unchecked(track: Track, job: Job) -> dict[str, str]:
    """Returns the rules that need an option which was not given."""
    given = {
        "--requests": job.requests,
        "--collection": job.collections,
        "--segmentation": job.is_segmented,
    }
    needs = {code: kind.needs for code, kind in tracks.RULES.items()}
    if track.rules["length"].values.get("limit") == "request":
        needs["length"] = "--requests"
    return {
        code: option
        for code, option in needs.items()
        if option and track.rule(code) and not given[option]
    }
