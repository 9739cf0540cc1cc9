"""Stores that are damaged: bits flipped, pages lost, rows and tables of anything."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import strategies as st

from argue_eval.judgments.store import opened
from argue_eval.records import Kind, Verdict
from tests.judgments.asking import failed, first_instance, numbered, question, replied

_DEEP = "[" * 20_000
VALUES: list[Any] = [
    None, 7.5, -1, 1 << 62, 1e308, float("inf"), "", " ", "maybe", "partial", "[]", "{}", _DEEP,
    f'{{"topic_id":{_DEEP}', '{"topic_id":5}', '{"topic_id":"t\\u001b[31m"}', "\x1b[31m", "\u202e",
    '{"sentence_index":-1,"topic_id":"t"}', '{"sentence_index":true}', '{"x":"y","topic_id":"t1"}',
    "x" * 20_000, b"", b"\xff\xfe", b"\x00" * 32, '{"earlier":"x"}', '{"document":"x"}',
]  # fmt: skip
COLUMNS = [
    ("judges", "signature"), ("texts", "digest"), ("texts", "json"), ("places", "place"),
    ("places", "key"),
    *(("judgments", name) for name in (
        "key", "kind", "judge_id", "inputs", "place", "verdict", "prob", "rationale", "reply",
        "time", "judgment_id")),
    *(("failures", name) for name in (
        "key", "kind", "judge_id", "inputs", "place", "reason", "attempts", "reply", "time")),
]  # fmt: skip
SIZE = 102_400
"""Of the store that `fill` makes, in bytes."""
_ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"
SCHEMAS = [
    f"DROP TABLE judgments; CREATE VIEW judgments AS {_ENDLESS} x AS judgment_id FROM n",
    f"DROP TABLE judges; CREATE VIEW judges AS {_ENDLESS} x AS judge_id, 'a' AS signature FROM n",
    "DROP TABLE places",
    "DROP TABLE texts; CREATE TABLE texts (digest, json)",
    "CREATE TRIGGER t AFTER INSERT ON judgments BEGIN DELETE FROM texts; END",
    "PRAGMA application_id = 7",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 2000000000",
    "DELETE FROM judges",
    "DELETE FROM judgments; DELETE FROM failures",
    "ALTER TABLE judgments ADD COLUMN more",
    "VACUUM",
]


class Damage(NamedTuple):
    """What is done to a store, in words and in deed."""

    statements: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    overwritten: tuple[tuple[int, bytes, int], ...] = ()
    flips: tuple[int, ...] = ()
    size: int | None = None

    def spoil(self, path: Path) -> None:
        """Damages a store."""
        for statement, values in self.statements:
            with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.Error):
                if values:
                    connection.execute(statement, values)
                else:
                    connection.executescript(statement)
                connection.commit()
        content = bytearray(path.read_bytes())
        for place, new, times in self.overwritten:
            content[place : place + len(new) * times] = new * times
        for bit in self.flips:
            content[bit // 8 % len(content)] ^= 1 << bit % 8
        path.write_bytes(content[: self.size])


@st.composite
def damages(draw: st.DrawFn) -> Damage:
    """What may be done to the store that `fill` makes."""
    size = SIZE
    what = draw(st.integers(0, 9))
    if what == 0:
        return Damage(statements=((draw(st.sampled_from(SCHEMAS)), ()),))
    if what <= 3:
        table, column = draw(st.sampled_from(COLUMNS))
        value = draw(st.sampled_from(range(len(VALUES))))
        order = draw(st.integers(0, 9))
        where = f"rowid % 10 = {order}" if table != "places" else "true"
        statement = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {where}"
        return Damage(statements=((statement, (VALUES[value],)),))
    if what == 4:
        return Damage(size=draw(st.integers(0, size)))
    if what == 5:
        page = 4096 * draw(st.integers(0, size // 4096 - 1))
        new, times = draw(st.sampled_from([(b"\0", 4096), (b"\xff", 4096), (b"\0", 100)]))
        return Damage(overwritten=((page, new, times),))
    if what == 6:
        places = st.integers(0, size - 1)
        some = st.tuples(places, st.binary(min_size=1, max_size=8), st.just(1))
        return Damage(overwritten=tuple(draw(st.lists(some, min_size=1))))
    most = 100 if what == 7 else size
    return Damage(flips=tuple(draw(st.lists(st.integers(0, 8 * most - 1), min_size=1))))


def fill(path: Path) -> None:
    """Makes a store with judgments of several kinds, failures, and places."""
    num = 60
    with opened(path) as store:
        for number in range(num):
            store.add(numbered(number), "judge@1/abc", replied(rationale="x" * number))
            store.add(numbered(number), "other@2", replied(Verdict.PARTIAL, prob=number / num))
        for number in range(num // 4):
            store.add(numbered(f"f{number}"), "judge@1/abc", failed(f"reason {number}"))
            sentences = [f"Sentence {each}." for each in range(number)]
            store.add(first_instance(*sentences), "judge@1/abc", replied(Verdict.NO))
        asked = [question(kind=Kind.COVERS, nugget_id=f"n{each}", claim="x") for each in range(5)]
        store.add(asked[0], "judge@1/abc", replied())
        store.flush()
        store.find(asked, "judge@1/abc")
