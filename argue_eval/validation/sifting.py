"""Large runs in several processes: each passes over the reports of which nothing is to be said.

The processes run the same checks as ever, and only report which lines have findings. Those lines
are then checked by the one process that knows the whole run, in file order: there is one
definition of every check, and the findings are the same for any number of processes.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import ArgueEvalError
from argue_eval.validation.audit import Audit

_BUFFER_BYTES = 256 << 10

Sift = Callable[[bytes], str]
"""Returns the topic of a line with nothing wrong in it; an empty text for any other line."""


class _Line(NamedTuple):
    """A line of a slice. Its number counts from the slice's first line."""

    number: int
    topic_id: str
    offset: int
    length: int


class Slices(NamedTuple):
    """A file in slices that begin and end with a line.

    Attributes:
        max_bytes: of a longer line, no more is read than shows that it is.
    """

    path: str
    num_bytes: int
    max_bytes: int

    def ends(self) -> Iterator[tuple[int, int]]:
        """Yields where each slice begins and ends."""
        size = Path(self.path).stat().st_size
        start = 0
        with Path(self.path).open("rb") as stream:
            while start < size:
                end = min(start + self.num_bytes, size)
                stream.seek(end)
                end += len(stream.readline(2 * self.max_bytes))
                yield start, end
                start = end

    def lines(self, start: int, end: int, sift: Sift) -> tuple[int, list[_Line]]:
        """Returns how many lines a slice has, and those that are not blank."""
        found = []
        number, offset = 0, start
        with Path(self.path).open("rb", buffering=_BUFFER_BYTES) as stream:
            stream.seek(offset)
            while offset < end and (raw := stream.readline(self.max_bytes + 1)):
                number += 1
                is_long = len(raw) > self.max_bytes
                if is_long or raw[0] > 32 or raw.strip():
                    topic_id = "" if is_long else sift(raw)
                    found.append(_Line(number, topic_id, offset, len(raw)))
                offset += len(raw)
                if is_long:
                    break  # nobody reads on from here
        return number, found


def sifted(
    slices: Slices, first: int, num_processes: int, sift: Sift, audit: Audit
) -> Iterator[tuple[int, bytes]]:
    """Yields (1-based number, content) of the lines to be looked at; notes the topics of others.

    Args:
        first: the lines up to this one were looked at already.
    """
    num_before = 0
    ends = list(slices.ends())
    with (
        Path(slices.path).open("rb") as stream,
        _workers(slices, ends, num_processes, sift) as receivers,
    ):
        for place in range(len(ends)):
            num_lines, lines = _received(receivers[place % num_processes])
            for line in lines:
                number = num_before + line.number
                if number <= first:
                    continue
                if line.topic_id and audit.is_new(line.topic_id):
                    audit.topics[line.topic_id] = number
                    audit.num_reports += 1
                else:
                    stream.seek(line.offset)
                    yield number, stream.read(line.length)
            num_before += num_lines


@contextmanager
def _workers(
    slices: Slices, ends: Sequence[tuple[int, int]], num_processes: int, sift: Sift
) -> Iterator[list[Connection]]:
    """Starts processes that take turns at the slices; gives the ends of pipes for their results."""
    context = multiprocessing.get_context("fork")
    processes, receivers = [], []
    try:
        for place in range(num_processes):
            receiver, sender = context.Pipe(duplex=False)
            own = ends[place::num_processes]
            process = context.Process(target=_work, args=(slices, own, sift, sender), daemon=True)
            process.start()
            sender.close()  # so that the end of the process is the end of the pipe
            processes.append(process)
            receivers.append(receiver)
        yield receivers
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def _work(slices: Slices, ends: Sequence[tuple[int, int]], sift: Sift, sender: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children
    for start, end in ends:
        sender.send(slices.lines(start, end, sift))


def _received(receiver: Connection) -> tuple[int, list[_Line]]:
    try:
        found: tuple[int, list[_Line]] = receiver.recv()
    except EOFError:
        raise ArgueEvalError("a process that checked a part of the run was ended") from None
    return found
