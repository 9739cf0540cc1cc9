"""Runs to be spoiled by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from argue_eval.errors import Finding

LINE = 18
"""The line on which most mistakes are made."""

Json = dict[str, Any]
Mend = Callable[[bytes, Finding], bytes]


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
    """A mistake, and what must be found.

    Attributes:
        spoil: makes the mistake; returns the content and where the finding must be.
        says: a part of the finding's message.
        advises: a part of its hint.
        also: what is found as a consequence.
        mend: does what the hint says where that is no edit of `tests.mistakes.following`.
    """

    name: str
    code: str
    spoil: Callable[[RunFile], tuple[bytes, Place]]
    says: str
    advises: str
    is_error: bool = True
    also: frozenset[str] = frozenset()
    mend: Mend | None = None


def in_report(change: Callable[[Json], str], number: int = LINE) -> Callable[..., Any]:
    """What changes one report; the change returns the path of the finding."""

    def spoil(run: RunFile) -> tuple[bytes, Place]:
        report = run.report(number)
        path = change(report)
        run.write(report, number)
        return run.raw, Place(number, path)

    return spoil
