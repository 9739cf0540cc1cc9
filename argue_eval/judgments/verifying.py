"""What is in a store, and whether it is intact."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_eval.errors import Finding, InputError, Severity
from argue_eval.formats.jsonl import encode
from argue_eval.judgments import file
from argue_eval.judgments.content import digest_of, key_of
from argue_eval.records import GRADED_KINDS, Kind, Verdict

_IDS = {"answer", "doc_id", "nugget_id", "run_id", "sentence_index", "topic_id"}
_LONG_TEXTS = ("document", "earlier", "request")
_HINT = "remove the row, and what was judged is asked again; or take a copy that is whole"


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


def verify(path: str | Path) -> list[Finding]:
    """What is wrong with a store: nothing, if it is intact.

    Runs SQLite's own check, computes every key and every text's digest again, and follows every
    reference from one row to another. Texts that nothing needs are warnings.

    Raises:
        InputError: the file is not a store, or was written by a newer version.
        MissingResourceError: there is no such file.
    """
    check = _Check(str(path))
    try:
        connecting = closing(file.connect(path, is_writer=False))
        with connecting as connection, file.reporting_errors(path):
            check.run(connection)
    except InputError as exc:
        if any(each.code != "damaged_store" for each in exc.findings):
            raise
        check.findings.extend(exc.findings)
    return check.findings


class _Check:
    def __init__(self, path: str) -> None:
        self.findings: list[Finding] = []
        self._path = path
        self._texts: set[str] = set()
        self._needed: set[str] = set()
        self._links: dict[str, str] = {}

    def run(self, connection: sqlite3.Connection) -> None:
        for (message,) in connection.execute("PRAGMA integrity_check(5)"):
            if message != "ok":
                self._add("damaged_store", f"the store is damaged: {message}")
        # All checks look at one state of the file, whatever is added meanwhile.
        connection.execute("BEGIN")
        self._check_texts(connection)
        for table in ("judgments", "failures"):
            self._check_keys(connection, table)
        self._check_links()
        self._check_verdicts(connection)
        self._check_places(connection)
        if unused := len(self._texts - self._needed):
            message = f"{unused:,} texts belong to no judgment and no failure"
            hint = "judgments were removed; they are asked again when they are needed"
            warning = Finding("orphan_text", message, hint, self._path, severity=Severity.WARNING)
            self.findings.append(warning)

    def _add(self, code: str, message: str) -> None:
        self.findings.append(Finding(code, message, _HINT, self._path))

    def _check_texts(self, connection: sqlite3.Connection) -> None:
        for digest, text in connection.execute("SELECT digest, json FROM texts"):
            self._texts.add(digest)
            if digest_of(text) != digest:
                self._add("wrong_text", f"the text {digest[:12]}… is not what was judged")
            elif '"before":' in text and (before := json.loads(text).get("before")):
                self._links[digest] = before

    def _check_keys(self, connection: sqlite3.Connection, table: str) -> None:
        rows = connection.execute(
            f"SELECT {table[:-1]}_id, key, kind, signature, inputs FROM {table} "
            "LEFT JOIN judges USING (judge_id)"
        )
        for number, key, kind, judge, inputs in rows:
            where = f"{table[:-1]} {number}"
            texts = _object(inputs)
            if texts is None or judge is None or key_of(kind, judge, inputs) != key:
                self._add("wrong_key", f"{where}: its key is not that of its kind, judge and texts")
                continue
            for name in _LONG_TEXTS:
                if name in texts:
                    self._needed.add(texts[name])
                    if texts[name] not in self._texts:
                        self._add("missing_text", f"{where}: its {name} is missing")

    def _check_links(self) -> None:
        """Follow the chains of earlier sentences, which are needed as well."""
        for digest in list(self._needed & self._links.keys()):
            link = self._links[digest]
            while link and link not in self._needed:
                self._needed.add(link)
                if link not in self._texts:
                    message = f"a sentence before {digest[:12]}… is missing: {link[:12]}…"
                    self._add("missing_text", message)
                link = self._links.get(link, "")

    def _check_verdicts(self, connection: sqlite3.Connection) -> None:
        kinds = {kind.value: kind for kind in Kind}
        for kind, verdict in connection.execute("SELECT DISTINCT kind, verdict FROM judgments"):
            words = {each.value for each in Verdict}
            if kinds.get(kind) not in GRADED_KINDS:
                words -= {Verdict.PARTIAL.value}
            if kind not in kinds or verdict not in words:
                message = f"there is no verdict {verdict!r} on the kind {kind!r}"
                self._add("wrong_verdict", message)
        self._count(
            connection,
            "SELECT count(*) FROM judgments WHERE NOT (prob BETWEEN 0 AND 1)",
            "wrong_prob",
            "judgments have a probability outside of 0 to 1",
        )

    def _check_places(self, connection: sqlite3.Connection) -> None:
        rows = connection.execute(
            "SELECT place FROM judgments UNION ALL SELECT place FROM failures "
            "UNION ALL SELECT place FROM places"
        )
        places = (_object(place) for (place,) in rows)
        if number := sum(
            ids is None or not ids.keys() <= _IDS or "topic_id" not in ids for ids in places
        ):
            message = f"{number:,} places are not the ids of a judgment as canonical JSON"
            self._add("wrong_place", message)
        self._count(
            connection,
            "SELECT count(*) FROM places WHERE key NOT IN (SELECT key FROM judgments)",
            "orphan_place",
            "places belong to judgments that are not there",
        )

    def _count(self, connection: sqlite3.Connection, query: str, code: str, what: str) -> None:
        (number,) = connection.execute(query).fetchone()
        if number:
            self._add(code, f"{number:,} {what}")


def _object(text: str) -> dict[str, str] | None:
    """The texts or ids of a row; None if they are not canonical JSON."""
    try:
        value: Any = json.loads(text)
        return value if encode({name: value[name] for name in sorted(value)}) == text else None
    except (ValueError, TypeError, IndexError):
        return None
