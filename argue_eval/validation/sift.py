"""Large runs in several processes: each passes over the reports of which nothing is to be said.

The processes run the same checks as ever, and only tell which lines have findings. Those lines are
then checked by the one process that knows the whole run, in file order: there is one definition of
every check, and the findings are the same for any number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from argue_eval.formats.jsonl import Source
from argue_eval.validation.audit import Audit

SLICE_BYTES = 8 << 20
_BUFFER_BYTES = 256 << 10

Sift = Callable[[bytes], str]
"""Returns the topic of a line with nothing wrong in it; an empty text for any other line."""


class _Line(NamedTuple):
    """A line of a slice. Its number counts from the slice's first line."""

    number: int
    topic_id: str
    offset: int
    length: int


class _Task(NamedTuple):
    """What the processes share; they have it from their parent."""

    path: str
    max_bytes: int
    sift: Sift


_task: _Task | None = None


def sifted(
    source: Source, first: int, max_bytes: int, num_processes: int, sift: Sift, audit: Audit
) -> Iterator[tuple[int, bytes]]:
    """Yields (1-based number, content) of the lines to be looked at; notes the topics of others.

    Args:
        first: the lines up to this one were looked at already.

    Raises:
        InputError: a line is too long.
    """
    import multiprocessing

    global _task
    path = source.name
    _task = _Task(path, max_bytes, sift)
    context = multiprocessing.get_context("fork")
    num_before = 0
    with Path(path).open("rb") as stream, context.Pool(num_processes, _ignore_signals) as pool:
        for num_lines, lines in pool.imap(_sift_slice, _slices(path, max_bytes)):
            for line in lines:
                number = num_before + line.number
                if number <= first:
                    continue
                if line.topic_id and audit.is_new(line.topic_id):
                    audit.topics[line.topic_id] = number
                    audit.num_reports += 1
                elif line.length > max_bytes:
                    raise source.too_long(number, max_bytes)
                else:
                    stream.seek(line.offset)
                    yield number, stream.read(line.length)
            num_before += num_lines


def _ignore_signals() -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children


def _slices(path: str, max_bytes: int) -> Iterator[tuple[int, int]]:
    """Yields the ends of slices that begin and end with a line."""
    size = Path(path).stat().st_size
    start = 0
    with Path(path).open("rb") as stream:
        while start < size:
            end = min(start + SLICE_BYTES, size)
            stream.seek(end)
            # Of a line that is too long, no more is read than shows that it is.
            end += len(stream.readline(2 * max_bytes))
            yield start, end
            start = end


def _sift_slice(ends: tuple[int, int]) -> tuple[int, list[_Line]]:
    """Returns how many lines a slice has, and those that are not blank."""
    assert _task is not None
    offset, end = ends
    lines = []
    number = 0
    with Path(_task.path).open("rb", buffering=_BUFFER_BYTES) as stream:
        stream.seek(offset)
        while offset < end:
            raw = stream.readline(_task.max_bytes + 1)
            if not raw:
                break
            number += 1
            is_long = len(raw) > _task.max_bytes
            if is_long or raw[0] > 32 or raw.strip():
                topic_id = "" if is_long else _task.sift(raw)
                lines.append(_Line(number, topic_id, offset, len(raw)))
            offset += len(raw)
            if is_long:
                break  # nobody reads on from here
    return number, lines
