"""What one run is checked against, and what is known of it so far."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from argue_eval.validation.found import Found
from argue_eval.validation.tracks import Track

if TYPE_CHECKING:
    from argue_eval.records import ReportRequest

Requests = Mapping[str, "ReportRequest"]


class Audit:
    """The rules, the requests, and what all reports of a run have in common.

    Attributes:
        requests: by topic; None if they were not given.
        run_id: that of the first report.
        topics: where each topic was first seen.
        broken: topics of lines that could not be read; an empty text for those without.
        num_reports: how many reports were checked so far.
        num_guessed: for how many topics the one that was meant was looked for.
        cited: where each document is first cited; None if no collection is given.
    """

    def __init__(
        self,
        track: Track,
        found: Found,
        requests: Requests | None,
        has_collection: bool = False,
    ) -> None:
        self.track = track
        self.found = found
        self.requests = requests
        self.run_id = ""
        self.team_id = ""
        self.topics: dict[str, int] = {}
        self.broken: set[str] = set()
        self.num_reports = 0
        self.num_guessed = 0
        self.cited: dict[str, Place] | None = {} if has_collection else None
        self._patterns: dict[str, re.Pattern[str]] = {}

    def is_new(self, topic_id: str) -> bool:
        """Returns whether a topic is asked for and has no report yet."""
        is_asked = self.requests is None or topic_id in self.requests
        return is_asked and topic_id not in self.topics

    def pattern(self, code: str) -> re.Pattern[str]:
        """Returns the pattern of a rule, compiled. Digits are those of ASCII."""
        if code not in self._patterns:
            text: str = self.track.rules[code].values["pattern"]
            self._patterns[code] = re.compile(text, re.ASCII)
        return self._patterns[code]


Place = tuple[int | None, str, str, int | None]
"""Line, JSON path, topic and sentence of what was found."""
