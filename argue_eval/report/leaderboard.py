"""A leaderboard in every format: tables for people, columns of numbers for machines.

For people, the greatest value of a measure is marked, and so are all that equal it. Where missing
judgments leave values open, their bounds stand there, and nothing is marked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

from argue_eval.analysis.leaderboard import Entry, Leaderboard, TopicSpread
from argue_eval.errors import UsageError, plain
from argue_eval.formats.jsonl import atomic_writer, encode
from argue_eval.report import table_text
from argue_eval.report.table_text import Marked, Row

_NAMES = ("", "_lower", "_upper", "_low", "_high", "_rank", "_rank_best", "_rank_worst")


def as_text(board: Leaderboard) -> Iterator[str]:
    """Yield an aligned table; ``*`` marks the best."""
    head, rows = _for_people(board)
    has_best = [False, *(bool(board.best(name)) for name in board.measures)]
    shown = [
        [
            cell + ("*" if isinstance(cell, Marked) else " ") * is_marked
            for cell, is_marked in zip(row, has_best, strict=True)
        ]
        for row in rows
    ]
    yield from table_text.aligned(head, shown)
    yield f"\nsorted by {board.sort_key}; * is the best\n"
    yield from (f"note: {plain(note)}\n" for note in board.notes)


def as_markdown(board: Leaderboard) -> Iterator[str]:
    """Yield a table; the best are bold."""
    yield from table_text.markdown(*_for_people(board))
    yield f"\nSorted by {table_text.escape(board.sort_key)}.\n"
    yield from (f"\n`{table_text.spaced(each)}`\n" for each in board.signatures)


def as_latex(board: Leaderboard) -> Iterator[str]:
    """Yield a table for booktabs; the best are bold."""
    yield from (f"% {table_text.spaced(each)}\n" for each in board.signatures)
    yield from table_text.latex(*_for_people(board))


def as_html(board: Leaderboard) -> Iterator[str]:
    """Yield a table; the best are strong."""
    yield from table_text.html(*_for_people(board))


def as_tsv(board: Leaderboard) -> Iterator[str]:
    """Yield a column for each number, separated by tabs."""
    return table_text.separated(*_for_machines(board), "\t")


def as_csv(board: Leaderboard) -> Iterator[str]:
    """Yield a column for each number, separated by commas."""
    return table_text.separated(*_for_machines(board), ",")


def as_json(board: Leaderboard) -> Iterator[str]:
    """Yield one JSON document."""
    document = {
        "format": "argue-eval/leaderboard/1",
        "sort_key": board.sort_key,
        "signatures": list(board.signatures),
        "notes": list(board.notes),
        "runs": [
            {
                "run_id": run_id,
                "measures": {
                    name: dict(zip(_KEYS, _numbers(entry), strict=True))
                    for name, entry in board.entries[run_id].items()
                },
            }
            for run_id in board.run_ids
        ],
    }
    yield json.dumps(document, indent=1, allow_nan=False) + "\n"


_KEYS = ("value", "lower", "upper", "low", "high", "rank", "rank_best", "rank_worst")

FORMATS: dict[str, Callable[[Leaderboard], Iterator[str]]] = {
    "text": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "html": as_html,
    "tsv": as_tsv,
    "csv": as_csv,
    "json": as_json,
}


def _for_people(board: Leaderboard) -> tuple[Row, list[Row]]:
    best = {name: board.best(name) for name in board.measures}
    rows: list[Row] = []
    for run_id in board.run_ids:
        row = [run_id]
        for name in board.measures:
            entry = board.entries[run_id].get(name)
            shown = "-" if entry is None else _shown(entry)
            row.append(Marked(shown) if run_id in best[name] else shown)
        rows.append(row)
    return ["run", *board.measures], rows


def _shown(entry: Entry) -> str:
    row = entry.average
    if row.value is None and row.is_bounded:
        return f"{row.lower:.4f}-{row.upper:.4f}"
    return f"{row.value or 0.0:.4f}"


def _for_machines(board: Leaderboard) -> tuple[Row, list[Row]]:
    head = ["run_id", *(f"{name}{end}" for name in board.measures for end in _NAMES)]
    rows: list[Row] = []
    for run_id in board.run_ids:
        row = [run_id]
        for name in board.measures:
            entry = board.entries[run_id].get(name)
            numbers = [None] * len(_NAMES) if entry is None else _numbers(entry)
            row += ["" if each is None else repr(each) for each in numbers]
        rows.append(row)
    return head, rows


def _numbers(entry: Entry) -> list[Any]:
    """List value, bounds, interval, rank, best and worst rank; None for what there is not."""
    row = entry.average
    value = 0.0 if row.is_undefined else row.value
    interval, ranks = entry.interval or (None, None), entry.ranks or (None, None)
    return [value, row.lower, row.upper, *interval, entry.rank, *ranks]


# --- topics ---------------------------------------------------------------------------------------


def _topics(spreads: Sequence[TopicSpread], run_id: str | None) -> tuple[Row, list[Row]]:
    own = [] if run_id is None else [run_id]
    rows: list[Row] = []
    for each in spreads:
        values = [each.best, each.median, each.worst]
        shown = [] if run_id is None else ["-" if each.own is None else f"{each.own:.4f}"]
        shown += [f"{value:.4f}" for value in values]
        rows.append([each.topic_id, each.measure, *shown, str(each.num_runs)])
    return ["topic", "measure", *own, "best", "median", "worst", "runs"], rows


def _topics_as_json(spreads: Sequence[TopicSpread], run_id: str | None) -> Iterator[str]:
    topics = [each._asdict() for each in spreads]
    document = {"format": "argue-eval/topics/1", "run_id": run_id, "topics": topics}
    yield json.dumps(document, indent=1, allow_nan=False) + "\n"


def _as_table(
    write: Callable[[Row, list[Row]], Iterator[str]],
) -> Callable[[Sequence[TopicSpread], str | None], Iterator[str]]:
    return lambda spreads, run_id: write(*_topics(spreads, run_id))


TOPIC_FORMATS: dict[str, Callable[[Sequence[TopicSpread], str | None], Iterator[str]]] = {
    "text": _as_table(table_text.aligned),
    "markdown": _as_table(table_text.markdown),
    "latex": _as_table(table_text.latex),
    "html": _as_table(table_text.html),
    "tsv": _as_table(partial(table_text.separated, separator="\t")),
    "csv": _as_table(partial(table_text.separated, separator=",")),
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
    for line in Path(key_file).read_text("utf-8").splitlines():
        code, _, run_id = line.partition("\t")
        try:
            found[str(json.loads(run_id))] = code
        except ValueError:
            message = f"{key_file} has no names of runs; name another file with -o"
            raise UsageError(message) from None
    return found
