"""Sheets for several assessors: a file for each, with some rows that all of them get."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import groupby
from math import ceil
from typing import NamedTuple

from argue_eval.errors import InputError, UsageError, count, shorten
from argue_eval.formats.jsonl import atomic_writer
from argue_eval.formats.sheets import Row, lines

OVERLAP = 0.2
"""The share of what all get, if nothing else is said."""

_ENDING = re.compile(r"((?:\.[^./\\]{1,6})?(?:\.gz)?)$")
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_MAX_NAME = 60


class Part(NamedTuple):
    """The sheet of one assessor.

    Attributes:
        path: of its file.
        num_shared: how many of its rows are on the sheets of the others too.
    """

    assessor: str
    path: str
    rows: Sequence[Row]
    num_shared: int


def parts(
    rows: Sequence[Row], path: str, assessors: Sequence[str] = (), overlap: float = OVERLAP
) -> list[Part]:
    """The sheets of some assessors: all get an equal share of the questions, and some of them all.

    The questions about one sentence stay together. What all get is spread evenly over the rows.

    Args:
        path: of the sheet; with several assessors, their names are added to it.
        overlap: the share of the sentences, or documents, that all assessors get.

    Raises:
        UsageError: the names cannot be told apart, or several sheets would go to stdout.
    """
    paths = paths_of(path, assessors)
    if not 0 <= overlap <= 1:
        raise UsageError(f"--overlap: expected a share from 0 to 1, found {overlap}")
    if len(paths) < 2:
        return [Part(name, each, rows, 0) for name, each in paths.items()]
    own: dict[str, list[Row]] = {name: [] for name in paths}
    shared, num_own = 0, 0
    for place, (_, group) in enumerate(groupby(rows, _subject)):
        questions = list(group)
        if _before(place + 1, overlap) > _before(place, overlap):
            getting, shared = list(paths), shared + len(questions)
        else:
            getting, num_own = [list(paths)[num_own % len(paths)]], num_own + 1
        for name in getting:
            own[name] += questions
    if not all(own.values()):
        number = count(len(rows), "row")
        raise UsageError(f"{number} cannot be shared by {len(paths):,} assessors: draw more")
    return [Part(name, each, own[name], shared) for name, each in paths.items()]


def write_parts(
    rows: Sequence[Row], path: str, format_name: str, assessor: str | Sequence[str], overlap: float
) -> list[str]:
    """Writes the sheets of some assessors, and returns their files.

    Raises:
        UsageError: as `parts`; or a file is there and has verdicts, which would be lost.
        MissingResourceError: a file cannot be written.
    """
    assessors = [assessor] if isinstance(assessor, str) else assessor
    found = parts(rows, path, assessors, overlap)
    for each in found:
        refuse_filled(each.path)
    for each in found:
        with atomic_writer(each.path) as stream:
            stream.writelines(lines(each.rows, len(each.rows), format_name, each.assessor))
    return [each.path for each in found]


def refuse_filled(path: str) -> None:
    """Keeps what people judged from being replaced by a new sheet.

    Raises:
        UsageError: the file has verdicts.
    """
    from argue_eval.formats.reading import read_judgments

    is_filled = False
    if os.path.isfile(path):  # noqa: PTH113
        try:
            is_filled = bool(read_judgments(path))
        except InputError as exc:
            is_filled = any(each.code == "bad_verdict" for each in exc.findings)
    if is_filled:
        message = "the file has verdicts, which a new sheet would replace"
        raise UsageError(f"{path}: {message}: name another file, or move this one")


def paths_of(path: str, assessors: Sequence[str]) -> dict[str, str]:
    """The file of each assessor's sheet; the path itself, if there is at most one.

    >>> paths_of("sheet.csv", ["A", "B/2"])
    {'A': 'sheet-A.csv', 'B/2': 'sheet-B_2.csv'}

    Raises:
        UsageError: as `parts`.
    """
    if path.casefold().endswith((".html.gz", ".htm.gz")):
        raise UsageError(f"{path}: browsers open no .gz: name it FILE.html")
    names = list(assessors) or [""]
    for name in names:
        if not name.isprintable():
            raise UsageError(f"--assessor: expected a name on one line, found {shorten(name)}")
    if len(names) == 1:
        return {names[0]: path}
    if path == "-":
        raise UsageError("several assessors get a file each: name it with -o FILE")
    stem, ending, _ = _ENDING.split(path, maxsplit=1)
    found = {}
    for name in names:
        added = _NOT_IN_NAMES.sub("_", name.strip())[:_MAX_NAME]
        found[name] = f"{stem}-{added}{ending}"
    if len({each.casefold() for each in found.values()}) < len(names) or "" in names:
        listed = ", ".join(map(shorten, names))
        raise UsageError(f"--assessor: expected names that differ, found {listed}")
    return found


def _subject(row: Row) -> tuple[str, ...]:
    """What the questions that stay together have in common."""
    return row.keys["topic_id"], row.sentence or row.keys.get("doc_id", "")


def _before(place: int, overlap: float) -> int:
    """How many of the first sentences all get: one, if they get any."""
    return ceil(round(place * overlap, 9))
