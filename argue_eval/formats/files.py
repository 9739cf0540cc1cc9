"""Which files are meant: a file, a pattern, or a folder with files of a kind."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from argue_eval.errors import Finding, InputError, MissingResourceError, Severity, UsageError
from argue_eval.formats.jsonl import Source

File = str | os.PathLike[str] | Source
Files = File | Sequence[File]
"""A file; a pattern such as ``qrels/*.json``; a folder; or several. ``-`` is standard input."""

_ENDINGS = (".json", ".jsonl", ".json.gz", ".jsonl.gz")


def sources(files: Files, kind: str, warnings: list[Finding] | None = None) -> list[Source]:
    """The files that are meant, those of a pattern or a folder in the order of their names.

    Args:
        kind: what files of a folder must hold, such as ``runs``.
        warnings: what is left out of a folder is added to this.

    Raises:
        InputError: a folder has no file of the kind.
        MissingResourceError: no file fits a pattern, or a folder cannot be read.
    """
    found: list[Source] = []
    for file in each_of(files):
        if isinstance(file, Source):
            found.append(file)
        elif os.path.isdir(name := os.fspath(file)):  # noqa: PTH112
            found += _in_folder(name, kind, warnings)
        elif any(sign in name for sign in "*?[") and not os.path.lexists(name):
            from glob import glob

            names = sorted(glob(name, recursive=True))  # noqa: PTH207
            if not names:
                raise MissingResourceError(f"{name}: no file fits this pattern")
            found += map(Source, names)
        else:
            found.append(Source(name))
    return found


def each_of(files: Files) -> Sequence[File]:
    """What was named, whether one or several."""
    return [files] if isinstance(files, (str, os.PathLike, Source)) else files


def listed(name: str, given: Any, record: type | None = None) -> list[Any]:
    """What a caller gave, as a list: paths as text, and records.

    Args:
        name: that of the parameter.
        record: the type of the records that it may have; None for files alone.

    Raises:
        UsageError: it is empty or has something else.
    """
    kinds = (str, os.PathLike, record) if record else (str, os.PathLike)
    is_several = isinstance(given, Iterable) and not hasattr(given, "_fields")
    found = list(given) if is_several and not isinstance(given, kinds) else [given]
    expected = f"a file or {record.__name__} records" if record else "a file"
    if not found:
        raise UsageError(f"{name}: expected {expected}, found nothing")
    for each in found:
        if not isinstance(each, kinds):
            raise UsageError(f"{name}: expected {expected}, found {type(each).__name__}")
    return [os.fspath(each) if isinstance(each, os.PathLike) else each for each in found]


def kinds_in(path: str) -> set[str]:
    """The kinds of records that a file holds, or the files of a folder; none for a pipe."""
    from argue_eval.formats.reading import kinds_of

    if os.path.isdir(path):  # noqa: PTH112
        return {kind for file in _files_in(path) for kind in kinds_of(Source(file))}
    return set(kinds_of(Source(path))) if os.path.isfile(path) else set()  # noqa: PTH113


def _files_in(folder: str) -> list[Path]:
    """The files of a folder that are not hidden, in the order of their names."""
    try:
        found = [each for each in Path(folder).iterdir() if each.is_file()]
    except OSError as exc:
        raise MissingResourceError(f"{folder}: cannot be read: {exc.strerror}") from exc
    return sorted(each for each in found if not each.name.startswith("."))


def _in_folder(folder: str, kind: str, warnings: list[Finding] | None) -> Iterator[Source]:
    """Yields the files of a folder that hold records of a kind, and those that are broken.

    Beside judgments lie scores and outcomes, which no reader knows; elsewhere, a file of JSON that
    is in no known format is read, so that the user learns what is wrong with it.
    """
    from argue_eval.formats.detection import CALLED
    from argue_eval.formats.reading import kinds_of

    left_out = []
    num_found = 0
    for path in _files_in(folder):
        kinds = kinds_of(Source(path))
        is_unknown = not kinds and path.name.endswith(_ENDINGS) and kind != "judgments"
        if kind in kinds or is_unknown:
            num_found += 1
            yield Source(path)
        else:
            left_out.append(f"{path.name} ({CALLED[kinds[0]] if kinds else 'no known format'})")
    if not num_found:
        message = f"expected {CALLED[kind]}, found a folder with {_listed(left_out) or 'no files'}"
        hint = "name the file, or a folder that has such files"
        raise InputError(Finding("is_directory", message, hint, folder))
    if left_out and warnings is not None:
        message = f"expected files with {CALLED[kind]}; left out {_listed(left_out)}"
        hint = "if one of these is meant, name it"
        warnings.append(Finding("files_left_out", message, hint, folder, severity=Severity.WARNING))


def _listed(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
