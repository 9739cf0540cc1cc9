"""Judgments of one store into another: stores merged, a damaged store repaired."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from argue_eval.errors import Findings, UsageError
from argue_eval.formats.jsonl import is_same_file
from argue_eval.judgments import file
from argue_eval.judgments.rows import IntactRows, JudgmentRow

_AT_ONCE = 500
_MAX_CONFLICTS = 5
_Item = TypeVar("_Item")


class Merged(NamedTuple):
    """The result of adding one store to another.

    Attributes:
        num_known: judgments that the target already had, with the same verdict.
        num_conflicts: judgments that it had with another verdict, which is kept.
        conflicts: the first of them: kind, topic, verdict kept, verdict left out.
    """

    source: str
    num_added: int
    num_known: int
    num_conflicts: int
    conflicts: tuple[tuple[str, str, str, str], ...] = ()


def merge(target: str | Path, sources: Sequence[str]) -> Iterator[Merged]:
    """Add the judgments and failures of other stores to a store; yields the result of each.

    The target is created if it does not exist. What it holds is kept, and of several sources the
    first decides. Each source is added completely or not at all.

    Raises:
        InputError: a store is damaged, is no store, or was written by a newer version.
        MissingResourceError: there is no such file, or it cannot be used.
        UsageError: the target is one of the sources.
    """
    for source in sources:
        if is_same_file(source, target):
            raise UsageError(f"{source} is the store that is merged into; name other stores")
        file.connect(source, is_writer=False).close()
    with closing(file.connect(target, is_writer=True)) as connection:
        for source in sources:
            findings = Findings(source)
            reading = closing(file.connect(source, is_writer=False))
            with reading as other, file.reporting_errors(target), connection:
                connection.execute(file.BEGIN)
                with file.reporting_errors(source):
                    other.execute("BEGIN")
                    rows = IntactRows(other, findings, file.repair_hint(source))
                done = add(rows, connection, source)
                findings.raise_errors()
            yield done


def add(rows: IntactRows, target: sqlite3.Connection, source: str) -> Merged:
    """Add the intact rows of a store to another, inside of a transaction."""
    num_added = num_known = num_conflicts = 0
    conflicts: list[tuple[str, str, str, str]] = []
    for some in _batches(rows.judgments()):
        query = f"SELECT key, verdict FROM judgments WHERE key IN ({', '.join('?' * len(some))})"
        known = dict(target.execute(query, [row.key for row in some]))
        new: dict[bytes, JudgmentRow] = {}
        for row in some:
            kept = known.get(row.key)
            if kept is None:
                new.setdefault(row.key, row)
            elif kept == row.verdict:
                num_known += 1
            else:
                num_conflicts += 1
                if num_conflicts <= _MAX_CONFLICTS:
                    topic_id = json.loads(row.place)["topic_id"]
                    conflicts.append((row.kind, topic_id, kept, row.verdict))
        num_added += len(new)
        file.insert(target, "judgments", list(new.values()))
        _add_places(target, ((row.key, row.place) for row in some if row.key in known))
    for failures in _batches(rows.failures()):
        update = "ON CONFLICT (key) DO UPDATE SET attempts = max(attempts, excluded.attempts)"
        file.insert(target, "failures", failures, end=update)
    target.executemany("INSERT OR IGNORE INTO texts (digest, json) VALUES (?, ?)", rows.texts())
    _add_places(target, rows.places())
    target.execute("DELETE FROM failures WHERE key IN (SELECT key FROM judgments)")
    return Merged(
        source,
        num_added=num_added,
        num_known=num_known,
        num_conflicts=num_conflicts,
        conflicts=tuple(conflicts),
    )


def _add_places(target: sqlite3.Connection, places: Iterable[tuple[bytes, str]]) -> None:
    """Adds where else judgments come from. A judgment's own place is in its own row."""
    target.executemany(
        "INSERT OR IGNORE INTO places (key, place) SELECT key, ? FROM judgments "
        "WHERE key = ? AND place <> ?",
        ((place, key, place) for key, place in places),
    )


def _batches(rows: Iterator[_Item]) -> Iterator[list[_Item]]:
    while some := list(islice(rows, _AT_ONCE)):
        yield some
