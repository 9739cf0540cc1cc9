"""What a store holds, as judgments for other tools, and several stores as one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import UsageError, unknown_name
from argue_eval.judgments import file
from argue_eval.judgments.store import transaction
from argue_eval.records import Judgment, Kind, Verdict


def judgments(path: str | Path, judge: str | None = None) -> Iterator[Judgment]:
    """Yields the judgments of a store, in the order in which they came, once for every place.

    Args:
        judge: only those of this judge: its signature, or its name for all its versions.

    Raises:
        InputError: the file is no store, is damaged, or was written by a newer version.
        MissingResourceError: there is no such file.
        UsageError: the store has no such judge.
    """
    with closing(file.connect(path, is_writer=False)) as connection, file.told(path):
        found = dict(connection.execute("SELECT judge_id, signature FROM judges"))
        wanted = found if judge is None else _judge(found, judge)
        rows = connection.execute(
            """
            SELECT judge_id, kind, verdict, prob, rationale, inputs, place FROM judgments
            UNION ALL
            SELECT j.judge_id, j.kind, j.verdict, j.prob, j.rationale, j.inputs, p.place
            FROM places p JOIN judgments j USING (key)
            """
        )
        for judge_id, *row in rows:
            if judge_id in wanted:
                try:
                    judgment = _judgment(found[judge_id], *row)
                except (ValueError, TypeError, AttributeError) as exc:
                    raise file.damaged(path, f"a judgment cannot be read: {exc}") from exc
                yield judgment


def _judgment(
    judge: str,
    kind: str,
    verdict: str,
    prob: float | None,
    rationale: str,
    inputs: str,
    place: str,
) -> Judgment:
    ids = json.loads(place)
    is_placed = "sentence_index" in ids
    return Judgment(
        Kind(kind),
        verdict=Verdict(verdict),
        judge=judge,
        sentence=None if is_placed else json.loads(inputs).get("sentence"),
        prob=prob,
        rationale=rationale,
        **ids,
    )


def _judge(signatures: dict[int, str], judge: str) -> set[int]:
    wanted = {
        judge_id
        for judge_id, signature in signatures.items()
        if judge in (signature, signature.split("@")[0])
    }
    if not wanted:
        raise unknown_name("judge", judge, signatures.values())
    return wanted


class Merged(NamedTuple):
    """What came of adding one store to another.

    Attributes:
        num_known: judgments that the target had already, with the same verdict.
        num_conflicts: judgments that it had with another verdict, which stays.
        conflicts: the first of them: kind, topic, what was kept, what was left out.
    """

    source: str
    num_added: int
    num_known: int
    num_conflicts: int
    conflicts: tuple[tuple[str, str, str, str], ...] = ()


def merge(target: str | Path, sources: list[str]) -> Iterator[Merged]:
    """Adds the judgments and failures of other stores to one, and yields what came of each.

    The target is made if there is none. What it holds already stays, and of several sources the
    first decides. Each source is added as a whole or not at all.

    Raises:
        InputError, MissingResourceError, UsageError: as `judgments`; no source was added then.
    """
    for source in sources:
        if Path(source).exists() and Path(source).resolve() == Path(target).resolve():
            raise UsageError(f"{source} is the store that is merged into; name other stores")
        file.connect(source, is_writer=False).close()
    with closing(file.connect(target, is_writer=True)) as connection:
        for source in sources:
            with file.told(source):
                yield _merge(connection, source)


def _merge(connection: sqlite3.Connection, source: str) -> Merged:
    connection.execute("ATTACH ? AS other", (f"{Path(source).absolute().as_uri()}?mode=ro",))
    try:
        with transaction(connection):
            return _add_attached(connection, source)
    finally:
        connection.execute("DETACH other")


_SAME_KEY = "FROM other.judgments o JOIN main.judgments m ON m.key = o.key"
_NUMBER = "(SELECT n.judge_id FROM main.judges n WHERE n.signature = d.signature)"
_ASKED = f"o.key, o.kind, {_NUMBER}, o.inputs, o.place"
_ADD = (
    "INSERT OR IGNORE INTO main.judges (signature) SELECT signature FROM other.judges",
    "INSERT OR IGNORE INTO main.texts (digest, json) SELECT digest, json FROM other.texts "
    "ORDER BY text_id",
    "INSERT OR IGNORE INTO main.places SELECT key, place FROM other.judgments",
    "INSERT OR IGNORE INTO main.places SELECT * FROM other.places",
    f"INSERT OR IGNORE INTO main.judgments (key, kind, judge_id, inputs, place, verdict, prob, "
    f"rationale, reply, time) SELECT {_ASKED}, o.verdict, o.prob, o.rationale, o.reply, o.time "
    "FROM other.judgments o JOIN other.judges d USING (judge_id) ORDER BY o.judgment_id",
    f"INSERT INTO main.failures (key, kind, judge_id, inputs, place, reason, attempts, reply, "
    f"time) SELECT {_ASKED}, o.reason, o.attempts, o.reply, o.time FROM other.failures o JOIN "
    "other.judges d USING (judge_id) WHERE true ON CONFLICT (key) DO UPDATE SET "
    "attempts = max(attempts, excluded.attempts)",
    "DELETE FROM main.failures WHERE key IN (SELECT key FROM main.judgments)",
    # A judgment's own place is in its own row.
    "DELETE FROM main.places WHERE EXISTS (SELECT 1 FROM main.judgments j WHERE j.key = places.key "
    "AND j.place = places.place)",
)


def _add_attached(connection: sqlite3.Connection, source: str) -> Merged:
    (total,) = connection.execute("SELECT count(*) FROM other.judgments").fetchone()
    (num_same,) = connection.execute(f"SELECT count(*) {_SAME_KEY}").fetchone()
    differs = f"{_SAME_KEY} WHERE m.verdict <> o.verdict"
    (num_conflicts,) = connection.execute(f"SELECT count(*) {differs}").fetchone()
    shown = connection.execute(
        f"SELECT o.kind, o.place, m.verdict, o.verdict {differs} ORDER BY o.judgment_id LIMIT 5"
    ).fetchall()
    for statement in _ADD:
        connection.execute(statement)
    shown = [(kind, json.loads(place)["topic_id"], *verdicts) for kind, place, *verdicts in shown]
    return Merged(source, total - num_same, num_same - num_conflicts, num_conflicts, tuple(shown))
