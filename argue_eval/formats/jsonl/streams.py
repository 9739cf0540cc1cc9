"""What is no plain file: standard input, pipes and gzip; and what cannot be opened."""

from __future__ import annotations

import io
import sys
import weakref
from collections.abc import Iterator
from shlex import quote
from typing import IO, TYPE_CHECKING, cast

from argue_eval.errors import InputError, MissingResourceError
from argue_eval.formats.jsonl.source import MAX_DOCUMENT_BYTES, MAX_GZIP_RATIO

if TYPE_CHECKING:
    from argue_eval.formats.jsonl.source import Source

MIN_GZIP_BOMB = 256 << 20
_MEMORY_BYTES = 8 << 20
_BUFFER_BYTES = 256 << 10


def kept(source: Source, pipe: IO[bytes] | None) -> IO[bytes]:
    """A file with all that comes through a pipe, or standard input: on disk if it is large."""
    from tempfile import SpooledTemporaryFile

    if pipe is None and sys.stdin is None:  # <&-
        raise MissingResourceError("standard input is closed; name a file instead of -")
    stream = pipe or sys.stdin.buffer
    spool = SpooledTemporaryFile(max_size=_MEMORY_BYTES)  # noqa: SIM115
    weakref.finalize(source, spool.close)
    num_left = MAX_DOCUMENT_BYTES
    while block := stream.read(_BUFFER_BYTES):
        num_left -= len(block)
        if num_left < 0:
            limit = f"{MAX_DOCUMENT_BYTES >> 20} MiB"
            message = f"what comes through a pipe is larger than {limit}"
            raise source.error("too_large", message, hint="write it to a file and name the file")
        spool.write(block)
    return cast(IO[bytes], spool)


def view(shared: IO[bytes]) -> IO[bytes]:
    """A reader of a file that others read too, with a position of its own."""
    return cast(IO[bytes], io.BufferedReader(_View(shared), _BUFFER_BYTES))


def unpacked(source: Source, stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yields what reads the content of a gzip file."""
    import gzip
    import zlib

    try:
        with gzip.GzipFile(fileobj=stream) as content:
            yield cast(IO[bytes], content)
    except (gzip.BadGzipFile, EOFError, zlib.error) as exc:
        message = f"the gzip data is damaged: {exc}"
        raise source.error("broken_gzip", message, hint="copy or pack the file again") from exc


def most_unpacked(packed: IO[bytes]) -> float:
    """How many bytes may come out of gzip data: no text compresses well enough for more."""
    size = packed.seek(0, io.SEEK_END)
    packed.seek(0)
    return max(MIN_GZIP_BOMB, size * MAX_GZIP_RATIO)


def unopened(source: Source, exc: OSError | ValueError) -> InputError | MissingResourceError:
    """The error for what cannot be opened."""
    name = source.name
    if isinstance(exc, IsADirectoryError) and name != "-":
        message = "expected a file, found a directory"
        hint = f"name a file in it, or all of them: {quote(name.rstrip('/'))}/*"
        return source.error("is_directory", message, hint=hint)
    if isinstance(exc, FileNotFoundError):
        return MissingResourceError(f"{name}: no such file")
    reason = exc.strerror or exc if isinstance(exc, OSError) else exc
    return MissingResourceError(f"{name}: cannot be read: {reason}")


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
