"""Reads score files: what trec_eval, ir_measures, Auto-ARGUE and argue-eval itself print.

The columns are identified by a header or, without one, by where the topic ``all`` stands. If a file
does not name its run, its own name is that of the run.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from argue_eval.errors import describe, shorten, some
from argue_eval.formats.checking import Check, json_items, text_lines
from argue_eval.formats.detection import called
from argue_eval.formats.jsonl import Source

REQUESTS, NUGGETS, DOCUMENTS = SCORED = (
    "scored.requests.jsonl", "scored.nuggets.json", "scored.documents.jsonl"
)  # fmt: skip
"""What the reports were about and what they cite."""

ALL = "all"
_NAMES = {
    "run": ("run_id", "run"),
    "topic": ("topic_id", "query_id", "request_id", "qid", "topic"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
}
_SCORE_KEYS = {"scores", *_NAMES["measure"], *_NAMES["value"]}
_COLUMNS: Mapping[int, Mapping[int | None, tuple[str, ...]]] = {
    2: {None: ("measure", "value")},
    3: {0: ("topic", "measure", "value"), None: ("measure", "topic", "value")},
    4: {
        0: ("topic", "run", "measure", "value"),
        1: ("run", "topic", "measure", "value"),
        2: ("run", "measure", "topic", "value"),
    },
}
"""The columns by their number and by where ``all`` stands; None for anywhere else."""

LEADERBOARD_COLUMNS = (
    *("", "_lower", "_upper", "_low", "_high"),
    *("_rank", "_rank_best", "_rank_worst"),
)
"""What a leaderboard has of each measure, by what is added to its name: the value, its bounds, the
ends of its interval, the rank, and the best and the worst rank.
"""
_ABOUT = (*_NAMES, "team_id", "team", "rank")
MAX_SCORE = 1e15
"""Beyond, squares and sums lose all digits, and no measure gets there."""
_EXPECTED = f"a number of at most {MAX_SCORE:g}"
_NOTHING = ("", "-", "na", "n/a", "none", "null")

_SUFFIX = re.compile(
    r"(\.gz|\.txt|\.tsv|\.csv|\.jsonl?|\.scores?|\.eval|\.ir_measures|\.auto_argue|\.trec_eval)+$"
)


class Score(NamedTuple):
    """One value of one run; the topic may be ``all``.

    Attributes:
        value: None where missing judgments leave it open.
        bounds: the least and the greatest value that missing judgments could lead to, where they
            differ; None where they do not, or the file does not say.
        parts: as in `MeasureValue`; empty where the file has none.
    """

    run_id: str
    topic_id: str
    measure: str
    value: float | None
    bounds: tuple[float, float] | None = None
    is_count: bool = False
    parts: tuple[float, ...] = ()


def read_scores(file: str | Source) -> list[Score]:
    """Reads scores, in file order; a value that occurs twice is returned twice.

    A value that is undefined is 0, one that nobody could compute None.

    Raises:
        InputError: the file has errors, or holds no scores.
        MissingResourceError: there is no such file.
    """
    check = Check(file if isinstance(file, Source) else Source(file))
    name = _name_of(check.source.name)
    found: list[Score] = []
    with check.finishing():
        _, first = next(check.source.lines())
        if first.lstrip()[:1] in (b"{", b"["):
            found = list(_from_json(check, name))
        else:
            found = list(_from_table(check, name))
        if not found and not check.errors:
            check.line = None
            hint = "check that this is the right file"
            check.error("no_scores", "there are no scores", hint=hint)
    return found


def _name_of(path: str) -> str:
    name = PurePath(path).name
    return _SUFFIX.sub("", name) or name


# --- JSON ---


def _from_json(check: Check, run_id: str) -> Iterator[Score]:
    """Reads JSON lines, or the runs with `scores` that ``--format json`` prints."""
    for number, value in enumerate(json_items(check)):
        if type(value) is not dict:
            check.wrong_type("an object", value, ())
            continue
        if isinstance(value.get("runs"), list):
            yield from _from_leaderboard(value["runs"], check)
            continue
        if number == 0 and not _SCORE_KEYS & value.keys():
            message = f"expected scores, found {called(value) or describe(value)}"
            hint = "name what argue-eval score printed, or a file or the folder of its -o"
            check.error("unknown_format", message, hint=hint)
            return
        rows = value.get("scores", [value])
        for place, row in enumerate(rows if type(rows) is list else [rows]):
            path = ("scores", place) if "scores" in value else ()
            if type(row) is not dict:
                check.wrong_type("an object", row, path)
                continue
            score = _from_object({"run_id": value.get("run_id", run_id), **row}, check, path)
            if score is not None:
                yield score


def _from_leaderboard(runs: Sequence[Any], check: Check) -> Iterator[Score]:
    """Reads what ``leaderboard --format json`` prints: runs with `measures`."""
    for number, run in enumerate(runs):
        measures = run.get("measures") if isinstance(run, dict) else None
        if not isinstance(measures, dict):
            check.wrong_type("an object with 'measures'", run, ("runs", number))
            continue
        for name, cell in measures.items():
            path = ("runs", number, "measures", name)
            if not isinstance(cell, dict):
                check.wrong_type("an object", cell, path)
                continue
            row = {"run_id": run.get("run_id"), "topic_id": ALL, "measure": name, **cell}
            score = _from_object(row, check, path)
            if score is not None:
                yield score


def _from_object(row: Mapping[str, Any], check: Check, path: tuple[str | int, ...]) -> Score | None:
    cells = []
    for names in _NAMES.values():  # plain loops, since there are millions of rows
        for name in names:
            if name in row:
                cells.append((row[name], (*path, name)))
                break
        else:
            check.error("missing_key", f"the key {names[0]!r} is missing", path, hint="add it")
            return None
    run_id, topic_id, measure = [check.identifier(*cell) for cell in cells[:3]]
    value, where = cells[3]
    if value is None and row.get("is_undefined") is True:
        value = 0.0  # as in a mean
    if value is not None and not (type(value) in (int, float) and abs(value) <= MAX_SCORE):
        check.wrong_type(_EXPECTED, value, where)
        return None
    ends: Any = row.get("lower"), row.get("upper")
    is_bounded = ends[0] != ends[1] and _are_numbers(ends)
    parts = row.get("parts", ())
    if parts != () and not (
        isinstance(parts, (list, tuple)) and len(parts) in (0, 2, 4) and _are_numbers(parts)
    ):
        check.wrong_type("two or four numbers", parts, (*path, "parts"))
        return None
    return Score(
        run_id,
        topic_id,
        measure,
        value=None if value is None else float(value),
        bounds=(float(ends[0]), float(ends[1])) if is_bounded else None,
        is_count=row.get("is_count") is True,
        parts=tuple(map(float, parts)),
    )


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(type(each) in (int, float) and abs(each) <= MAX_SCORE for each in values)


# --- columns ---

_Row = tuple[int, list[str]]


def _from_table(check: Check, run_id: str) -> Iterator[Score]:
    rows = list(_rows(check))
    if not rows:
        return
    header = _header(rows[0][1])
    if header is None:
        layout = _layout(rows, check)
        yield from _from_rows(rows, layout, check, run_id) if layout else ()
    elif "value" in header and "measure" not in header:
        message = f"expected a column 'measure', found only {some(header, 9)}"
        check.error("unknown_format", message, hint="name the column with the measures so")
    elif "value" in header:
        yield from _from_rows(rows[1:], header, check, run_id)
    else:
        yield from _from_wide(rows, header, check)


def _rows(check: Check) -> Iterator[_Row]:
    """Yields line number and cells of each line: split at tabs, commas or white space."""
    split: Callable[[str], list[str]] | None = None
    for line in text_lines(check):
        if split is None:
            split = _splitter(line)
        try:
            cells = split(line)
        except csv.Error as exc:
            message = f"not CSV: {shorten(str(exc))[1:-1]}"
            check.error("wrong_columns", message, hint="write the line as the others are")
            continue
        yield check.line or 0, [_text_of(cell.strip()) for cell in cells]


_FORMULAS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a formula of a spreadsheet starts with."""


def cell_of(text: str) -> str:
    """A text as it is written into a table: no line or column is broken, and no formula is made.

    >>> cell_of("a\\tb"), cell_of("=1+1"), cell_of("\\n@x"), cell_of("a=1")
    ('a b', "'=1+1", "' @x", 'a=1')
    """
    text = "".join(char if char.isprintable() else " " for char in text)
    return f"'{text}" if text.lstrip().startswith(_FORMULAS) else text


def _text_of(cell: str) -> str:
    is_guarded = cell.startswith("'") and cell[1:].lstrip().startswith(_FORMULAS)
    return cell[1:] if is_guarded else cell


def _splitter(line: str) -> Callable[[str], list[str]]:
    if "\t" in line:
        return lambda text: text.split("\t")
    if "," in line:
        return lambda text: next(csv.reader([text]))
    return str.split


def _header(cells: Sequence[str]) -> tuple[str, ...] | None:
    """What each column is, by its name; None if the first line is no header."""
    parts = {name: part for part, names in _NAMES.items() for name in names}
    found = tuple(parts.get(cell.lower(), cell) for cell in cells)
    is_known = "run" in found or {"measure", "value"} <= set(found)
    return found if is_known and all(_number(cell) is None for cell in cells) else None


def _layout(rows: Sequence[_Row], check: Check) -> tuple[str, ...] | None:
    """What each column is, by their number and by where the topic ``all`` stands."""
    number, cells = rows[0]
    layouts = _COLUMNS.get(len(cells))
    check.line = number
    if layouts is None:
        message = f"expected 2, 3 or 4 columns, or a header; found {len(cells)}"
        hint = "separate run_id, topic_id, measure and value by tabs, with these names on top"
        check.error("unknown_format", message, hint=hint)
        return None
    for place, layout in layouts.items():
        if place is None or any(place < len(row) and row[place] == ALL for _, row in rows):
            return layout
    message = "four columns without a header, and no topic 'all' to identify them"
    hint = "put the names of the columns on top: run_id, topic_id, measure, value"
    check.error("unknown_format", message, hint=hint)
    return None


def _from_rows(
    rows: Sequence[_Row], layout: Sequence[str], check: Check, run_id: str
) -> Iterator[Score]:
    """Reads rows with one value each.

    trec_eval names the run after its topics, in a line ``runid``: what is read before waits.
    """
    waiting: list[Score] = []
    is_named = False
    for number, cells in rows:
        check.line = number
        if len(cells) != len(layout):
            message = f"expected {len(layout)} columns ({some(layout, 9)}), found {len(cells)}"
            check.error("wrong_columns", message, hint="write the line as the others are")
            continue
        row = dict(zip(layout, cells, strict=True))
        topic_id = row.get("topic", ALL)
        if row["measure"] == "runid":
            run_id, is_named = row["value"], True
            yield from (score._replace(run_id=run_id) for score in waiting)
            waiting = []
            continue
        value = _value(row["value"], check)
        if value is None:
            continue
        score = Score(
            run_id=row.get("run", run_id), topic_id=topic_id, measure=row["measure"], value=value
        )
        if "run" in row or (is_named and topic_id == ALL):
            yield score
        else:
            waiting.append(score)
    yield from (score._replace(run_id=run_id) for score in waiting)


def _from_wide(rows: Sequence[_Row], header: Sequence[str], check: Check) -> Iterator[Score]:
    """Reads a leaderboard: a run a line, a measure a column.

    Bounds, intervals and ranks, in columns that are named after their measure, are no measures.
    """
    about = {f"{name}{end}" for name in header for end in LEADERBOARD_COLUMNS[1:]}
    whole = [cells for _, cells in rows[1:] if len(cells) == len(header)]
    measures = [
        name
        for place, name in enumerate(header)
        if name not in {*_ABOUT, *about} and any(_is_numeric(cells[place]) for cells in whole)
    ]
    for number, cells in rows[1:]:
        check.line = number
        if len(cells) != len(header):
            message = f"expected {len(header)} columns, found {len(cells)}"
            check.error("wrong_columns", message, hint="write the line as the others are")
            continue
        row = dict(zip(header, cells, strict=True))
        for name in measures:
            value = None if row[name].lower() in _NOTHING else _value(row[name], check)
            lower, upper = (_number(row.get(name + end, "")) for end in LEADERBOARD_COLUMNS[1:3])
            is_bounded = lower is not None and upper is not None and lower != upper
            if value is not None or is_bounded:
                run_id, topic_id = row.get("run", ""), row.get("topic", ALL)
                bounds = (lower or 0.0, upper or 0.0) if is_bounded else None
                yield Score(run_id, topic_id, measure=name, value=value, bounds=bounds)


def _is_numeric(cell: str) -> bool:
    return _number(cell) is not None or cell.lower() in ("nan", "inf", "-inf")


def _value(cell: str, check: Check) -> float | None:
    """The number in a cell; None if it is empty or wrong."""
    if not cell:
        return None
    value = _number(cell)
    if value is None:
        hint = "leave it out if there is no value; score --format tsv writes tables to be read"
        check.error("wrong_type", f"expected {_EXPECTED}, found {shorten(cell)}", hint=hint)
    return value


def _number(cell: str) -> float | None:
    """The number in a cell, which may be followed by its bounds; None if there is none.

    >>> _number("0.28 [0.27, 0.51]"), _number("nan"), _number("argue")
    (0.28, None, None)
    """
    text, _, bounds = cell.partition(" [")
    try:
        value = float(text if bounds.endswith("]") else cell)
    except ValueError:
        return None
    return value if abs(value) <= MAX_SCORE else None
