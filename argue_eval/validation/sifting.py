"""Large runs in several processes: each passes over the reports of which nothing is to be said.

The processes run the same checks as ever, and only report which lines have findings. Those lines
are then checked by the one process that knows the whole run, in file order: there is one
definition of every check, and the findings are the same for any number of processes.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import ArgueEvalError

_BUFFER_BYTES = 256 << 10

Sift = Callable[[bytes], str]
"""Gives the topic of a line with nothing wrong in it; an empty text for any other line."""


class Line(NamedTuple):
    """A line that is not blank.

    Attributes:
        number: in its slice, or in the file; from 1.
    """

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

    def lines(self, start: int, end: int, sift: Sift) -> tuple[int, list[Line]]:
        """Counts the lines of a slice, and gives those that are not blank."""
        found = []
        number, offset = 0, start
        with Path(self.path).open("rb", buffering=_BUFFER_BYTES) as stream:
            stream.seek(offset)
            while offset < end and (raw := stream.readline(self.max_bytes + 1)):
                number += 1
                is_long = len(raw) > self.max_bytes
                if is_long or raw[0] > 32 or raw.strip():
                    # By position: there may be a million of these.
                    found.append(Line(number, "" if is_long else sift(raw), offset, len(raw)))
                offset += len(raw)
                if is_long:
                    break  # nobody reads on from here
        return number, found


def sifted(slices: Slices, num_processes: int, sift: Sift) -> Iterator[Line]:
    """Yields the lines of a file, those with nothing wrong in them with their topic."""
    context = multiprocessing.get_context("fork")  # so that a process has its task from here
    ends = list(slices.ends())
    receivers, processes = [], []
    try:
        for place in range(num_processes):
            receiver, sender = context.Pipe(duplex=False)
            task = (slices, ends[place::num_processes], sift, sender)
            processes.append(context.Process(target=_work, args=task, daemon=True))
            processes[-1].start()
            sender.close()  # so that the end of the process is the end of the pipe
            receivers.append(receiver)
        num_before = 0
        for place in range(len(ends)):
            num_lines, lines = receivers[place % num_processes].recv()
            for line in lines:
                yield line._replace(number=num_before + line.number)
            num_before += num_lines
    except EOFError:
        raise ArgueEvalError("a process that checked a part of the run was ended") from None
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def _work(slices: Slices, ends: Sequence[tuple[int, int]], sift: Sift, sender: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children
    for start, end in ends:
        sender.send(slices.lines(start, end, sift))
