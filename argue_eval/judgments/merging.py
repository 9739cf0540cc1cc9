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
from argue_eval.judgments.rows import FailureRow, IntactRows, JudgmentRow

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
    adding = _Adding(target)
    for some in _batches(rows.judgments()):
        adding.judgments(some)
    for failures in _batches(rows.failures()):
        adding.failures(failures)
    target.executemany("INSERT OR IGNORE INTO texts (digest, json) VALUES (?, ?)", rows.texts())
    adding.places(rows.places())
    target.execute("DELETE FROM failures WHERE key IN (SELECT key FROM judgments)")
    return Merged(
        source,
        num_added=adding.num_added,
        num_known=adding.num_known,
        num_conflicts=adding.num_conflicts,
        conflicts=tuple(adding.conflicts),
    )


class _Adding:
    def __init__(self, target: sqlite3.Connection) -> None:
        self.num_added = self.num_known = self.num_conflicts = 0
        self.conflicts: list[tuple[str, str, str, str]] = []
        self._target = target

    def judgments(self, rows: Sequence[JudgmentRow]) -> None:
        marks = ", ".join("?" * len(rows))
        query = f"SELECT key, verdict FROM judgments WHERE key IN ({marks})"
        known = dict(self._target.execute(query, [row.key for row in rows]))
        new: dict[bytes, JudgmentRow] = {}
        for row in rows:
            kept = known.get(row.key)
            if kept is None:
                new.setdefault(row.key, row)
            elif kept == row.verdict:
                self.num_known += 1
            else:
                self.num_conflicts += 1
                if len(self.conflicts) < _MAX_CONFLICTS:
                    topic_id = json.loads(row.place)["topic_id"]
                    self.conflicts.append((row.kind, topic_id, kept, row.verdict))
        self.num_added += len(new)
        file.insert(self._target, "judgments", list(new.values()))
        self.places((row.key, row.place) for row in rows if row.key in known)

    def failures(self, rows: Sequence[FailureRow]) -> None:
        update = "ON CONFLICT (key) DO UPDATE SET attempts = max(attempts, excluded.attempts)"
        file.insert(self._target, "failures", rows, end=update)

    def places(self, places: Iterable[tuple[bytes, str]]) -> None:
        """Adds where else judgments come from. A judgment's own place is in its own row."""
        self._target.executemany(
            "INSERT OR IGNORE INTO places (key, place) SELECT key, ? FROM judgments "
            "WHERE key = ? AND place <> ?",
            ((place, key, place) for key, place in places),
        )


def _batches(rows: Iterator[_Item]) -> Iterator[list[_Item]]:
    while some := list(islice(rows, _AT_ONCE)):
        yield some
