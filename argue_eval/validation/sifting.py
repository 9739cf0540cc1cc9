"""Large runs in several processes: each passes over the reports of which nothing is to be said.

The processes run the same checks as ever, and only report which lines have findings. Those lines
are then checked by the one process that knows the whole run, in file order: there is one
definition of every check, and the findings are the same for any number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from argue_eval.formats.processes import line_slices, side_by_side

_BUFFER_BYTES = 256 << 10

Sift = Callable[[bytes], tuple[str, int]]
"""Gives topic and hash of the text of a line with nothing wrong in it; `NOT_CLEAN` of others."""

NOT_CLEAN = ("", 0)


Line = tuple[int, str, int, int, int]
"""A line that is not blank: its number in its slice, from 1; its topic; the hash of the report's
text, the same in processes that were forked; its offset and its length.
"""


def sifted(
    path: str, sizes: tuple[int, int], num_processes: int, sift: Sift
) -> Iterator[tuple[int, list[Line]]]:
    """Yields the lines of each slice of a file, with the number of lines before them.

    Args:
        sizes: that of a slice; and that of a line, of which no more is read than shows that it is
            longer.
    """
    num_before = 0
    work = partial(_sifted_slice, path, sizes[1], sift)
    for num_lines, lines in side_by_side([*line_slices(path, *sizes)], work, num_processes):
        yield num_before, lines
        num_before += num_lines


def _sifted_slice(
    path: str, max_bytes: int, sift: Sift, ends: tuple[int, int]
) -> tuple[int, list[Line]]:
    """Counts the lines of a slice, and gives those that are not blank."""
    found = []
    number, (offset, end) = 0, ends
    with Path(path).open("rb", buffering=_BUFFER_BYTES) as stream:
        stream.seek(offset)
        while offset < end and (raw := stream.readline(max_bytes + 1)):
            number += 1
            is_long = len(raw) > max_bytes
            if is_long or raw[0] > 32 or raw.strip():
                topic_id, digest = NOT_CLEAN if is_long else sift(raw)
                found.append((number, topic_id, digest, offset, len(raw)))
            offset += len(raw)
            if is_long:
                break  # nobody reads on from here
    return number, found
