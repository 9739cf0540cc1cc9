"""What can go wrong, at a glance.

::

    ArgueEvalError                 exit code
    ├── InputError                 1   the input has errors; carries every Finding
    ├── UsageError                 2   an option or argument makes no sense
    └── MissingResourceError       3   a file, a collection or an optional package is missing

Units that are left unjudged are no exception: the command tells, and ends with 4.

User mistakes are values (`Finding`) or one of these exceptions, never an assertion and never a
traceback. A judge that fails is a record (`argue_eval.records.JudgeFailure`), not an exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, NamedTuple

EXIT_OK = 0
EXIT_INPUT = 1
EXIT_USAGE = 2
EXIT_MISSING = 3
EXIT_UNJUDGED = 4


class Severity(str, Enum):
    """How bad a finding is: an error stops the command, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Finding(NamedTuple):
    """One problem in one place of one input file.

    Attributes:
        code: stable and machine-readable, such as ``duplicate_key``.
        message: what was found and what was expected.
        hint: what to do about it.
        file: the file's name as the user gave it, ``-`` for standard input.
        line: 1-based line, or None where a file has no lines (a directory, a broken archive).
        path: JSON path inside the line or document, such as ``$.responses[3].citations``.
        expected: what would have been right, where the message does not say so in full.
        sentence: 0-based index of the sentence in its report, if it is about one.
    """

    code: str
    message: str
    hint: str = ""
    file: str = ""
    line: int | None = None
    path: str = ""
    topic_id: str = ""
    severity: Severity = Severity.ERROR
    expected: str = ""
    sentence: int | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        parts = [f"{place}: " if place else "", f"{self.severity.value} [{self.code}] "]
        if self.path and self.path != "$":
            parts.append(f"at {self.path}: ")
        parts.append(self.message)
        if self.hint:
            parts.append(f"\n    fix: {self.hint}")
        return "".join(parts)


class ArgueEvalError(Exception):
    """Base of every error that argue-eval raises on purpose."""

    exit_code = EXIT_INPUT


class InputError(ArgueEvalError):
    """The input has errors. All that were found are in `findings`, in input order."""

    exit_code = EXIT_INPUT

    def __init__(self, findings: Finding | Sequence[Finding]) -> None:
        self.findings: tuple[Finding, ...] = (
            (findings,) if isinstance(findings, Finding) else tuple(findings)
        )
        super().__init__("\n".join(str(finding) for finding in self.findings))


class UsageError(ArgueEvalError):
    """An option or argument makes no sense."""

    exit_code = EXIT_USAGE


class MissingResourceError(ArgueEvalError):
    """A file, a collection or an optional package is missing."""

    exit_code = EXIT_MISSING


def unknown_name(kind: str, name: str, choices: Iterable[str]) -> UsageError:
    """Returns the error for a name that is not among the choices, with the nearest one."""
    from difflib import get_close_matches

    known = sorted(choices)
    near = get_close_matches(name, known, n=1)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    return UsageError(f"unknown {kind} {name!r}.{guess} Choices: {', '.join(known)}")


def shorten(text: object, width: int = 60) -> str:
    """Returns a value's repr, safe for a terminal and cut to a width.

    >>> shorten("a\\x1b[31mb")
    "'a\\\\x1b[31mb'"
    """
    shown = ascii(text) if not isinstance(text, str) else ascii_controls(text[: 4 * width])
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def ascii_controls(text: str) -> str:
    """Returns the text in quotes with every unprintable character escaped.

    >>> ascii_controls("a" + chr(0x202E) + "b") == "'a" + chr(92) + "u202eb'"
    True
    """
    body = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
    return f"'{body}'"


def describe(value: Any) -> str:
    """Returns what a JSON value is, in words, for "expected …, found …".

    >>> describe([1, 2]), describe(True), describe("x")
    ('a list of 2', 'true', "the text 'x'")
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {shorten(value)}" if value else "an empty text"
    if isinstance(value, (int, float)):
        # Python refuses to write out numbers of some thousand digits.
        is_huge = isinstance(value, int) and value.bit_length() >= 1000
        return "a huge number" if is_huge else f"the number {shorten(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    keys = ", ".join(shorten(key, 20) for key in list(value)[:5])
    more = ", …" if len(value) > 5 else ""
    return f"an object with the keys {keys}{more}" if value else "an empty object"
