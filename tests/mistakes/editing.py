"""Runs to be spoiled by hand and mended by what a finding says: its line, path and hint."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from argue_eval.errors import Finding

LINE = 18
"""The line on which most mistakes are made."""

Json = dict[str, Any]
Mend = Callable[[bytes, Finding], bytes]

_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\['([^']*)'\]")
_QUOTED = re.compile(r"'([^']*)'")


class Place(NamedTuple):
    """Where a finding must be."""

    line: int | None
    path: str = ""


class RunFile:
    """The lines of a run, counted from 1."""

    def __init__(self, raw: bytes) -> None:
        self._lines = raw.splitlines()

    def __len__(self) -> int:
        return len(self._lines)

    def line(self, number: int = LINE) -> bytes:
        return self._lines[number - 1]

    def report(self, number: int = LINE) -> Json:
        report: Json = json.loads(self.line(number))
        return report

    def write(self, value: Json, number: int = LINE) -> None:
        self._lines[number - 1] = json.dumps(value, ensure_ascii=False).encode()

    def replace(self, *lines: bytes, number: int = LINE) -> None:
        self._lines[number - 1 : number] = lines

    def append(self, value: Json) -> None:
        self._lines.append(json.dumps(value, ensure_ascii=False).encode())

    @property
    def raw(self) -> bytes:
        return b"".join(line + b"\n" for line in self._lines)


class Mistake(NamedTuple):
    """A mistake, what must be found, and how the hint is followed.

    Attributes:
        spoil: makes the mistake; returns the content and where the finding must be.
        says: a part of the finding's message.
        advises: a part of its hint.
        mend: does what the hint says, at the place that the finding names.
        also: what is found as a consequence.
    """

    name: str
    code: str
    spoil: Callable[[RunFile], tuple[bytes, Place]]
    says: str
    advises: str
    mend: Mend
    is_error: bool = True
    also: frozenset[str] = frozenset()


def in_report(change: Callable[[Json], str], number: int = LINE) -> Callable[..., Any]:
    """What changes one report; the change returns the path of the finding."""

    def spoil(run: RunFile) -> tuple[bytes, Place]:
        report = run.report(number)
        path = change(report)
        run.write(report, number)
        return run.raw, Place(number, path)

    return spoil


def at_place(change: Callable[[Any, Any, Finding], None]) -> Mend:
    """What changes the value at a finding's path, given what holds it and its key."""

    def mend(raw: bytes, finding: Finding) -> bytes:
        assert finding.line is not None
        run = RunFile(raw)
        report: Any = run.report(finding.line)
        *steps, last = [
            int(index) if index else name or key for name, index, key in _STEP.findall(finding.path)
        ]
        holder = report
        for step in steps:
            holder = holder[step]
        change(holder, last, finding)
        run.write(report, finding.line)
        return run.raw

    return mend


def everywhere(change: Callable[[Json, Finding], None]) -> Mend:
    """What changes all reports."""

    def mend(raw: bytes, finding: Finding) -> bytes:
        run = RunFile(raw)
        for number in range(1, len(run) + 1):
            report = run.report(number)
            change(report, finding)
            run.write(report, number)
        return run.raw

    return mend


def meant(finding: Finding) -> str:
    """The text that a hint gives in quotes."""
    found = _QUOTED.search(finding.hint)
    assert found, finding.hint
    return found.group(1)


def write_value(value: Any) -> Mend:
    """What writes a value at a finding's path."""

    def put(holder: Any, key: Any, finding: Finding) -> None:
        holder[key] = value

    return at_place(put)


def _remove(holder: Any, key: Any, finding: Finding) -> None:
    del holder[key]


def _rename(holder: Any, key: Any, finding: Finding) -> None:
    if isinstance(holder, dict):
        holder[meant(finding)] = holder.pop(key)
    else:
        holder[key] = meant(finding)


remove = at_place(_remove)
write_meant = at_place(_rename)


def remove_sentence(raw: bytes, finding: Finding) -> bytes:
    """Takes away the sentence that a finding is about."""
    assert finding.sentence is not None
    return remove(raw, finding._replace(path=f"$.responses[{finding.sentence}]"))


def remove_line(raw: bytes, finding: Finding) -> bytes:
    """Takes away the line that a finding is about."""
    assert finding.line is not None
    run = RunFile(raw)
    run.replace(number=finding.line)
    return run.raw
