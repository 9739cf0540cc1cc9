"""What is in a store, whether it is intact, and what can be saved of it if it is not."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from argue_eval.errors import Finding, Findings, InputError, UsageError, shorten
from argue_eval.formats.jsonl import whole_or_absent
from argue_eval.judgments import file
from argue_eval.judgments.merging import add
from argue_eval.judgments.rows import MAX_SECONDS, IntactRows
from argue_eval.records import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """What is in a store.

    Attributes:
        judgments: (kind, judge, verdict) with their number.
        failures: (kind, judge, reason) with the numbers of questions and of attempts.
        num_texts: documents, requests and earlier sentences, each once.
        num_bytes: of the file, and of what is waiting beside it to be written into it.
        first: when the first judgment came, in seconds since 1970; `last` the last.
    """

    path: str
    version: int
    judgments: tuple[tuple[str, str, str, int], ...]
    failures: tuple[tuple[str, str, str, int, int], ...]
    num_texts: int
    num_bytes: int
    first: float | None
    last: float | None

    @property
    def num_judgments(self) -> int:
        """The number of judgments."""
        return sum(number for *_, number in self.judgments)

    @property
    def num_failures(self) -> int:
        """The number of questions that failed and have no judgment since."""
        return sum(number for *_, number, _ in self.failures)


def info(path: str | Path) -> Info:
    """What is in a store.

    Raises:
        InputError: the file is not a store, is damaged, or was written by a newer version.
        MissingResourceError: there is no such file.
    """
    with closing(file.connect(path, is_writer=False)) as connection, file.reporting_errors(path):
        judged = connection.execute(
            "SELECT kind, signature, verdict, count(*) FROM judgments LEFT JOIN judges "
            "USING (judge_id) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 DESC"
        ).fetchall()
        failed = connection.execute(
            "SELECT kind, signature, reason, count(*), sum(attempts) FROM failures LEFT JOIN "
            "judges USING (judge_id) GROUP BY 1, 2, 3 ORDER BY 1, 2, 4 DESC, 3"
        ).fetchall()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (num_texts,) = connection.execute("SELECT count(*) FROM texts").fetchone()
        first, last = connection.execute("SELECT min(time), max(time) FROM judgments").fetchone()
        words = [word for row in (*judged, *failed) for word in row[1:3]]
        times = [each for each in (first, last) if each is not None]
        if (
            not all(type(each) is str for each in words)
            or not {row[0] for row in (*judged, *failed)} <= set(Kind)
            or not all(type(each) is float and 0 <= each < MAX_SECONDS for each in times)
        ):
            raise file.damaged(path, "a row is not as it was written")
        parts = [Path(f"{path}{suffix}") for suffix in ("", "-wal")]
    return Info(
        path=str(path),
        version=version,
        judgments=tuple(judged),
        failures=tuple(failed),
        num_texts=num_texts,
        num_bytes=sum(part.stat().st_size for part in parts if part.exists()),
        first=first,
        last=last,
    )


class Verified(NamedTuple):
    """What is wrong with a store: nothing, if it is intact; and how many rows of it are."""

    findings: Sequence[Finding]
    num_judgments: int
    num_failures: int


def verify(path: str | Path, output: str | None = None) -> Verified:
    """Reads a store in full, and finds what is not as it was written.

    Runs SQLite's own check, computes every key and every text's digest again, and follows every
    reference from one row to another. Texts that nothing needs are warnings.

    Args:
        output: a new store, to which all is written that is intact.

    Raises:
        InputError: the file is not a store, nothing in it is intact, or it is newer.
        MissingResourceError: there is no such file, or the new one cannot be written.
        UsageError: the new store exists already.
    """
    findings = Findings(str(path))
    if output is not None and Path(output).exists():
        raise UsageError(f"{output} exists: name a new file for what is intact")
    with _salvaged(str(path), findings) as rows:
        if output is None:
            for each in (rows.judgments(), rows.failures(), rows.places()):
                for _ in each:
                    pass
        else:
            with whole_or_absent(Path(output)) as part:
                target = closing(file.connect(part, is_writer=True))
                with target as connection, connection:
                    connection.execute(file.BEGIN)
                    add(rows, connection, str(path))
        rows.check_unused()
    findings.sum_up()
    return Verified(findings.listed, rows.num_judgments, rows.num_failures)


# --- a damaged store, opened for reading all that is intact in it ---

_SIMILAR_BYTES = 12
"""How many of the first 16 bytes have to be those of a store's."""
_TREES = (b"\x02", b"\x05", b"\x0a", b"\x0d")
"""How the pages of tables and indexes start."""


@contextmanager
def _salvaged(path: str, findings: Findings) -> Iterator[IntactRows]:
    """Opens a store for reading its intact rows. What is wrong with it is added to the findings.

    Raises:
        InputError: the file is no store, nothing in it can be read, or it is newer.
        MissingResourceError: there is no such file, or it cannot be used.
    """
    with ExitStack() as stack:
        try:
            connection = file.connect(path, is_writer=False)
        except InputError as exc:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            found = _with_new_start(Path(path), folder)
            if found is None or exc.findings[0].code == "newer_store":
                raise
            findings.add(*exc.findings)
            connection = found
        stack.enter_context(closing(connection))
        stack.enter_context(file.reporting_errors(path))
        hint = file.repair_hint(path)
        try:
            for (message,) in connection.execute("PRAGMA integrity_check(5)"):
                if message != "ok":
                    findings.error("damaged_store", f"the store is damaged: {message}", hint)
        except file.ERRORS as exc:
            if not file.is_damage(exc):
                raise
            findings.error("damaged_store", f"the store is damaged: {shorten(str(exc))}", hint)
        connection.execute("BEGIN")  # one state of the file, whatever is added meanwhile
        yield IntactRows(connection, findings, hint)


def _with_new_start(path: Path, folder: Path) -> sqlite3.Connection | None:
    """A copy of a store that has the first page of a new store: its header and list of tables.

    None if it is no store, or cannot be read even so.
    """
    copy, new = folder / "copy", folder / "new"
    file.connect(new, is_writer=True).close()
    start = new.read_bytes()
    page, size = int.from_bytes(start[16:18], "big"), path.stat().st_size
    with path.open("rb") as stream:
        magic = stream.read(16)
        stream.seek(page)
        second = stream.read(1)
    num_equal = sum(one == other for one, other in zip(magic, start, strict=False))
    if size < 2 * page or (num_equal < _SIMILAR_BYTES and second not in _TREES):
        return None
    for suffix in ("", "-wal"):
        if Path(f"{path}{suffix}").exists():
            shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
    with copy.open("r+b") as stream:
        stream.write(start[:28] + (size // page).to_bytes(4, "big") + start[32:page])
    try:
        return file.connect(copy, is_writer=False)
    except InputError:
        return None
