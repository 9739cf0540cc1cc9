"""The SQLite file of a store: its tables, how it is opened, and errors that name it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from argue_eval.errors import Finding, InputError, MissingResourceError, UsageError

APPLICATION_ID = 0x41475545
VERSION = 1
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

_MAGIC = b"SQLite format 3\x00"
_DAMAGE_HINT = (
    "take a copy that is whole; or keep what can be read: sqlite3 FILE .recover | sqlite3 NEW, "
    "then argue-eval store verify NEW"
)
_DAMAGED = ("malformed", "corrupt", "not a database", "no such table", "no such column")


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
            _check(connection, str(path), is_writer, busy_seconds)
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
        connect(path, is_writer=False).close()


def is_store(path: str | Path) -> bool:
    """Whether a file is a database, as ``score --store`` writes it."""
    try:
        if not Path(path).is_file():
            return False  # a pipe, say, of which nothing can be read twice
        with Path(path).open("rb") as stream:
            return stream.read(len(_MAGIC)) == _MAGIC
    except (OSError, ValueError):
        return False


@contextmanager
def reporting_errors(path: str | Path, busy_seconds: float = BUSY_SECONDS) -> Iterator[None]:
    """Turn errors of SQLite into ones that name the file and say what to do."""
    try:
        yield
    except sqlite3.Error as exc:
        raise _error(str(path), str(exc), busy_seconds) from exc


def damaged(path: str | Path, reason: str) -> InputError:
    """The error for a store whose content is not as it was written."""
    message = f"the store is damaged: {reason}"
    return InputError(Finding("damaged_store", message, _DAMAGE_HINT, str(path)))


def _error(path: str, reason: str, busy_seconds: float) -> InputError | MissingResourceError:
    if any(word in reason for word in _DAMAGED):
        return damaged(path, reason)
    if "locked" in reason or "busy" in reason:
        wait = f"another process has kept it locked for {busy_seconds:.0f} s"
        return MissingResourceError(f"{path}: {wait}; try again when that is done")
    return MissingResourceError(f"{path}: the store cannot be used: {reason}")


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
            start = stream.read(len(_MAGIC))
    except OSError as exc:
        raise MissingResourceError(f"{path}: cannot be read: {exc.strerror}") from exc
    if start != _MAGIC and (start or not is_writer):
        raise _not_a_store(str(path))


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
        return connect_as("mode=ro")
    except sqlite3.OperationalError:
        # In a read-only folder, SQLite cannot hold a reader's lock.
        if path.with_name(f"{path.name}-wal").exists():
            raise
        return connect_as("immutable=1")


def _check(connection: sqlite3.Connection, path: str, is_writer: bool, busy_seconds: float) -> None:
    application, version = _identity(connection)
    if application == 0 and is_writer and not _has_tables(connection):
        _make(connection, busy_seconds)
        application, version = _identity(connection)
    if application != APPLICATION_ID:
        raise _not_a_store(path)
    if version > VERSION:
        message = f"the store has version {version}; this argue-eval knows up to {VERSION}"
        raise InputError(Finding("newer_store", message, "update argue-eval", path))


def _identity(connection: sqlite3.Connection) -> tuple[int, int]:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return application, version


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None


def _make(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Create the tables, unless another process has just done so."""
    # For this, SQLite does not wait for its lock, as it does elsewhere.
    give_up = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as exc:
            if "locked" not in str(exc) or time.monotonic() > give_up:
                raise
            time.sleep(0.02)
    with transaction(connection):
        if not _has_tables(connection):
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Commit all that is written inside, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
