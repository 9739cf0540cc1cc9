"""Gzip data, unpacked while it is read. Imported only for what is packed."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, cast


class DamagedError(Exception):
    """What is wrong with gzip data."""


@contextmanager
def unpacked(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Opens gzip data for reading.

    Raises:
        DamagedError: while it is read, if it is no gzip data, or not all of it.
    """
    try:
        with gzip.GzipFile(fileobj=stream) as content:
            yield cast(IO[bytes], content)
    except (gzip.BadGzipFile, EOFError, zlib.error) as exc:
        raise DamagedError(str(exc)) from exc
