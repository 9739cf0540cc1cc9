"""What comes through a pipe, kept so that it can be read again: on disk, if it is large."""

from __future__ import annotations

import io
from typing import IO, cast

_MEMORY_BYTES = 8 << 20
_BLOCK_BYTES = 256 << 10


def spooled(stream: IO[bytes], max_bytes: int) -> IO[bytes] | None:
    """Returns a file with all that a stream holds; None if it holds more than it may."""
    from tempfile import SpooledTemporaryFile

    # It is closed by whoever reads it.
    spool = SpooledTemporaryFile(max_size=_MEMORY_BYTES)  # noqa: SIM115
    num_left = max_bytes
    while block := stream.read(_BLOCK_BYTES):
        num_left -= len(block)
        if num_left < 0:
            spool.close()
            return None
        spool.write(block)
    return cast(IO[bytes], spool)


def view_of(spool: IO[bytes]) -> IO[bytes]:
    """Returns a stream over a spooled file, with a place of its own."""
    return cast(IO[bytes], io.BufferedReader(_View(spool), _BLOCK_BYTES))


class _View(io.RawIOBase):
    """A reader that shares its file with others."""

    def __init__(self, spool: IO[bytes]) -> None:
        super().__init__()
        self._spool = spool
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place}.get(whence, 0)
        if whence == io.SEEK_END:
            start = self._spool.seek(0, io.SEEK_END)
        self._place = start + offset
        return self._place

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._spool.seek(self._place)
        block = self._spool.read(len(buffer))
        buffer[: len(block)] = block
        self._place += len(block)
        return len(block)
