"""Which files are meant: a file, a pattern, or a folder with files of a kind."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence, Set, ValuesView
from contextlib import suppress
from pathlib import Path
from typing import Any

from argue_eval.errors import (
    Finding,
    InputError,
    MissingResourceError,
    Severity,
    UsageError,
    shorten,
)
from argue_eval.formats.jsonl import Source

File = str | os.PathLike[str] | Source
Files = File | Iterable[File]
"""A file; a pattern such as ``qrels/*.json``; a folder; or several. ``-`` is standard input."""

DIGESTS = "argue-eval.sha256"
"""What ``score -o`` wrote into a folder, as ``sha256sum`` prints it, which also checks it."""

ONE_RUN_A_FILE = "give every run an id of its own; parts of one run go into one file, with cat"
"""What to do if two files have runs of one id."""

_BESIDE = (".history.jsonl", ".replies.jsonl")
"""What commands keep beside what they write."""

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
    for file in listed("files", files, Source, may_be_empty=True):
        if isinstance(file, Source):
            found.append(file)
        elif os.path.isdir(file):  # noqa: PTH112
            found += _in_folder(file, kind, warnings)
        elif any(sign in file for sign in "*?[") and not os.path.lexists(file):
            from glob import glob

            names = sorted(glob(file, recursive=True))  # noqa: PTH207
            if not names:
                raise MissingResourceError(f"{file}: no file fits this pattern")
            found += map(Source, names)
        else:
            found.append(Source(file))
    return found


def listed(name: str, given: Any, *records: type, may_be_empty: bool = False) -> list[Any]:
    """What a caller gave, as a list: paths as text, and records.

    Args:
        name: that of the parameter.
        records: the types of the records that it may have.

    Raises:
        UsageError: it has something else, such as what a file has in it, or nothing.
    """
    kinds = (str, os.PathLike, *records)
    is_one = isinstance(given, (*kinds, bytes)) or hasattr(given, "_fields")
    is_one = is_one or hasattr(given, "read")  # an open file yields its lines
    is_several = not is_one and isinstance(given, (Sequence, Set, ValuesView, Iterator))
    found = list(given) if is_several else [given]
    wrong = next((each for each in found if not isinstance(each, kinds)), None)
    if wrong is not None or (not found and not may_be_empty) or given is None:
        also = [f" or {each.__name__} records" for each in records if each is not Source]
        what = type(wrong).__name__ if found else "nothing"
        raise UsageError(f"{name}: expected a file{''.join(also)}, found {what}")
    for each in found:
        if isinstance(each, str) and (not each or "\n" in each) and not os.path.lexists(each):
            raise UsageError(f"expected the name of a file, found a text: {shorten(each)}")
    if {*map(type, found)} & {*records} - {Source}:
        from argue_eval.formats.given import check_records

        check_records(found)
    return [os.fspath(each) if isinstance(each, os.PathLike) else each for each in found]


def path_of(name: str, given: Any) -> str:
    """The path that a caller gave, as text.

    Args:
        name: that of the parameter.

    Raises:
        UsageError: it is none.
    """
    if not isinstance(given, (str, os.PathLike)):
        raise UsageError(f"{name}: expected a file, found {type(given).__name__}")
    return os.fspath(given)


def holding(kind: str, paths: Sequence[str]) -> list[str]:
    """Those of some files that hold records of a kind, judging by their start. A file may hold
    several kinds.
    """
    files = [path for path in dict.fromkeys(paths) if Path(path).is_file()]
    return [path for path in files if holds(kind, Source(path))]


def holds(kind: str, source: Source) -> bool:
    """Whether a file holds records of a kind, judging by its start."""
    from argue_eval.formats.checking import first_item
    from argue_eval.formats.detection import fits

    return fits(kind, first_item(source))


def kinds_of(source: Source) -> list[str]:
    """The kinds of records that a file holds, judging by its start."""
    from argue_eval.formats import sheets
    from argue_eval.formats.checking import first_item
    from argue_eval.formats.detection import CALLED, fits

    try:
        value = first_item(source, is_split=True)
    except MissingResourceError:
        return []
    with suppress(InputError):  # what is wrong with it, its reader says
        if value is None and sheets.is_table(source):
            return ["judgments"]
    return [kind for kind in CALLED if fits(kind, value)]


def kinds_in(path: str) -> set[str]:
    """The kinds of records that a file holds, or the files of a folder; none for a pipe."""
    if os.path.isdir(path):  # noqa: PTH112
        return {kind for file in files_in(path)[0] for kind in kinds_of(Source(str(file)))}
    return set(kinds_of(Source(path))) if os.path.isfile(path) else set()  # noqa: PTH113


def files_in(folder: str) -> tuple[list[Path], list[Path]]:
    """The files of a folder and its folders, those that are not hidden, in the order of names.

    Raises:
        MissingResourceError: it cannot be read.
    """
    try:
        found = sorted(each for each in Path(folder).iterdir() if not each.name.startswith("."))
    except OSError as exc:
        raise MissingResourceError(f"{folder}: cannot be read: {exc.strerror}") from exc
    return [each for each in found if each.is_file()], [each for each in found if each.is_dir()]


def _in_folder(folder: str, kind: str, warnings: list[Finding] | None) -> Iterator[Source]:
    """Yields the files of a folder that hold records of a kind, and those that are broken.

    Its folders are left out, and named first among what is; what ``score -o`` wrote is not named.

    Beside judgments, and in a folder of ``score -o``, lie scores and outcomes, which no reader
    knows; elsewhere, a file of JSON that is in no known format is read, so that the user learns
    what is wrong with it.
    """
    from argue_eval.formats.detection import CALLED

    files, folders = files_in(folder)
    left_out = [f"{each.name}/ (a folder)" for each in folders]
    num_found = 0
    digests = Path(folder, DIGESTS)
    has_others = kind == "judgments" or digests.is_file()
    for path in files:
        source = Source(str(path))
        kinds = kinds_of(source)
        is_unknown = not kinds and path.name.endswith(_ENDINGS) and not has_others
        if kind in kinds or (is_unknown and not path.name.endswith(_BESIDE)):
            num_found += 1
            yield source
        else:
            left_out.append(f"{path.name} ({CALLED[kinds[0]] if kinds else _unknown(path)})")
    if not num_found:
        message = f"expected {CALLED[kind]}, found a folder with {_listed(left_out) or 'no files'}"
        hint = "name the file, or a folder that has such files"
        if folders:
            from shlex import quote

            hint += f"; those in its folders: {quote(folder.rstrip('/') + '/*/*')}"
        raise InputError(Finding("is_directory", message, hint, folder))
    if digests.is_file():
        lines = digests.read_text("utf-8", "replace").splitlines()
        written = {DIGESTS, *(line.partition("  ")[2] for line in lines)}
        left_out = [each for each in left_out if each.rpartition(" (")[0] not in written]
    if left_out and warnings is not None:
        message = f"expected files with {CALLED[kind]}; left out {_listed(left_out)}"
        hint = "if one of these is meant, name it"
        warnings.append(Finding("files_left_out", message, hint, folder, severity=Severity.WARNING))


def _unknown(path: Path) -> str:
    """What a file is that no reader knows, such as a zip archive."""
    from argue_eval.formats.jsonl.foreign import by_magic

    try:
        with path.open("rb") as stream:
            foreign = by_magic(stream.read(512), path.name)
    except OSError as exc:
        return f"cannot be read: {exc.strerror}"
    return foreign.message.partition("found ")[2] if foreign else "no known format"


def _listed(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
