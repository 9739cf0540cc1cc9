"""Where output goes: results to stdout, notes and progress to stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence

from argue_eval.errors import Finding, MissingResourceError

_SHOWN = 12
_PROGRESS_AFTER = 2.0
_PROGRESS_EVERY = 0.2


class OutputClosedError(Exception):
    """Whoever reads stdout has closed it, as ``head`` does. Not an error of anybody's."""


def write(lines: Iterable[str]) -> None:
    """Writes result lines to stdout.

    Raises:
        OutputClosedError: nobody reads stdout any more.
        MissingResourceError: stdout cannot be written, to a full disk for instance.
    """
    for line in lines:
        _to_stdout(sys.stdout.write, line)


class Results:
    """Result lines on stdout.

    Args:
        keep_on: do the work to its end, for the files that it writes, even if nobody reads stdout.
    """

    def __init__(self, keep_on: bool) -> None:
        self._keep_on = keep_on
        self._is_closed = False

    def write(self, lines: Iterable[str]) -> None:
        """Writes lines, as long as somebody reads them."""
        if self._is_closed:
            return
        try:
            write(lines)
        except OutputClosedError:
            if not self._keep_on:
                raise
            self._is_closed = True

    def finish(self) -> None:
        """Raises an OutputClosedError if lines were not read, now that the work is done."""
        if self._is_closed:
            raise OutputClosedError


def flush() -> None:
    """Writes what is still buffered; raises as `write` does."""
    _to_stdout(sys.stdout.flush)


def _to_stdout(call: Callable[..., object], *args: str) -> None:
    try:
        call(*args)
    except BrokenPipeError:
        discard_stdout()
        raise OutputClosedError from None
    except OSError as exc:
        discard_stdout()
        raise MissingResourceError(f"stdout: cannot be written: {exc.strerror}") from exc


def discard_stdout() -> None:
    """Sends to nowhere what is still buffered, so that the interpreter does not fail on it."""
    try:
        number = sys.stdout.fileno()
    except (OSError, ValueError):
        return  # not a file: a test's buffer
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def note(text: str) -> None:
    """Writes a line for people to stderr."""
    sys.stderr.write(f"{text}\n")


def warn(findings: Sequence[Finding]) -> None:
    """Writes warnings to stderr, the first dozen of them."""
    for finding in findings[:_SHOWN]:
        note(str(finding))
    if len(findings) > _SHOWN:
        note(f"… and {len(findings) - _SHOWN} more warnings")


class Progress:
    """A line on stderr that tells how far a command is: on a terminal, after two seconds."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()
        self._started = self._last = time.monotonic()
        self._width = 0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Shows that `done` of `total` are done."""
        now = time.monotonic()
        if (
            self._is_shown
            and now - self._started > _PROGRESS_AFTER
            and now - self._last > _PROGRESS_EVERY
        ):
            self._last = now
            line = f"{what}: {done} of {total}"
            sys.stderr.write(f"\r{line.ljust(self._width)}")
            sys.stderr.flush()
            self._width = len(line)

    def clear(self) -> None:
        """Removes the line."""
        if self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")
            sys.stderr.flush()
            self._width = 0
