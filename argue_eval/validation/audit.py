"""One run while it is checked: its rules, what was found, and what is known of its reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from argue_eval.errors import Finding, Findings, InputError, Severity, shorten
from argue_eval.formats.jsonl import JsonPath, json_path
from argue_eval.formats.runs import Draft, topic_in
from argue_eval.validation.tracks import Track

if TYPE_CHECKING:
    from argue_eval.records import ReportRequest

MAX_BROKEN = 1000
"""Reading stops after so many lines that are not JSON, or no reports: it is another file."""

Topics = Mapping[str, "ReportRequest"]
Checks = Sequence[tuple[Callable[[Draft, "Audit"], None], str]]
Place = tuple[int | None, str, str, int | None]
"""Line, JSON path, topic and sentence of what was found."""

_CODES = {"null_citations": "missing_citations", "unusual_score": "citation_score"}
"""How validation calls what scoring takes in another way."""

_NOTICE = 300


class Audit:
    """The rules, the requested topics, and what is known of a run so far.

    Attributes:
        rules: those that the track checks, by code.
        unchecked: those of them that can't be checked, with the option that they need.
        checks: of reports that have text, each with what of the draft it is about: where there is
            none of that, nothing can be wrong.
        requests: by topic; None if they were not given.
        run_id: that of the first report.
        topics: where each topic was first seen.
        reports: the topic and the line of each text of a report, by the hash of the text.
        broken: topics of lines that could not be read, or probably meant by ids that nobody asked
            for, so that they are not missing as well; an empty text for a line without.
        num_reports: how many reports were checked so far.
        num_guessed: for how many topics the one that was meant was looked for.
        cited: where each document is first cited, if that is to be looked up in a collection.
        locate: gives the line of a JSON path in a file that is one document.
    """

    def __init__(
        self,
        file: str,
        track: Track,
        requests: Topics | None,
        unchecked: Mapping[str, str],
        checks: Checks,
    ) -> None:
        self.rules = {code: rule for code, rule in track.rules.items() if rule.severity}
        severities = {code: rule.severity for code, rule in track.rules.items()}
        severities["id_whitespace"] = Severity.WARNING  # as scoring has it
        self.findings = Findings(file, severities=severities)
        self.track = track
        self.requests = requests
        self.unchecked = unchecked
        self.checks = checks
        self.run_id = self.team_id = ""
        self.topics: dict[str, int] = {}
        self.reports: dict[int, tuple[str, int]] = {}
        self.broken: set[str] = set()
        self.num_reports = self.num_guessed = 0
        self.cited: dict[str, Place] = {}
        self.locate: Callable[[JsonPath], int] | None = None
        self._num_broken = 0

    def found(
        self,
        code: str,
        message: str,
        draft: Draft,
        path: JsonPath = (),
        *,
        index: int | None = None,
        hint: str = "",
        expected: str = "",
        is_once: bool = False,
    ) -> None:
        """Adds a finding about a report, unless the track does not check it.

        Args:
            path: in the report; in a sentence, if its `index` is given.
            is_once: it stands for all of its code in the run.
        """
        line, where, topic_id, sentence = self.place(draft, path, index)
        file = self.findings.file
        finding = Finding(
            code, message, hint, file, line, where, topic_id, expected=expected, sentence=sentence
        )
        self.findings.add(finding, once=is_once)

    def found_problems(self, draft: Draft) -> None:
        """Adds what is wrong with the shape of a report.

        Raises:
            InputError: so much of the file holds nothing to check that it must be another kind.
        """
        draft.topic_id = topic_in(draft.metadata, self.track.layout)
        for code, message, path, hint in draft.problems:
            at = path[1] if len(path) > 1 and path[0] == draft.key else None
            index = at if isinstance(at, int) else None
            path = path if index is None else path[2:]
            self.found(_CODES.get(code, code), message, draft, path, index=index, hint=hint)
        if not draft.key and not draft.topic_id:
            self.note_broken()
        draft.topic_id = ""  # the check of ids is stricter

    def note_broken(self, *findings: Finding) -> None:
        """Notes a line that has nothing in it to check; too many of these are refused."""
        self.findings.add(*findings)
        self._num_broken += 1
        if self._num_broken >= MAX_BROKEN:
            message = f"{MAX_BROKEN:,} lines are no reports; the rest of the file was not read"
            hint = "check that this is the right file"
            raise InputError(Finding("too_many_errors", message, hint, self.findings.file))

    def place(self, draft: Draft, path: JsonPath, index: int | None) -> Place:
        """Says where something in a report is, or in its sentence of an index."""
        full = draft.base + (path if index is None else draft.path(index, *path))
        line = self.locate(full) if self.locate else draft.line
        return line, json_path(full), draft.topic_id, None if draft.text_paths else index

    def is_clean(self, run_id: str, team_id: str) -> bool:
        """Whether nothing was found, and the ids are the same; forgets what was found."""
        is_clean = not self.findings.counts and (self.run_id, self.team_id) == (run_id, team_id)
        self.run_id, self.team_id = run_id, team_id
        self.findings.clear()
        self._num_broken = 0
        return is_clean


def digest_of(draft: Draft) -> int:
    """What is the same for reports with the same text; 0 for a notice, such as that nothing was
    found: a sentence without citations, which needs none, and which several topics may have.
    """
    is_notice = draft.is_uncited and len(draft.texts) == 1 and len(draft.joined) < _NOTICE
    return 0 if is_notice else hash(draft.joined)


def check_repeated(
    digest: int, topic_id: str, line: int, audit: Audit, base: JsonPath = ()
) -> None:
    """Checks that no report for another topic has the same text.

    Args:
        digest: see `digest_of`.
        base: the path of the report.
    """
    own = topic_id, line
    first, first_line = audit.reports.setdefault(digest, own) if digest else own
    if first != topic_id:
        line = audit.locate(base) if audit.locate else line
        noun = audit.track.layout.noun
        message = f"the {noun} has the same text as that for the topic {shorten(first)}"
        message += f" on line {first_line:,}" if not audit.locate else ""
        hint = f"write a {noun} for each topic: check the step that joins topics and {noun}s"
        file, path = audit.findings.file, json_path(base)
        finding = Finding("repeated_report", message, hint, file, line, path, topic_id)
        audit.findings.add(finding, once=True)
