"""A store opened for reading all that is intact in it, whatever is damaged."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from argue_eval.errors import Findings, InputError, shorten
from argue_eval.judgments import file
from argue_eval.judgments.rows import IntactRows

_SIMILAR_BYTES = 12
"""How many of the first 16 bytes have to be those of a store's."""


_TREES = (b"\x02", b"\x05", b"\x0a", b"\x0d")
"""How the pages of tables and indexes start."""


@contextmanager
def salvaged(path: str, findings: Findings) -> Iterator[IntactRows]:
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
