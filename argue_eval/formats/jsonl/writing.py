"""Text to files that are whole or absent."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

from argue_eval.errors import MissingResourceError, UsageError

_LINES_AT_ONCE = 500


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
    identity = _identity(one)
    return identity is not None and identity == _identity(other)


def check_outputs(
    outputs: Iterable[tuple[str, str | Path | None]], inputs: Iterable[str | None]
) -> None:
    """Checks that no output would replace an input or another output.

    Args:
        outputs: pairs of an option and the path that it names; ``-`` and None are no files.
        inputs: paths, patterns and folders that are read.

    Raises:
        UsageError: an output is one of their files, by whatever name.
    """
    taken: dict[object, tuple[str, str | Path]] = {}
    for name, output in outputs:
        identity = None if output in (None, "-") else _identity(output)
        if identity is not None and output is not None:
            if identity in taken and taken[identity][0] != name:
                raise UsageError(f"{taken[identity][0]} and {name} name the same file: name two")
            taken[identity] = name, output
    for path in _files(inputs) if taken else ():
        if (found := taken.get(_identity(path))) is not None:
            name, output = found
            other = "" if str(path) == str(output) else f" as {path}"
            raise UsageError(f"{name} names {output}, which is read{other}; name another file")


def _identity(path: str | Path) -> object:
    """What a file is, whatever it is called; None for what nothing can replace, such as a pipe."""
    try:
        # As it is written: a slash at the end of a file's name is no part of it.
        found = os.fstat(0) if path == "-" else Path(path).stat()
    except (OSError, ValueError):  # there is none yet
        return None if path == "-" else os.path.realpath(str(path).replace("\0", ""))
    is_kept = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    return (found.st_dev, found.st_ino) if is_kept else None


def _files(paths: Iterable[str | None]) -> Iterator[str | Path]:
    """Yields paths, with the files of patterns and folders."""
    for path in paths:
        if path is None:
            continue
        yield path
        if any(sign in path for sign in "*?["):
            from glob import glob

            yield from glob(path, recursive=True)  # noqa: PTH207
        elif os.path.isdir(path):  # noqa: PTH112
            yield from Path(path).iterdir()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def encode(value: Any) -> str:
    """A value as one line of JSON: keys in the given order, text unescaped."""
    import msgspec

    return msgspec.json.encode(value, enc_hook=_number).decode("utf-8")


def encode_lines(values: Iterable[Any]) -> Iterator[str]:
    """Yields the lines of JSON of values, many at a time: that takes half as long."""
    import msgspec

    encode, waiting = msgspec.json.Encoder(enc_hook=_number).encode_lines, iter(values)
    while some := list(islice(waiting, _LINES_AT_ONCE)):
        yield encode(some).decode("utf-8")


def _number(value: Any) -> int | float:
    """A number of another library, such as NumPy, as one of Python's."""
    from numbers import Integral, Real

    if isinstance(value, Real):
        return int(value) if isinstance(value, Integral) else float(value)
    raise TypeError(f"Encoding objects of type {type(value).__name__} is unsupported")


def visible(text: str) -> str:
    """JSON of the same value, with what could control a terminal escaped."""
    if text.isascii():
        return text
    import json

    return "".join(
        each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text
    )
