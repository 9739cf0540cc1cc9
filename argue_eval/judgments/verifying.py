"""What is in a store, and whether it is sound."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_eval.errors import Finding, InputError, Severity
from argue_eval.judgments import file
from argue_eval.judgments.content import canonical, digest_of, key_of
from argue_eval.records import GRADED_KINDS, Kind, Verdict

_IDS = {"answer", "doc_id", "nugget_id", "run_id", "sentence_index", "topic_id"}
_LONG_TEXTS = ("document", "earlier", "request")
_HINT = "remove the row, and what was judged is asked again; or take a copy that is whole"


@dataclass(frozen=True, slots=True)
class Info:
    """What is in a store.

    Attributes:
        judgments: (kind, judge, verdict) with their number.
        failures: (kind, judge, reason) with the numbers of asks and of attempts.
        num_texts: documents, requests and earlier sentences, each once.
        num_bytes: of the file and of what waits beside it to be written into it.
        first, last: when the first and the last judgment came, in seconds since 1970.
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
        """Returns the number of judgments."""
        return sum(number for *_, number in self.judgments)

    @property
    def num_failures(self) -> int:
        """Returns the number of asks that failed and have no judgment since."""
        return sum(number for *_, number, _ in self.failures)


def info(path: str | Path) -> Info:
    """Returns what is in a store.

    Raises:
        InputError: the file is no store, is damaged, or was written by a newer version.
        MissingResourceError: there is no such file.
    """
    with closing(file.connect(path, is_writer=False)) as connection, file.told(path):
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
        parts = [Path(f"{path}{suffix}") for suffix in ("", "-wal")]
        num_bytes = sum(part.stat().st_size for part in parts if part.exists())
    return Info(str(path), version, tuple(judged), tuple(failed), num_texts, num_bytes, first, last)


def verify(path: str | Path) -> list[Finding]:
    """Returns what is wrong with a store: nothing, if it is sound.

    SQLite's own check is made, every key and every text's digest computed anew, and everything
    that one row says of another looked up. Texts that nothing needs are warned of.

    Raises:
        InputError: the file is no store, or was written by a newer version.
        MissingResourceError: there is no such file.
    """
    findings: list[Finding] = []
    try:
        with closing(file.connect(path, is_writer=False)) as connection, file.told(path):
            for message in _integrity(connection):
                findings.append(_finding(path, "damaged_store", f"the store is damaged: {message}"))
            # One state of the file is checked, whatever is added meanwhile.
            connection.execute("BEGIN")
            findings.extend(_check_rows(connection, path))
    except InputError as exc:
        if any(each.code != "damaged_store" for each in exc.findings):
            raise
        findings.extend(exc.findings)
    return findings


def _integrity(connection: sqlite3.Connection) -> list[str]:
    found = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
    return [] if found == ["ok"] else found


def _check_rows(connection: sqlite3.Connection, path: str | Path) -> Iterator[Finding]:
    texts: set[str] = set()
    needed: set[str] = set()
    links: list[tuple[str, str]] = []
    for digest, text in connection.execute("SELECT digest, json FROM texts"):
        texts.add(digest)
        if digest_of(text) != digest:
            yield _finding(path, "wrong_text", f"the text {digest[:12]}… is not what was judged")
        elif '"before":' in text:
            links.append((digest, json.loads(text).get("before", "")))
    for table in ("judgments", "failures"):
        rows = connection.execute(
            f"SELECT {table[:-1]}_id, key, kind, signature, inputs FROM {table} "
            "LEFT JOIN judges USING (judge_id)"
        )
        for number, *row in rows:
            where = f"{table[:-1]} {number}"
            inputs = _object(row[3])
            if inputs is None or row[2] is None or key_of(row[1], row[2], row[3]) != row[0]:
                message = f"{where}: its key is not that of its kind, judge and texts"
                yield _finding(path, "wrong_key", message)
                continue
            for name in _LONG_TEXTS:
                if name in inputs:
                    needed.add(inputs[name])
                    if inputs[name] not in texts:
                        yield _finding(path, "missing_text", f"{where}: its {name} is missing")
    yield from _check_links(path, links, texts, needed)
    yield from _check_verdicts(connection, path)
    yield from _check_places(connection, path)
    yield from _check_orphans(connection, path, texts - needed)


def _object(text: str) -> dict[str, str] | None:
    """Returns the texts or ids of a row; None if they are not canonical JSON."""
    try:
        inputs: Any = json.loads(text)
        return inputs if canonical(inputs) == text else None
    except (ValueError, TypeError, IndexError):
        return None


def _check_links(
    path: str | Path, links: list[tuple[str, str]], texts: set[str], needed: set[str]
) -> Iterator[Finding]:
    """Follows the chains of earlier sentences; adds what they need to `needed`."""
    before = {digest: link for digest, link in links if link}
    for digest in list(needed & before.keys()):
        link = before.get(digest, "")
        while link and link not in needed:
            needed.add(link)
            if link not in texts:
                message = f"a sentence before {digest[:12]}… is missing: {link[:12]}…"
                yield _finding(path, "missing_text", message)
            link = before.get(link, "")


def _check_verdicts(connection: sqlite3.Connection, path: str | Path) -> Iterator[Finding]:
    rows = connection.execute("SELECT DISTINCT kind, verdict FROM judgments")
    kinds = {kind.value: kind for kind in Kind}
    for kind, verdict in rows:
        words = {each.value for each in Verdict}
        if kinds.get(kind) not in GRADED_KINDS:
            words -= {Verdict.PARTIAL.value}
        if kind not in kinds or verdict not in words:
            message = f"there is no verdict {verdict!r} on the kind {kind!r}"
            yield _finding(path, "wrong_verdict", message)
    (number,) = connection.execute(
        "SELECT count(*) FROM judgments WHERE NOT (prob BETWEEN 0 AND 1)"
    ).fetchone()
    if number:
        message = f"{number} judgments have a probability outside of 0 to 1"
        yield _finding(path, "wrong_prob", message)


def _check_places(connection: sqlite3.Connection, path: str | Path) -> Iterator[Finding]:
    rows = connection.execute(
        "SELECT place FROM judgments UNION ALL SELECT place FROM failures "
        "UNION ALL SELECT place FROM places"
    )
    number = 0
    for (place,) in rows:
        ids = _object(place)
        number += ids is None or not ids.keys() <= _IDS or "topic_id" not in ids
    if number:
        message = f"{number} places are not the ids of a judgment as canonical JSON"
        yield _finding(path, "wrong_place", message)


def _check_orphans(
    connection: sqlite3.Connection, path: str | Path, unused: set[str]
) -> Iterator[Finding]:
    (number,) = connection.execute(
        "SELECT count(*) FROM places WHERE key NOT IN (SELECT key FROM judgments)"
    ).fetchone()
    if number:
        message = f"{number} places belong to judgments that are not there"
        yield _finding(path, "orphan_place", message)
    if unused:
        message = f"{len(unused)} texts belong to no judgment and no failure"
        hint = "judgments were removed; they are asked again when they are needed"
        yield Finding("orphan_text", message, hint, str(path), severity=Severity.WARNING)


def _finding(path: str | Path, code: str, message: str) -> Finding:
    return Finding(code, message, _HINT, str(path))
