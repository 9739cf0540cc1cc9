"""A leaderboard in every format: tables for people, columns of numbers for machines.

For people, the greatest value of a measure is marked, and so are all that equal it. Where missing
judgments leave values open, their bounds stand there, and nothing is marked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_eval.errors import UsageError, count, plain
from argue_eval.formats.jsonl import atomic_writer, encode
from argue_eval.formats.scores import LEADERBOARD_COLUMNS
from argue_eval.records import MeasureValue, ScoreTable
from argue_eval.report import table_text
from argue_eval.report.comparison import in_words
from argue_eval.report.table_text import Marked, Row
from argue_eval.report.tables import load, number

if TYPE_CHECKING:
    from argue_eval.analysis.leaderboard import Entry, Leaderboard, TopicSpread


def as_text(board: Leaderboard, width: int | None = None) -> Iterator[str]:
    """Yield an aligned table; ``*`` marks the best.

    Args:
        width: measures that do not fit into so many columns are left out, but for the first.
    """
    head, rows = _for_people(board)
    has_best = [False, False, *(bool(board.best(name)) for name in board.measures)]
    shown = [
        [
            cell + ("*" if isinstance(cell, Marked) else " ") * is_marked
            for cell, is_marked in zip(row, has_best, strict=True)
        ]
        for row in rows
    ]
    num_shown = len(head) if width is None else _fitting([head, *shown], width)
    yield from table_text.aligned(head[:num_shown], [row[:num_shown] for row in shown])
    yield "\n"
    yield from (f"{plain(line)}\n" for line in _legend(board))
    yield from (f"note: {plain(note)}\n" for note in board.notes)
    if num_shown < len(head):
        left_out = count(len(head) - num_shown, "measure")
        yield f"{left_out} left out, for which there is no room: name measures with -m\n"


def _fitting(rows: Sequence[Row], width: int) -> int:
    """Count the columns that fit, which are at least the run, its rank and a measure."""
    widths = [max(len(plain(cell)) for cell in cells) for cells in zip(*rows, strict=True)]
    ends = accumulate(size + 2 for size in widths)
    return min(max(3, sum(end - 2 <= width for end in ends)), len(widths))


def _legend(board: Leaderboard) -> Iterator[str]:
    entries = [entry for each in board.entries.values() for entry in each.values()]
    has_best = any(board.best(name) for name in board.measures)
    if board.sort_key:
        yield f"sorted by {board.sort_key}{'; * is the best' * has_best}"
    if board.options is not None and any(entry.interval for entry in entries):
        interval, tests = in_words(board.options)
        yield f"value [low, high]: {interval}"
        yield f"rank [best, worst]: those that the tests allow: {tests}"
    if any(entry.average.is_bounded for entry in entries):
        yield "low-high: bounds, since judgments are missing"


def as_markdown(board: Leaderboard) -> Iterator[str]:
    """Yield a table; the best are bold."""
    yield from table_text.markdown(*_for_people(board))
    yield from (f"\n{table_text.escape(line)}\n" for line in _about(board))
    yield from (f"\n`{table_text.spaced(each)}`\n" for each in board.signatures)


def _about(board: Leaderboard) -> Iterator[str]:
    """Yield what is below a table in which the best are bold."""
    yield from (line.replace("; * is the best", "") for line in _legend(board))
    yield from (f"note: {note}" for note in board.notes)


def as_latex(board: Leaderboard) -> Iterator[str]:
    """Yield a table for booktabs; the best are bold."""
    for line in (*board.signatures, *_about(board)):
        yield f"% {table_text.spaced(line)}\n"
    yield from table_text.latex(*_for_people(board))


def as_html(board: Leaderboard) -> Iterator[str]:
    """Yield a table, and what it is sorted by; the best are strong."""
    yield from table_text.html(*_for_people(board))
    yield from (f"<p>{escape(table_text.spaced(line))}</p>\n" for line in _about(board))


def as_tsv(board: Leaderboard) -> Iterator[str]:
    """Yield a column for each number, separated by tabs."""
    return table_text.separated(*_for_machines(board), "\t")


def as_csv(board: Leaderboard) -> Iterator[str]:
    """Yield a column for each number, separated by commas."""
    return table_text.separated(*_for_machines(board), ",")


_OPTIONS = ("test", "correction", "interval", "num_resamples", "seed", "level", "population")


def as_json(board: Leaderboard) -> Iterator[str]:
    """Yield one JSON document."""
    runs: dict[str, dict[str, Any]] = {}
    for row in board.rows():
        of_run = {name: row.pop(name) for name in ("run_id", "team_id")} | {"measures": {}}
        measures = runs.setdefault(of_run["run_id"], of_run)["measures"]
        measures[row.pop("measure")] = row
    value = {
        "format": "argue-eval/leaderboard/1",
        "sort_key": board.sort_key,
        "options": {name: getattr(board.options, name) for name in _OPTIONS if board.options},
        "signatures": list(board.signatures),
        "notes": list(board.notes),
        "runs": list(runs.values()),
    }
    yield table_text.document(value)


def _for_autojudge(board: Leaderboard, view: str) -> Iterator[str]:
    """Yield the values of each run, by topic and averaged, in a view of score tables; none for what
    is open.
    """
    from argue_eval.analysis.systems import topic_measure

    systems = {each.run_id: each for each in board.systems}
    for run_id in board.run_ids:
        averages = [entry.average for entry in board.entries[run_id].values()]
        rows: dict[tuple[str, str], MeasureValue] = {}
        for row in averages:
            measure = topic_measure(board.systems, row.measure)
            for topic_id, value in systems[run_id].values(measure).items():
                rows[measure, topic_id] = MeasureValue(
                    measure, topic_id, value, value, value, is_count=row.is_count
                )
        table = ScoreTable(run_id, "", "", (*rows.values(), *averages))
        yield from load(view).render(table, per_topic=True)


FORMATS: dict[str, Callable[[Leaderboard], Iterator[str]]] = {
    "text": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "html": as_html,
    "tsv": as_tsv,
    "csv": as_csv,
    "json": as_json,
    "tot": partial(_for_autojudge, view="tot"),
    "ir_measures": partial(_for_autojudge, view="autojudge_ir_measures"),
    "jsonl": partial(_for_autojudge, view="jsonl"),
}
OF_AUTOJUDGE = ("tot", "ir_measures", "jsonl")
"""The formats that have values alone, by topic too."""
TABLES = {name: render for name, render in FORMATS.items() if name not in OF_AUTOJUDGE}
"""The formats that are a table, with a row for each run."""
FOR_MACHINES = ("tsv", "csv", "json")
"""The formats that have every number in a place of its own."""

WITH_SIGNATURES = ("markdown", "latex", "json")


def _for_people(board: Leaderboard) -> tuple[Row, list[Row]]:
    best = {name: board.best(name) for name in board.measures}
    rows: list[Row] = []
    for run_id in board.run_ids:
        entries = board.entries[run_id]
        row = [run_id, _rank(entries.get(board.measures[0]) if board.measures else None)]
        for name in board.measures:
            shown = _shown(entries.get(name))
            row.append(Marked(shown) if run_id in best[name] else shown)
        rows.append(row)
    return ["run", "rank", *board.measures], rows


def _rank(entry: Entry | None) -> str:
    """Write a rank, with those that the tests allow, or those alone that the bounds allow."""
    if entry is None:
        return "-"
    low, high = entry.ranks or (entry.rank, entry.rank)
    if entry.rank is None:
        return str(low) if low == high else f"{low}-{high}"
    return str(entry.rank) if low == high else f"{entry.rank} [{low}, {high}]"


def _shown(entry: Entry | None) -> str:
    """Write a value with its interval, or with its bounds, or the bounds alone."""
    if entry is None:
        return "-"
    row = entry.average
    value = "" if row.value is None and row.is_bounded else number(row, row.value or 0.0)
    if row.is_bounded:
        bounds = f"{number(row, row.lower)}-{number(row, row.upper)}"
        return f"{value} ({bounds})" if value else bounds
    if entry.interval is None:
        return value
    low, high = (number(row, end) for end in entry.interval)
    return f"{value} [{low}, {high}]"


def _for_machines(board: Leaderboard) -> tuple[Row, list[list[str | float | None]]]:
    columns = [f"{name}{end}" for name in board.measures for end in LEADERBOARD_COLUMNS]
    teams = {each.run_id: each.team_id for each in board.systems}
    rows = []
    for run_id in board.run_ids:
        row: list[str | float | None] = [run_id, teams[run_id]]
        for name in board.measures:
            entry = board.entries[run_id].get(name)
            row += [None] * len(LEADERBOARD_COLUMNS) if entry is None else entry.numbers()
        rows.append(row)
    return ["run_id", "team_id", *columns], rows


# --- topics ---------------------------------------------------------------------------------------


def _topics(spreads: Sequence[TopicSpread], run_id: str | None) -> tuple[Row, list[Row]]:
    own = [] if run_id is None else [run_id]
    rows: list[Row] = []
    for each in spreads:
        values = [each.best, each.median, each.worst]
        values = values if run_id is None else [each.own, *values]
        shown = ["-" if value is None else f"{value:.4f}" for value in values]
        rows.append([each.topic_id, each.measure, *shown, str(each.num_runs)])
    return ["topic", "measure", *own, "best", "median", "worst", "runs"], rows


def _topics_as_json(spreads: Sequence[TopicSpread], run_id: str | None) -> Iterator[str]:
    topics = [each._asdict() for each in spreads]
    value = {"format": "argue-eval/topics/1", "run_id": run_id, "topics": topics}
    yield table_text.document(value)


def _as_table(spreads: Sequence[TopicSpread], run_id: str | None, name: str) -> Iterator[str]:
    return table_text.WRITERS[name](*_topics(spreads, run_id))


TOPIC_FORMATS: dict[str, Callable[[Sequence[TopicSpread], str | None], Iterator[str]]] = {
    **{name: partial(_as_table, name=name) for name in table_text.WRITERS},
    "json": _topics_as_json,
}


# --- names ----------------------------------------------------------------------------------------


def codes(run_ids: Sequence[str], key_file: str) -> dict[str, str]:
    """Codes in place of names, which say nothing about the runs or their order.

    They stand in a file, one ``code<TAB>run id`` on a line. What is there is used again.

    Raises:
        UsageError: the file is none of ours.
        MissingResourceError: it cannot be read or written.
    """
    from secrets import token_hex  # slow to load

    found = _known_codes(key_file)
    taken = set(found.values())
    for run_id in run_ids:
        while run_id not in found:
            code = f"run-{token_hex(3)}"
            if code not in taken:
                found[run_id] = code
                taken.add(code)
    with atomic_writer(key_file) as stream:
        stream.writelines(f"{code}\t{encode(run_id)}\n" for run_id, code in found.items())
    return found


def _known_codes(key_file: str) -> dict[str, str]:
    if not Path(key_file).exists():
        return {}
    found = {}
    try:
        with Path(key_file).open(encoding="utf-8", newline="\n") as stream:
            for line in stream:
                code, _, run_id = line.partition("\t")
                found[str(json.loads(run_id))] = code
    except ValueError:
        message = f"{key_file} has no names of runs; name another file with -o"
        raise UsageError(message) from None
    return found
