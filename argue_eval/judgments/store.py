"""Judgments in a file, by the content that was judged: no judge is asked twice.

SQLite in WAL mode: several processes may read and write one file at the same time, and what is
committed survives if a process is killed. Nothing expires.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Sequence
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
_FIND = "SELECT key, place, verdict, prob, rationale FROM judgments WHERE key IN"
_FIND_PLACE = "SELECT 1 FROM places WHERE key = ? AND place = ?"
_Row = tuple[Any, ...]


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
        self._known_texts: set[str] = set()
        # What is not committed yet, as rows.
        self._judgments: dict[bytes, _Row] = {}
        self._failures: list[_Row] = []
        self._texts: dict[str, str] = {}
        self._places: dict[tuple[bytes, str], None] = {}

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
            waiting = self._judgments
            keys = [each.key for each in contents if each.key not in waiting]
            stored: dict[bytes, _Row] = {}
            for start in range(0, len(keys), _KEYS_AT_ONCE):
                some = keys[start : start + _KEYS_AT_ONCE]
                rows = self._connection.execute(f"{_FIND} ({', '.join('?' * len(some))})", some)
                stored.update((row[0], row[1:]) for row in rows)
            answers: list[Stored | None] = []
            others: list[Content] = []
            for content in contents:
                key = content.key
                row = waiting[key][4:8] if key in waiting else stored.get(key)
                if row is None:
                    answers.append(None)
                    continue
                place, verdict, prob, rationale = row
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
            question_row, raw = content[:5], reply.raw
            if reply.verdict is None:
                row: _Row = (*question_row, reply.reason, reply.num_attempts, raw, now)
                self._failures.append(row)
            else:
                verdict = reply.verdict.value
                row = (*question_row, verdict, reply.prob, reply.rationale, raw, now)
                if self._judgments.setdefault(content.key, row)[4] != content.place:
                    self._places[content.key, content.place] = None
            self._texts.update(
                text for text in content.texts if text.digest not in self._known_texts
            )
            for place in reversed(range(content.num_before)):
                link = content.chain[place]
                if link.digest in self._known_texts or link.digest in self._texts:
                    break  # and so are those before it
                self._texts[link.digest] = link.json
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
            errors = file.reporting_errors(self.path, self._busy_seconds)
            with errors, self._connection as connection:
                connection.execute(file.BEGIN)
                connection.executemany(
                    "INSERT OR IGNORE INTO texts (digest, json) VALUES (?, ?)", self._texts.items()
                )
                rows = list(self._judgments.values())
                if file.insert(connection, "judgments", rows, "INSERT OR IGNORE") < len(rows):
                    # Some were there already, perhaps from another place.
                    self._places.update(((row[0], row[4]), None) for row in rows)
                if rows and connection.execute("SELECT 1 FROM failures LIMIT 1").fetchone():
                    keys = [row[:1] for row in rows]
                    connection.executemany("DELETE FROM failures WHERE key = ?", keys)
                if self._failures:
                    self._write_failures(connection)
                connection.executemany(
                    "INSERT OR IGNORE INTO places (key, place) SELECT ?, ? WHERE NOT EXISTS "
                    "(SELECT 1 FROM judgments WHERE key = ? AND place = ?)",
                    [each * 2 for each in self._places],
                )
            self._known_texts.update(self._texts)
            self._judgments, self._failures, self._texts, self._places = {}, [], {}, {}

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
        find = self._connection.execute
        new = [each for each in others if find(_FIND_PLACE, each).fetchone() is None]
        if new:
            self._places.update(dict.fromkeys(new))
            self._commit_soon()

    def _write_failures(self, connection: sqlite3.Connection) -> None:
        update = (
            "ON CONFLICT (key) DO UPDATE SET reason = excluded.reason, "
            "attempts = attempts + excluded.attempts, reply = excluded.reply, time = excluded.time"
        )
        file.insert(connection, "failures", self._failures, end=update)
        connection.executemany(
            "DELETE FROM failures WHERE key = ? AND key IN (SELECT key FROM judgments)",
            [row[:1] for row in self._failures],
        )


def opened(path: str | Path) -> closing[JudgmentStore]:
    """Open a store; commit and close it at the end."""
    return closing(JudgmentStore(path))


def _storable(reply: Reply) -> Reply:
    """Replace what is not a character, which models may reply, by the character for it."""
    texts = {name: getattr(reply, name) for name in ("raw", "rationale", "reason")}
    whole = {
        name: text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        for name, text in texts.items()
        if text
    }
    return reply._replace(**whole)
