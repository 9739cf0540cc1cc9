"""What the rows of a store say. A row that is not as it was written is damage, never a verdict."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from argue_eval.errors import Findings, count, shorten
from argue_eval.formats.jsonl import encode
from argue_eval.judgments import file
from argue_eval.judgments.content import digest_of, key_of
from argue_eval.records import VERDICTS, Judgment, Kind, Verdict

_LONG_TEXTS = ("document", "request")
_PLACES: dict[str, tuple[str, ...]] = {
    Kind.ANSWERS: ("answer", "nugget_id"),
    Kind.SUPPORT: ("doc_id",),
    Kind.AGREES: ("nugget_id",),
    Kind.COVERS: ("nugget_id",),
    Kind.FIRST_INSTANCE: ("run_id", "sentence_index"),
}
"""The ids that the judgments of a kind have, besides the topic's."""
_IDS = {"topic_id"}.union(*_PLACES.values())
_VERDICTS = {
    (kind.value, verdict.value): verdict
    for kind, verdicts in VERDICTS.items()
    for verdict in verdicts
}
_ROWS_PER_PAGE = 1000
"""More than there can be."""
MAX_SECONDS = 253402300800.0
"""The year 10000, in seconds since 1970: no time is later."""


class DamagedRowError(Exception):
    """A row is not as it was written: the code of the finding, and what was found."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class JudgmentRow(NamedTuple):
    """A judgment as it is stored. The judge is named by its signature."""

    key: bytes
    kind: str
    judge: str
    inputs: str
    place: str
    verdict: str
    prob: float | None
    rationale: str
    reply: str | None
    time: float


class FailureRow(NamedTuple):
    """A question that a judge could not answer, as it is stored."""

    key: bytes
    kind: str
    judge: str
    inputs: str
    place: str
    reason: str
    attempts: int
    reply: str | None
    time: float


def verdict_of(kind: str, verdict: object, prob: object, rationale: object) -> Verdict:
    """The verdict of a row.

    Raises:
        DamagedRowError: the kind has no such verdict, or what comes with it is not of its type.
    """
    found = _VERDICTS.get((kind, verdict))  # type: ignore[arg-type]  # a row may hold anything
    if found is None:
        message = f"there is no verdict {shorten(verdict)} on the kind {shorten(kind)}"
        raise DamagedRowError("wrong_verdict", message)
    if prob is not None and not (type(prob) is float and 0 <= prob <= 1):
        raise DamagedRowError("wrong_prob", f"a probability is from 0 to 1, found {shorten(prob)}")
    if type(rationale) is not str:
        raise DamagedRowError("wrong_value", "its rationale is not text")
    return found


def judgment_of(
    judge: Any, kind: Any, inputs: Any, place: Any, verdict: Any, prob: Any, rationale: Any
) -> Judgment:
    """The judgment of a row, given its columns.

    Raises:
        DamagedRowError: they do not say what a judgment of its kind does.
    """
    found = verdict_of(kind, verdict, prob, rationale)
    ids, texts = _ids(kind, place), _inputs(inputs)
    if type(judge) is not str:
        raise DamagedRowError("wrong_key", "its judge is missing")
    return Judgment(
        kind=Kind(kind),
        verdict=found,
        judge=judge,
        sentence=None if "sentence_index" in ids else texts.get("sentence", ""),
        prob=prob,
        rationale=rationale,
        **ids,
    )


def _ids(kind: str, place: object) -> dict[str, Any]:
    """The ids of a place, as arguments of a judgment."""
    ids = _object(place) or {}
    wanted = _PLACES.get(kind, ())
    is_right = ids.keys() <= _IDS and ids.keys() >= {"topic_id", *wanted}
    for name, value in ids.items():
        is_index = name == "sentence_index"
        is_right &= type(value) is int and value >= 0 if is_index else type(value) is str
    if not is_right:
        message = f"its place is not the ids of such a judgment: {shorten(place)}"
        raise DamagedRowError("wrong_place", message)
    return ids


def _inputs(inputs: object) -> dict[str, str]:
    texts = _object(inputs)
    if texts is None or not all(type(each) is str for each in texts.values()):
        raise DamagedRowError("wrong_key", "its texts are not canonical JSON")
    return texts


def _object(text: object) -> dict[str, Any] | None:
    """The object that a text holds; None if it is not canonical JSON."""
    if type(text) is not str:
        return None
    try:
        value = json.loads(text)
        return value if encode({name: value[name] for name in sorted(value)}) == text else None
    except (ValueError, TypeError, IndexError, OverflowError, RecursionError):
        return None


# --- all rows of a store --------------------------------------------------------------------------

_Row = TypeVar("_Row", JudgmentRow, FailureRow)


class IntactRows:
    """Reads the rows of a store that are as they were written, and finds the others.

    Every key and every text's digest is computed again, and every reference from one row to another
    is followed. The texts are read first.

    Attributes:
        num_judgments: how many were read; likewise `num_failures`.
    """

    def __init__(self, connection: sqlite3.Connection, findings: Findings, hint: str) -> None:
        self._connection = connection
        self._findings = findings
        self._hint = hint
        self.num_judgments = self.num_failures = 0
        self._used: set[str] = set()
        self._whole: set[str] = set()
        self._broken: set[str] = set()
        self._before: dict[str, str] = {}
        self._texts: dict[str, int] = {}
        for number, digest, text in self._scan("text_id, digest, json", "texts"):
            if not _is_digest(digest, text):
                self._add("wrong_text", f"text {number:,} is not what was judged")
                continue
            self._texts[digest] = number
            if '"before":' in text and (link := (_object(text) or {}).get("before")):
                self._before[digest] = str(link)
        self._judges = dict(self._scan("judge_id, signature", "judges"))

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yields (digest, canonical JSON) of the long texts on which the rows read before rest."""
        query = "SELECT digest, json FROM texts WHERE text_id = ?"
        for digest, number in self._texts.items():
            if digest in self._used or digest in self._whole:
                yield from self._connection.execute(query, (number,))

    def judgments(self) -> Iterator[JudgmentRow]:
        """Yields the judgments, in the order in which they came."""
        for row in self._intact("judgment", JudgmentRow, _check_judgment):
            self.num_judgments += 1
            yield row

    def failures(self) -> Iterator[FailureRow]:
        """Yields the questions that judges could not answer."""
        for row in self._intact("failure", FailureRow, _check_failure):
            self.num_failures += 1
            yield row

    def places(self) -> Iterator[tuple[bytes, str]]:
        """Yields (key, place) of judgments that came from more places than one."""
        query = "SELECT p.key, kind, p.place FROM places p LEFT JOIN judgments USING (key)"
        num_orphans = 0
        try:
            for key, kind, place in self._connection.execute(query):
                if kind is None:
                    num_orphans += 1
                    continue
                try:
                    _ids(kind, place)
                except DamagedRowError as exc:
                    self._add(exc.code, f"a further place of a judgment: {exc}")
                else:
                    yield key, place
        except file.ERRORS as exc:
            if not file.is_damage(exc):
                raise
            self._unreadable("places", exc)
        if num_orphans:
            message = f"{count(num_orphans, 'place')} belong to judgments that are not there"
            self._add("orphan_place", message)

    def check_unused(self) -> None:
        """Warns if there are texts on which nothing rests that was read before."""
        if unused := len(self._texts.keys() - self._used - self._whole):
            message = f"{count(unused, 'text')} belong to no judgment and no failure"
            hint = "judgments were removed; they are asked again when they are needed"
            self._findings.warn("orphan_text", message, hint)

    def _intact(
        self, name: str, row_type: type[_Row], check: Callable[[_Row], object]
    ) -> Iterator[_Row]:
        question = f"{name}_id, key, kind, judge_id, inputs, place"
        columns = ", ".join((question, *file.COLUMNS[f"{name}s"]))
        for number, key, kind, judge, *values in self._scan(columns, f"{name}s"):
            row = row_type._make((key, kind, self._judges.get(judge), *values))
            try:
                _check_key(row)
                check(row)
                _check_origin(row)
                self._check_texts(_inputs(row.inputs))
            except DamagedRowError as exc:
                self._add(exc.code, f"{name} {number:,}: {exc}")
            else:
                yield row

    def _check_texts(self, inputs: Mapping[str, str]) -> None:
        """Looks up the texts that a row rests on. Earlier sentences are a chain."""
        used = [inputs[name] for name in _LONG_TEXTS if name in inputs]
        for digest in used:
            if digest not in self._texts:
                raise DamagedRowError("missing_text", f"its text {shorten(digest, 14)} is missing")
        chain: list[str] = []
        link = inputs.get("earlier", "")
        while link and link not in self._whole:
            if link in self._broken or link not in self._texts:
                self._broken.update(chain)
                raise DamagedRowError("missing_text", "a sentence before it is missing")
            chain.append(link)
            link = self._before.get(link, "")
        self._whole.update(chain)
        self._used.update(used)

    def _scan(self, columns: str, table: str) -> Iterator[tuple[Any, ...]]:
        """Yields the rows of a table by their numbers, and jumps over what cannot be read."""
        number = columns.partition(",")[0]
        query = f"SELECT {columns} FROM {table} WHERE {number} > ? ORDER BY {number}"
        (num_pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        last, num_failed = -1, 0
        while last <= num_pages * _ROWS_PER_PAGE:
            try:
                for row in self._connection.execute(query, (last,)):
                    last, num_failed = row[0], 0
                    yield row
                return
            except file.ERRORS as exc:
                if not file.is_damage(exc):
                    raise
                if not num_failed:
                    self._unreadable(table, exc)
                num_failed += 1
                last += 1 + num_failed**2 // 1000  # a page at a time would lose more

    def _unreadable(self, table: str, exc: Exception) -> None:
        message = f"some {table} cannot be read: {shorten(str(exc))}"
        self._findings.error("damaged_store", message, self._hint)

    def _add(self, code: str, message: str) -> None:
        self._findings.error(code, message, self._hint)


def _check_key(row: JudgmentRow | FailureRow) -> None:
    texts = (row.kind, row.judge, row.inputs)
    try:
        is_right = all(type(each) is str for each in texts) and key_of(*texts) == row.key
    except UnicodeEncodeError:
        is_right = False
    if not is_right:
        raise DamagedRowError("wrong_key", "its key is not that of its kind, judge and texts")


def _check_origin(row: JudgmentRow | FailureRow) -> None:
    if type(row.time) is not float or not 0 <= row.time < MAX_SECONDS:
        raise DamagedRowError("wrong_value", f"its time is {shorten(row.time)}")
    if row.reply is not None and type(row.reply) is not str:
        raise DamagedRowError("wrong_value", "the reply is not text")


def _check_judgment(row: JudgmentRow) -> None:
    judgment_of(row.judge, row.kind, row.inputs, *row[4:8])


def _check_failure(row: FailureRow) -> None:
    _ids(row.kind, row.place)
    if type(row.reason) is not str or type(row.attempts) is not int or row.attempts < 0:
        raise DamagedRowError("wrong_value", "its reason or its number of attempts is no such")


def _is_digest(digest: object, text: Any) -> bool:
    try:
        return type(text) is str and digest_of(text) == digest
    except UnicodeEncodeError:
        return False
