"""Gathers findings, with the severity that the track gives them, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from argue_eval.errors import Finding, Severity
from argue_eval.formats.jsonl import JsonPath, json_path
from argue_eval.validation.draft import Draft
from argue_eval.validation.tracks import Track

MAX_LISTED = 2000
"""So many findings of one code are kept; of the others, only the number is told."""

MAX_BROKEN = 1000
"""Reading stops after so many lines that are not JSON, or no reports: it is another file."""


class TooManyError(Exception):
    """Ends the reading of a file that is broken throughout."""


class Found:
    """What is wrong with one run.

    Attributes:
        counts: how often each code was found, with its severity.
    """

    def __init__(self, file: str, track: Track) -> None:
        self.file = file
        self.track = track
        self.findings: list[Finding] = []
        self.counts: Counter[tuple[Severity, str]] = Counter()
        self.locate: Callable[[JsonPath], int] | None = None
        self._num_broken = 0

    def __call__(
        self,
        code: str,
        message: str,
        draft: Draft | None = None,
        path: JsonPath = (),
        *,
        hint: str = "",
        expected: str = "",
        sentence: int | None = None,
        topic_id: str = "",
        place: tuple[int | None, str] = (None, ""),
    ) -> None:
        """Notes what was found, unless the track does not check it."""
        rule = self.track.rules.get(code)
        severity = rule.severity if rule else Severity.ERROR
        if severity is None or self._is_full(severity, code):
            return
        line, where = place
        if draft is not None:
            full = draft.base + path
            line = self.locate(full) if self.locate else draft.line
            where, topic_id = json_path(full), topic_id or draft.topic_id
        self.findings.append(
            Finding(
                code, message, hint, self.file, line, where, topic_id, severity, expected, sentence
            )
        )

    def at(
        self,
        line: int,
        code: str,
        message: str,
        path: JsonPath = (),
        hint: str = "",
        topic_id: str = "",
    ) -> None:
        """Notes what is wrong with the writing of a line, whatever the track."""
        if not self._is_full(Severity.ERROR, code):
            place = (self.file, line, json_path(path))
            self.findings.append(Finding(code, message, hint, *place, topic_id))

    def broken(self, *findings: Finding) -> None:
        """Notes what is wrong with a line that is not JSON."""
        for finding in findings:
            if not self._is_full(Severity.ERROR, finding.code):
                self.findings.append(finding)
        self.note_useless()

    def note_useless(self) -> None:
        """Notes that a line has nothing in it that could be checked.

        Raises:
            TooManyError: there are so many of these that the file must be of another kind.
        """
        self._num_broken += 1
        if self._num_broken >= MAX_BROKEN:
            message = f"{MAX_BROKEN} lines are no reports; the rest of the file was not read"
            hint = "check that this is the right file"
            self.findings.append(Finding("too_many_errors", message, hint, self.file))
            self.counts[Severity.ERROR, "too_many_errors"] += 1
            raise TooManyError

    def take(self) -> bool:
        """Returns whether anything was found since it was last asked, and forgets it."""
        has_any = bool(self.counts)
        if has_any:
            self.counts.clear()
            self.findings.clear()
            self._num_broken = 0
        return has_any

    def _is_full(self, severity: Severity, code: str) -> bool:
        self.counts[severity, code] += 1
        return self.counts[severity, code] > MAX_LISTED
