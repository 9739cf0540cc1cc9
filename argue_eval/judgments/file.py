"""The SQLite file of a store: its tables, how it is opened, and errors that name it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from argue_eval.errors import Finding, InputError, MissingResourceError, UsageError, shorten
from argue_eval.formats.jsonl import STORE

APPLICATION_ID = 0x41475545
VERSION = 1
_NO_VERSION = 1000
"""From here on, the number is damage."""
BUSY_SECONDS = 60.0
"""How long to wait while another process keeps the file locked."""

# Judgments are stored in the order in which they came; only the index of their keys is written at
# random places. That is several times as fast as a table ordered by key.
_SCHEMA = f"""
CREATE TABLE judges (judge_id INTEGER PRIMARY KEY, signature TEXT NOT NULL UNIQUE);
CREATE TABLE texts (
    text_id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, json TEXT NOT NULL
);
CREATE TABLE judgments (
    judgment_id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, kind TEXT NOT NULL,
    judge_id INTEGER NOT NULL REFERENCES judges, inputs TEXT NOT NULL, place TEXT NOT NULL,
    verdict TEXT NOT NULL, prob REAL, rationale TEXT NOT NULL, reply TEXT, time REAL NOT NULL
);
CREATE TABLE places (
    key BLOB NOT NULL, place TEXT NOT NULL, PRIMARY KEY (key, place)
) WITHOUT ROWID;
CREATE TABLE failures (
    failure_id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, kind TEXT NOT NULL,
    judge_id INTEGER NOT NULL REFERENCES judges, inputs TEXT NOT NULL, place TEXT NOT NULL,
    reason TEXT NOT NULL, attempts INTEGER NOT NULL, reply TEXT, time REAL NOT NULL
);
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
"""

COLUMNS = {
    "judgments": ("verdict", "prob", "rationale", "reply", "time"),
    "failures": ("reason", "attempts", "reply", "time"),
}
"""Those after the question's, in the order in which rows have them."""

_TABLES = {
    statement.split()[2]: " ".join(statement.split())
    for statement in _SCHEMA.split(";")
    if "CREATE TABLE" in statement
}
_FIND_USE = (
    "SELECT 1 FROM sqlite_master "
    "UNION ALL SELECT 1 FROM pragma_application_id WHERE application_id <> 0"
)
"""Has a row unless the file is new: it has a table, or belongs to some application."""

_RESOURCES = (
    "locked", "busy", "readonly", "unable to open", "disk I/O", "disk is full", "locking protocol",
)  # fmt: skip
"""What errors say that are no fault of the file's content."""

BEGIN = "BEGIN IMMEDIATE"
"""Begins to write. The connection, as a context, commits all that follows, or nothing."""

ERRORS = (sqlite3.Error, MemoryError, OverflowError, UnicodeDecodeError)
"""What SQLite raises. Damaged pages may ask for any amount of memory, and be cited in messages."""


def connect(
    path: str | Path, *, is_writer: bool, busy_seconds: float = BUSY_SECONDS
) -> sqlite3.Connection:
    """Open a store. A writer creates the file if it does not exist.

    Raises:
        InputError: the file is not a store, is damaged, or was written by a newer version.
        MissingResourceError: the file or its folder does not exist, or cannot be used.
        UsageError: the path cannot be a store.
    """
    _check_path(path, is_writer)
    with reporting_errors(path, busy_seconds):
        connection = _opened(Path(path), is_writer, busy_seconds)
        try:
            is_new = is_writer and connection.execute(_FIND_USE).fetchone() is None
            if is_new:
                with connection:  # what is not completed leaves nothing
                    connection.execute(BEGIN)
                    # Another process may just have made the tables.
                    is_new = connection.execute(_FIND_USE).fetchone() is None
                    for statement in _SCHEMA.split(";") if is_new else ():
                        connection.execute(statement)
            if not is_new:
                _check(connection, str(path))
            give_up = time.monotonic() + busy_seconds
            while is_writer:
                try:
                    connection.execute("PRAGMA journal_mode = WAL")
                    break
                except sqlite3.OperationalError as exc:
                    # For this, SQLite does not wait for its lock, as it does elsewhere.
                    if "locked" not in str(exc) or time.monotonic() > give_up:
                        raise
                    time.sleep(0.02)
            # A commit then survives if the process is killed; after a power failure the last
            # commits may be missing, but the file is intact.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -65536")
            connection.execute("PRAGMA wal_autocheckpoint = 8000")
        except BaseException:
            connection.close()
            raise
    return connection


def check(path: str | Path) -> None:
    """Check that a file can be used or created as a store. Changes nothing.

    Raises:
        InputError, MissingResourceError, UsageError: as `connect`.
    """
    _check_path(path, is_writer=True)
    if Path(path).exists() and Path(path).stat().st_size:
        try:
            connect(path, is_writer=False).close()
        except InputError as exc:
            if exc.findings[0].code != "empty_store":
                raise


@contextmanager
def reporting_errors(path: str | Path, busy_seconds: float = BUSY_SECONDS) -> Iterator[None]:
    """Turn errors of SQLite into ones that name the file and say what to do."""
    try:
        yield
    except ERRORS as exc:
        if is_damage(exc):
            raise damaged(path, shorten(str(exc))) from exc
        message = f"the store cannot be used: {exc}"
        if "locked" in str(exc) or "busy" in str(exc):
            wait = f"another process has kept it locked for {busy_seconds:.0f} s"
            message = f"{wait}; try again when that is done"
        elif "unable to open" in str(exc) and Path(path).is_file():
            message += "; where nothing may be written, copy it, or name it with --judgments"
        raise MissingResourceError(f"{path}: {message}") from exc


def is_damage(exc: Exception) -> bool:
    """Whether an error comes from the content of the file, and not from what is around it."""
    return not any(word in str(exc) for word in _RESOURCES)


def damaged(path: str | Path, reason: str) -> InputError:
    """The error for a store whose content is not as it was written."""
    message = f"the store is damaged: {reason}"
    return InputError(Finding("damaged_store", message, repair_hint(path), str(path)))


def repair_hint(path: str | Path) -> str:
    """What to do about a store that is damaged."""
    return f"argue-eval store verify {path} --repair NEW saves what is intact; or use a copy"


def _check_path(path: str | Path, is_writer: bool) -> None:
    target = Path(path)
    if str(path) in ("", "-"):
        raise UsageError(f"a store is a file; it can't be {str(path)!r}")
    if target.is_dir():
        raise UsageError(f"a store is a file, but {path} is a folder; name a file in it")
    try:
        if not target.exists():
            if not is_writer:
                raise MissingResourceError(f"{path}: no such file")
            if not target.parent.is_dir():
                raise MissingResourceError(f"{path}: there is no folder {target.parent}")
            return
        with target.open("rb") as stream:
            start, formats = stream.read(len(STORE)), stream.read(4)[2:]
    except OSError as exc:
        raise MissingResourceError(f"{path}: cannot be read: {exc.strerror}") from exc
    if not start and not is_writer:
        raise _empty(str(path))
    if start not in (STORE, b""):
        raise _not_a_store(str(path))
    if start and not set(formats) <= {1, 2}:
        raise damaged(path, "its header names a later format of SQLite")


def _empty(path: str) -> InputError:
    hint = "store something in it: argue-eval judge … --store, or score … --store; or delete it"
    return InputError(Finding("empty_store", "the file holds no store yet", hint, path))


def _not_a_store(path: str) -> InputError:
    message = "expected a judgment store, found something else"
    hint = (
        "name a store, or a file that does not exist yet; judgments in JSON lines are read with "
        "--judgments, and put into a store with argue-eval store import"
    )
    return InputError(Finding("not_a_store", message, hint, path))


def _opened(path: Path, is_writer: bool, busy_seconds: float) -> sqlite3.Connection:
    uri = path.absolute().as_uri()

    def connect_as(mode: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{uri}?{mode}", timeout=busy_seconds, isolation_level=None, check_same_thread=False,
            uri=True,
        )  # fmt: skip
        try:
            connection.execute("PRAGMA schema_version")
        except BaseException:
            connection.close()
            raise
        return connection

    if is_writer:
        return connect_as("mode=rwc")
    try:
        # Only who may write removes the files that SQLite needs beside the store meanwhile.
        connection = connect_as("mode=rw")
        connection.execute("PRAGMA query_only = ON")
        return connection
    except sqlite3.OperationalError:
        # In a read-only folder, SQLite cannot hold a reader's lock.
        if path.with_name(f"{path.name}-wal").exists():
            message = f"{path}: cannot be read here: copy it with {path.name}-wal to another folder"
            raise MissingResourceError(message) from None
        return connect_as("immutable=1")


def _check(connection: sqlite3.Connection, path: str) -> None:
    """Check that the tables are ours: in a view, say, a look-up may go on for ever."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    schema = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    tables = {name: " ".join(str(sql).split()) for kind, name, sql in schema if kind == "table"}
    are_ours = tables.items() >= _TABLES.items() and all(kind != "trigger" for kind, *_ in schema)
    if not schema and application in (0, APPLICATION_ID):
        raise _empty(path)
    if application != APPLICATION_ID and not are_ours:
        raise _not_a_store(path)
    if application != APPLICATION_ID or not VERSION <= version < _NO_VERSION:
        raise damaged(path, f"its header says application {application}, version {version}")
    if version > VERSION:
        message = f"the store has version {version}; this argue-eval knows up to {VERSION}"
        raise InputError(Finding("newer_store", message, "update argue-eval", path))
    if not are_ours:
        raise damaged(path, "its tables are not those of a store")


def insert(
    connection: sqlite3.Connection,
    table: str,
    rows: Sequence[Sequence[object]],
    start: str = "INSERT",
    end: str = "",
) -> int:
    """Insert judgments or failures, inside of a transaction; returns how many rows are new.

    Args:
        rows: with the judge's signature; a new judge is given a number.
        start: how the statement begins; `end`: what follows the values.
    """
    judges = dict.fromkeys((row[2],) for row in rows)
    connection.executemany("INSERT OR IGNORE INTO judges (signature) VALUES (?)", list(judges))
    others = COLUMNS[table]
    values = f"?, ?, (SELECT judge_id FROM judges WHERE signature = ?), ?, ?{', ?' * len(others)}"
    columns = ", ".join(("key, kind, judge_id, inputs, place", *others))
    inserted = connection.executemany(
        f"{start} INTO {table} ({columns}) VALUES ({values}) {end}", rows
    )
    return inserted.rowcount
