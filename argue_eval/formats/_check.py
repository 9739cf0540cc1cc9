"""Gathers what is wrong with one input file while it is read."""

from __future__ import annotations

from collections import Counter
from typing import Any

from argue_eval.errors import Finding, InputError, Severity, describe, shorten
from argue_eval.formats._locate import Locator
from argue_eval.jsonl import JsonPath, Source, json_path

MAX_FINDINGS = 1000
"""Reading stops after so many errors: the file is of another kind, or broken throughout."""

MAX_WARNINGS = 100
"""So many warnings of one code are listed one by one; of the others, only the number is told."""

MAX_IDS = 1_000_000


class TooManyError(Exception):
    """Ends the reading of a file that has more errors than anybody will read."""


class Check:
    """Where reading stands in one source, and what was found so far.

    Attributes:
        line: of the item at hand; None if the file is one JSON document.
        base: the JSON path of the item at hand.
        document: the whole JSON text, if the file is one document.
        ids: ids that were seen and found good, so that each is looked at only once.
        topics: where each topic was first seen.
    """

    def __init__(
        self,
        source: Source,
        warnings: list[Finding] | None = None,
        topics: dict[str, str] | None = None,
    ) -> None:
        self.source = source
        self.line: int | None = None
        self.base: JsonPath = ()
        self.document: bytes | None = None
        self.errors: list[Finding] = []
        self.ids: set[str] = set()
        self.topics = {} if topics is None else topics
        self._warnings = [] if warnings is None else warnings
        self._num_warned: Counter[str] = Counter()
        self._once: dict[str, int] = {}
        self._locator: Locator | None = None

    def here(self, path: JsonPath = ()) -> int | None:
        """Returns the line of the item at hand, or of a value in it."""
        if self.document is None:
            return self.line
        if self._locator is None:
            self._locator = Locator(self.document)
        return self._locator.line(self.base + path)

    def error(
        self, code: str, message: str, path: JsonPath = (), *, hint: str = "", topic_id: str = ""
    ) -> None:
        """Notes an error at a path in the item at hand."""
        where = json_path(self.base + path)
        self.add(Finding(code, message, hint, self.source.name, self.here(path), where, topic_id))

    def add(self, *findings: Finding) -> None:
        """Notes errors that are already located."""
        for finding in findings:
            if len(self.errors) >= MAX_FINDINGS:
                raise TooManyError
            self.errors.append(finding)

    def warn(
        self, code: str, message: str, path: JsonPath = (), *, hint: str = "", once: bool = False
    ) -> None:
        """Notes a warning. One that is given `once` stands for all further ones of its code."""
        self._num_warned[code] += 1
        if self._num_warned[code] > (1 if once else MAX_WARNINGS):
            return
        if once:
            self._once[code] = len(self._warnings)
        where = json_path(self.base + path)
        place = (self.source.name, self.here(path), where)
        self._warnings.append(Finding(code, message, hint, *place, severity=Severity.WARNING))

    def finish(self, *, is_cut: bool = False) -> None:
        """Completes the list of warnings, and raises what was found wrong.

        Args:
            is_cut: reading ended early since there are too many errors.

        Raises:
            InputError: there are errors; it has them all.
        """
        for code, number in self._num_warned.items():
            if code in self._once and number > 1:
                first = self._warnings[self._once[code]]
                message = f"{first.message} (and {number - 1} more like this)"
                self._warnings[self._once[code]] = first._replace(message=message)
            elif code not in self._once and number > MAX_WARNINGS:
                message = f"{number - MAX_WARNINGS} more warnings of this kind are not listed"
                note = Finding(code, message, "", self.source.name, severity=Severity.WARNING)
                self._warnings.append(note)
        self._num_warned.clear()
        if is_cut:
            message = f"more than {MAX_FINDINGS} errors; the rest of the file was not read"
            hint = "correct these first, or check that this is the right file"
            self.errors.append(Finding("too_many_errors", message, hint, self.source.name))
        if self.errors:
            raise InputError(self.errors)

    def new_topic(self, topic_id: str, path: JsonPath, hint: str = "keep one of the two") -> None:
        """Notes an error if the topic was seen before."""
        line = self.here(path)
        place = self.source.name if line is None else f"{self.source.name}:{line}"
        first = self.topics.setdefault(topic_id, place)
        if first is not place:
            message = f"the topic {shorten(topic_id)} occurs again; it was first at {first}"
            self.error("duplicate_topic", message, path, hint=hint, topic_id=topic_id)

    def wrong_type(self, expected: str, value: Any, path: JsonPath, hint: str = "") -> None:
        """Notes that a value is not of the type that the format asks for."""
        self.error("wrong_type", f"expected {expected}, found {describe(value)}", path, hint=hint)

    def identifier(self, value: Any, path: JsonPath, *, or_number: bool = False) -> str:
        """Returns an id as it stands in the file; notes an error if it can't be one."""
        if type(value) is int and or_number:
            return str(value)
        if type(value) is not str:
            hint = f'put it in quotes: "{shorten(value)}"' if type(value) is int else ""
            self.wrong_type("an id in quotes", value, path, hint)
            return ""
        if value in self.ids:
            return value
        if not value.strip():
            hint = "write the id, or leave the whole entry out"
            self.error("empty_id", f"expected an id, found {describe(value)}", path, hint=hint)
            return value
        if not value.isprintable():
            hint = "remove tabs, line breaks and other invisible characters from the id"
            message = f"the id {shorten(value)} has a character that is not printable"
            self.error("bad_id", message, path, hint=hint)
            return value
        if value.strip() != value:
            message = f"the id {shorten(value)} starts or ends with white space"
            self.warn("id_whitespace", message, path, hint="ids are compared as they are")
        if len(self.ids) >= MAX_IDS:
            self.ids.clear()
        self.ids.add(value)
        return value
