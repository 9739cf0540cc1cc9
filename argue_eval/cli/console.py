"""Where output goes: results to stdout, notes and progress to stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import StringIO
from typing import IO, Any

from argue_eval.errors import (
    ArgueEvalError,
    Finding,
    InputError,
    MissingResourceError,
    UsageError,
    plain,
)


class OutputClosedError(Exception):
    """Whoever reads stdout has closed it, as ``head`` does. Not an error of anybody's."""


def write(lines: Iterable[str], path: str = "-") -> None:
    """Write result lines to a file; by default to stdout, at once.

    Raises:
        OutputClosedError: nobody reads stdout any more.
        MissingResourceError: the file or stdout cannot be written, such as on a full disk.
    """
    if path != "-":
        with open_output(path) as stream:
            stream.writelines(lines)
        return
    for line in lines:
        try:
            sys.stdout.write(line)
        except OSError as exc:
            raise _lost(exc) from None
    try:
        sys.stdout.flush()
    except OSError as exc:
        raise _lost(exc) from None


@contextmanager
def open_output(path: str) -> Iterator[IO[str]]:
    """Open a file, which appears when it is complete; or stdout, which is written at the end."""
    if path != "-":
        from argue_eval.formats.jsonl import atomic_writer

        with atomic_writer(path) as stream:
            yield stream
        return
    text = StringIO()
    yield text
    write([text.getvalue()])


def write_json(value: Any, *, indent: int = 1, is_ascii: bool = True) -> None:
    """Write a JSON value to stdout; raises as `write` does."""
    import json

    from argue_eval.formats.jsonl import visible

    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    write([f"{visible(text)}\n"])


def show(lines: Iterable[str]) -> None:
    """Write lines for people to stdout, whatever is in them; raises as `write` does."""
    write(plain(line.removesuffix("\n"), "\t") + "\n" for line in lines)


def width() -> int | None:
    """Measure the terminal that stdout is; None if it is none."""
    from shutil import get_terminal_size

    return get_terminal_size().columns if sys.stdout.isatty() else None


def _lost(exc: OSError) -> Exception:
    """The error for output that stdout does not take.

    What is still buffered is discarded, so that the interpreter does not fail on it.
    """
    with suppress(OSError, ValueError):  # not a file: a test's buffer
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(exc, BrokenPipeError):
        return OutputClosedError()
    return MissingResourceError(f"stdout: cannot be written: {exc.strerror}")


def check_files(inputs: Iterable[str | None], **outputs: str | None) -> None:
    """Check what a command reads and writes: standard input can be read only once, and no output
    may be the file of an input, or of another output.

    Args:
        outputs: the values of options by their names; ``o`` is that of ``-o``.

    Raises:
        UsageError: the command line says otherwise.
    """
    paths = list(inputs)
    if paths.count("-") > 1:
        raise UsageError("only one input can be standard input (-)")
    if outputs:
        from argue_eval.formats.jsonl import check_outputs

        named = [("-o" if name == "o" else f"--{name.replace('_', '-')}", path)
                 for name, path in outputs.items()]  # fmt: skip
        check_outputs(named, paths)


def check_page(path: str) -> None:
    """Refuse a page for the browser that is not named as one."""
    if path != "-" and not path.casefold().endswith(_PAGES):
        raise UsageError(f"{path}: what is written is a page: name it FILE.html")


def check_json(path: str | None) -> None:
    """Refuse a file of JSON that is named as a page or a table."""
    if path is not None and path.casefold().removesuffix(".gz").endswith(_NOT_JSON):
        raise UsageError(f"{path}: what is written is JSON: name it FILE.json or FILE.jsonl")


_PAGES = (".html", ".htm")
_NOT_JSON = (*_PAGES, ".csv", ".tsv", ".xlsx", ".ods")


def note(text: str) -> None:
    """Write a line for people to stderr, whatever is in it."""
    sys.stderr.write(f"{plain(text)}\n")


class Listing:
    """How findings are listed.

    Attributes:
        is_whole: whether all are shown, as with ``--all``, not a screenful.
    """

    is_whole = False

    def room(self, num_beside: int = 2, fewest: int = 12) -> int | None:
        """How many lines there are for a list beside others; None for as many as it takes."""
        from shutil import get_terminal_size

        return None if self.is_whole else max(fewest, get_terminal_size().lines - num_beside)


listing = Listing()


def fail(exc: ArgueEvalError) -> None:
    """Write an error to stderr; of several, a screenful."""
    findings = exc.findings if isinstance(exc, InputError) else ()
    if len(findings) < 2:
        text = str(exc) if findings else plain(str(exc))
        sys.stderr.write(f"argue-eval: {text}\n")
    else:
        sys.stderr.write("argue-eval: ")
        warn(findings)


def warn(findings: Sequence[Finding]) -> None:
    """Write findings to stderr, a screenful unless all are asked for."""
    if not findings:
        return
    from argue_eval.report.findings.text import listed

    sys.stderr.writelines(listed(findings, listing.room()))


@contextmanager
def following() -> Iterator[tuple[list[Finding], Progress | None]]:
    """Show the progress of work on a terminal, and write its warnings when it is done."""
    warnings: list[Finding] = []
    progress = Progress() if sys.stderr.isatty() else None
    yield warnings, progress
    if progress:
        progress.clear()
    if warnings:
        warn(warnings)


class Progress:
    """A line on a terminal that shows how far a command is.

    Args:
        after: seconds before it is shown first; `every`: seconds between two changes.
    """

    def __init__(self, after: float = 2.0, every: float = 0.2) -> None:
        self._after = after
        self._every = every
        self._started = self._last = time.monotonic()
        self._width = 0
        self._what = ""
        self._since = self._started
        self._from = 0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show that `done` of `total` are done, how fast, and the time left."""
        now = time.monotonic()
        if what != self._what:
            self._what, self._since, self._from = what, now, done
        if now - self._started > self._after and now - self._last > self._every:
            self._last = now
            line = f"{plain(what)}: {done:,} of {total:,}{self._rate(now, done, total)}"
            sys.stderr.write(f"\r{line.ljust(self._width)}")
            sys.stderr.flush()
            self._width = len(line)

    def _rate(self, now: float, done: int, total: int) -> str:
        seconds = now - self._since
        if seconds < self._after or done <= self._from:
            return ""
        rate = (done - self._from) / seconds
        return f", {rate:.3g}/s, {duration((total - done) / rate)} left"

    def clear(self) -> None:
        """Remove the line."""
        if self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")
            sys.stderr.flush()
            self._width = 0


def duration(seconds: float) -> str:
    """Write a length of time for people.

    >>> duration(7.4), duration(95), duration(7300)
    ('7 s', '1 min 35 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
