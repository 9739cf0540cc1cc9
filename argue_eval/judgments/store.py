"""Judgments in a file, by the content that was judged: no judge is asked twice.

SQLite in WAL mode: several processes may read and write one file at the same time, and what is
committed survives if a process is killed. Nothing expires.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from argue_eval.judgments import file
from argue_eval.judgments.content import Content, content_of
from argue_eval.judgments.index import Stored
from argue_eval.judgments.rows import DamagedRowError, verdict_of
from argue_eval.records import Question, Reply

COMMIT_SECONDS = 0.5
"""A judgment is committed after this time at the latest."""

_COMMIT_SIZE = 2000
_KEYS_AT_ONCE = 500
_FIND = "key, verdict, prob, rationale, place FROM judgments"
_Row = tuple[Any, ...]
"""A judgment's key, verdict, probability, rationale and place."""


class JudgmentStore:
    """A store that is open for reading and writing. May be used by several threads.

    Args:
        busy_seconds: how long to wait while another process keeps the file locked.

    Raises:
        InputError: the file is not a store, is damaged, or was written by a newer version.
        MissingResourceError: the file cannot be used.
        UsageError: the path cannot be a store.
    """

    def __init__(self, path: str | Path, *, busy_seconds: float = file.BUSY_SECONDS) -> None:
        self.path = str(path)
        self._busy_seconds = busy_seconds
        self._connection = file.connect(path, is_writer=True, busy_seconds=busy_seconds)
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None
        self._failed: Exception | None = None
        self._texts: set[str] = set()
        self._judgments: list[tuple[Content, Reply, float]] = []
        self._failures: list[tuple[Content, Reply, float]] = []
        self._places: dict[tuple[bytes, str], None] = {}
        self._waiting: dict[bytes, _Row] = {}

    def find(
        self, questions: Sequence[Question], judge: str, *, notes_places: bool = True
    ) -> list[Stored | None]:
        """The stored answer to each question; None if there is none, or only a failure.

        Args:
            judge: the signature of the judge that is asked.
            notes_places: store where else the question comes from. If false, nothing is changed.
        """
        contents = [content_of(question, judge) for question in questions]
        with self._lock, file.reporting_errors(self.path, self._busy_seconds):
            keys = [each.key for each in contents if each.key not in self._waiting]
            stored = {row[0]: row for row in _rows(self._connection, _FIND, keys)}
            answers: list[Stored | None] = []
            others: list[Content] = []
            for content in contents:
                row = self._waiting.get(content.key) or stored.get(content.key)
                if row is None:
                    answers.append(None)
                    continue
                _, verdict, prob, rationale, place = row
                try:
                    found = verdict_of(content.kind, verdict, prob, rationale)
                except DamagedRowError as exc:
                    raise file.damaged(self.path, str(exc)) from exc
                answers.append(Stored(found, judge, prob, rationale))
                if place != content.place:
                    others.append(content)
            if others and notes_places:
                self._note_places(others)
        return answers

    def add(self, question: Question, judge: str, reply: Reply) -> None:
        """Add a judge's reply. It is committed within a second, or by `flush`.

        A judgment that is already in the store is kept. The attempts of failures are counted; a
        failure is removed as soon as there is a judgment.
        """
        now = round(time.time(), 3)
        content = content_of(question, judge)
        with self._lock:
            if not f"{reply.raw}{reply.rationale}{reply.reason}".isascii():
                reply = _storable(reply)
            if reply.verdict is None:
                self._failures.append((content, reply, now))
            else:
                self._judgments.append((content, reply, now))
                row = (content.key, reply.verdict.value, reply.prob, reply.rationale, content.place)
                self._waiting.setdefault(content.key, row)
            self._commit_soon()

    def _commit_soon(self) -> None:
        if self._failed or len(self._judgments) + len(self._failures) >= _COMMIT_SIZE:
            self.flush()
        elif self._timer is None:
            self._timer = threading.Timer(COMMIT_SECONDS, self._flush_in_time)
            self._timer.daemon = True
            self._timer.start()

    def flush(self) -> None:
        """Commit what was added, in one transaction. If that fails, it goes on waiting."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._failed is not None:
                failed, self._failed = self._failed, None
                raise failed
            if not (self._judgments or self._failures or self._places):
                return
            texts: dict[str, str] = {}
            for content, *_ in (*self._judgments, *self._failures):
                texts.update(text for text in content.texts if text.digest not in self._texts)
                for place in reversed(range(content.num_before)):
                    link = content.chain[place]
                    if link.digest in self._texts or link.digest in texts:
                        break  # and so are those before it
                    texts[link.digest] = link.json
            errors = file.reporting_errors(self.path, self._busy_seconds)
            with errors, file.transaction(self._connection) as connection:
                connection.executemany(
                    "INSERT OR IGNORE INTO texts (digest, json) VALUES (?, ?)", texts.items()
                )
                if self._judgments:
                    self._write_judgments(connection)
                if self._failures:
                    self._write_failures(connection)
                connection.executemany(
                    "INSERT OR IGNORE INTO places (key, place) VALUES (?, ?)", list(self._places)
                )
            self._texts.update(texts)
            self._judgments, self._failures, self._places, self._waiting = [], [], {}, {}

    def close(self) -> None:
        """Commit what was added, and close the file."""
        with self._lock:
            try:
                self.flush()
            finally:
                self._connection.close()

    def _flush_in_time(self) -> None:
        try:
            with self._lock:
                self.flush()
        except Exception as exc:
            self._failed = exc  # raised to whoever adds next

    def _note_places(self, contents: Sequence[Content]) -> None:
        """Store the places of questions that were answered already, at another place."""
        others = dict.fromkeys((content.key, content.place) for content in contents)
        keys = list({key for key, _ in others})
        for row in _rows(self._connection, "key, place FROM places", keys):
            others.pop((row[0], row[1]), None)
        if others:
            self._places.update(others)
            self._commit_soon()

    def _write_judgments(self, connection: sqlite3.Connection) -> None:
        rows = [
            (
                *content[:5],
                str(reply.verdict and reply.verdict.value),
                reply.prob,
                reply.rationale,
                reply.raw,
                now,
            )
            for content, reply, now in self._judgments
        ]
        if file.insert(connection, "judgments", rows, "INSERT OR IGNORE") < len(rows):
            # Some were there already, perhaps from another place.
            connection.executemany(
                "INSERT OR IGNORE INTO places (key, place) SELECT ?, ? WHERE NOT EXISTS "
                "(SELECT 1 FROM judgments WHERE key = ? AND place = ?)",
                [(content.key, content.place) * 2 for content, *_ in self._judgments],
            )
        if connection.execute("SELECT 1 FROM failures LIMIT 1").fetchone():
            keys = [(row[0],) for row in rows]
            connection.executemany("DELETE FROM failures WHERE key = ?", keys)

    def _write_failures(self, connection: sqlite3.Connection) -> None:
        rows = [
            (*content[:5], reply.reason, reply.num_attempts, reply.raw, now)
            for content, reply, now in self._failures
        ]
        update = (
            "ON CONFLICT (key) DO UPDATE SET reason = excluded.reason, "
            "attempts = attempts + excluded.attempts, reply = excluded.reply, time = excluded.time"
        )
        file.insert(connection, "failures", rows, end=update)
        connection.executemany(
            "DELETE FROM failures WHERE key = ? AND key IN (SELECT key FROM judgments)",
            [(content.key,) for content, *_ in self._failures],
        )


def opened(path: str | Path) -> closing[JudgmentStore]:
    """Open a store; commit and close it at the end."""
    return closing(JudgmentStore(path))


def _storable(reply: Reply) -> Reply:
    """Replace what is not a character, which models may reply, by the character for it."""
    raw, rationale, reason = [
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        for text in (reply.raw or "", reply.rationale, reply.reason)
    ]
    raw_found = None if reply.raw is None else raw
    return reply._replace(raw=raw_found, rationale=rationale, reason=reason)


def _rows(connection: sqlite3.Connection, what: str, keys: Sequence[bytes]) -> Iterable[_Row]:
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        some = keys[start : start + _KEYS_AT_ONCE]
        marks = ", ".join("?" * len(some))
        yield from connection.execute(f"SELECT {what} WHERE key IN ({marks})", some)
