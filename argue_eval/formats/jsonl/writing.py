"""Text to files that are whole or absent."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from argue_eval.errors import MissingResourceError


@contextmanager
def atomic_writer(path: str | Path) -> Iterator[IO[str]]:
    """Opens a text file that appears under its name only when it is complete.

    A name that ends in ``.gz`` is packed; ``-`` is standard output. What is no file, such as
    ``/dev/null``, is written to at the end and never replaced.

    Raises:
        MissingResourceError: the folder does not exist or may not be written to.
    """
    if str(path) == "-":
        yield sys.stdout
        return
    target = Path(path)
    if target.exists() and not target.is_file() and not target.is_dir():  # /dev/null, a pipe
        buffer = io.StringIO()
        yield buffer
        with _reporting_errors(target):
            target.write_bytes(buffer.getvalue().encode())
        return
    with whole_or_absent(target) as part, part.open("wb") as raw:
        binary: IO[bytes] = raw
        if target.suffix == ".gz":
            import gzip

            packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)
            binary = cast(IO[bytes], packed)
        with io.TextIOWrapper(binary, encoding="utf-8", newline="\n") as stream:
            yield stream


@contextmanager
def whole_or_absent(target: Path) -> Iterator[Path]:
    """Makes a new file beside a target, whose place it takes when it is complete.

    Raises:
        MissingResourceError: the folder does not exist or may not be written to.
    """
    import tempfile  # it takes longer to import than a short command takes

    with _reporting_errors(target):
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".argue-eval-")
        part = Path(name)
        try:
            os.close(handle)
            yield part
            part.chmod(0o666 & ~_umask())
            os.replace(part, target)  # noqa: PTH105
        except BaseException:
            part.unlink(missing_ok=True)
            raise


@contextmanager
def _reporting_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise MissingResourceError(f"{target}: cannot be written: {exc.strerror}") from exc


def is_same_file(one: str | Path, other: str | Path) -> bool:
    """Whether two names are those of one file, be it by links of any kind.

    >>> is_same_file("x/../y", "y"), is_same_file("-", "-")
    (True, False)
    """
    if "-" in (str(one), str(other)):
        return False
    try:
        return Path(one).samefile(other)
    except OSError:  # one of them does not exist
        return os.path.realpath(one) == os.path.realpath(other)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def encode(value: Any) -> str:
    """A value as one line of JSON: keys in the given order, text unescaped."""
    import msgspec

    return msgspec.json.encode(value).decode("utf-8")
