"""Judgments out of a store and into it: exported, merged, imported from files."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from argue_eval import formats
from argue_eval.errors import Finding, UsageError, unknown_name
from argue_eval.judgments import file
from argue_eval.judgments.store import JudgmentStore, opened
from argue_eval.measures.protocols import NO_SENTENCE, Asking
from argue_eval.records import (
    NUGGET_KINDS,
    Document,
    Judgment,
    Kind,
    Reply,
    Report,
    Sentence,
    Topic,
    Verdict,
)

# --- exporting ----------------------------------------------------------------------------------


def judgments(path: str | Path, judge: str | None = None) -> Iterator[Judgment]:
    """Yields the judgments of a store, in the order in which they came, once for every place.

    Args:
        judge: only those of this judge: its signature, or its name for all its versions.

    Raises:
        InputError: the file is not a store, is damaged, or was written by a newer version.
        MissingResourceError: there is no such file.
        UsageError: the store has no such judge.
    """
    with closing(file.connect(path, is_writer=False)) as connection, file.reporting_errors(path):
        judges = dict(connection.execute("SELECT judge_id, signature FROM judges"))
        names = {number: (name, name.split("@")[0]) for number, name in judges.items()}
        wanted = {number for number in judges if judge is None or judge in names[number]}
        if judge is not None and not wanted:
            raise unknown_name("judge", judge, judges.values())
        rows = connection.execute(
            """
            SELECT judge_id, kind, verdict, prob, rationale, inputs, place FROM judgments
            UNION ALL
            SELECT j.judge_id, j.kind, j.verdict, j.prob, j.rationale, j.inputs, p.place
            FROM places p JOIN judgments j USING (key)
            """
        )
        for judge_id, kind, verdict, prob, rationale, inputs, place in rows:
            if judge_id not in wanted:
                continue
            try:
                ids = json.loads(place)
                is_placed = "sentence_index" in ids
                judgment = Judgment(
                    kind=Kind(kind),
                    verdict=Verdict(verdict),
                    judge=judges[judge_id],
                    sentence=None if is_placed else json.loads(inputs).get("sentence", ""),
                    prob=prob,
                    rationale=rationale,
                    **ids,
                )
            except (ValueError, TypeError, AttributeError) as exc:
                raise file.damaged(path, f"a judgment cannot be read: {exc}") from exc
            yield judgment


# --- merging ------------------------------------------------------------------------------------


class Merged(NamedTuple):
    """The result of adding one store to another.

    Attributes:
        num_known: judgments that the target already had, with the same verdict.
        num_conflicts: judgments that it had with another verdict, which is kept.
        conflicts: the first of them: kind, topic, verdict kept, verdict left out.
    """

    source: str
    num_added: int
    num_known: int
    num_conflicts: int
    conflicts: tuple[tuple[str, str, str, str], ...] = ()


def merge(target: str | Path, sources: Sequence[str]) -> Iterator[Merged]:
    """Add the judgments and failures of other stores to a store; yields the result of each.

    The target is created if it does not exist. What it holds is kept, and of several sources the
    first decides. Each source is added completely or not at all.

    Raises:
        InputError, MissingResourceError, UsageError: as `judgments`; no source was added then.
    """
    for source in sources:
        if Path(source).exists() and Path(source).resolve() == Path(target).resolve():
            raise UsageError(f"{source} is the store that is merged into; name other stores")
        file.connect(source, is_writer=False).close()
    with closing(file.connect(target, is_writer=True)) as connection:
        for source in sources:
            with file.reporting_errors(source):
                yield _merge(connection, source)


def _merge(connection: sqlite3.Connection, source: str) -> Merged:
    connection.execute("ATTACH ? AS other", (f"{Path(source).absolute().as_uri()}?mode=ro",))
    try:
        with file.transaction(connection):
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
    conflicts = [
        (kind, json.loads(place)["topic_id"], kept, left_out)
        for kind, place, kept, left_out in connection.execute(
            f"SELECT o.kind, o.place, m.verdict, o.verdict {differs} ORDER BY o.judgment_id LIMIT 5"
        )
    ]
    for statement in _ADD:
        connection.execute(statement)
    return Merged(
        source=source,
        num_added=total - num_same,
        num_known=num_same - num_conflicts,
        num_conflicts=num_conflicts,
        conflicts=tuple(conflicts),
    )


# --- importing ----------------------------------------------------------------------------------

NO_RUN = "the sentence or report is named by its run, and no run is at hand that has it"
NO_DOCUMENT = "the document's text is not at hand"
NO_NUGGET = "the nugget is not at hand"
NO_PLACE = "needs the sentences before it, and no run has it"
NOT_ASKED = "the kind relevant is looked up in the nuggets, not asked of judges"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFiles:
    """The files that have the texts that were judged; see the options of ``argue-eval score``."""

    nuggets: str | None = None
    requests: str | None = None
    collections: Sequence[str] = ()
    runs: Sequence[str] = ()


@dataclass(slots=True)
class Imported:
    """The result of an import.

    Attributes:
        num_known: judgments that the store already had, with the same verdict.
        num_conflicts: judgments that it had with another verdict, which is kept.
        left_out: (kind, reason) with the number of judgments whose key cannot be computed.
    """

    num_added: int = 0
    num_known: int = 0
    num_conflicts: int = 0
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)


def import_judgments(
    path: str | JudgmentStore,
    sources: Sequence[str],
    files: TextFiles | None = None,
    warnings: list[Finding] | None = None,
) -> Imported:
    """Add judgments in JSON lines to a store. Their keys are computed from the texts.

    Args:
        path: the store, which is created if it does not exist.
        files: the texts. Judgments of which a text is missing are left out, and counted.

    Raises:
        InputError: a file has errors, or the store cannot be used.
        MissingResourceError: a file is missing.
    """
    files = files or TextFiles()
    nuggets = formats.read_nuggets(files.nuggets, warnings=warnings) if files.nuggets else []
    found = [
        judgment
        for source in sources
        for judgment in (
            judgments(source)
            if file.is_store(source)
            else formats.iter_judgments(source, nuggets, warnings=warnings)
        )
    ]
    reports = {
        (report.topic_id, report.run_id): report
        for run in files.runs
        for report in formats.read_run(run, warnings=warnings)
    }
    read = formats.read_topics(files.requests, warnings=warnings) if files.requests else []
    requests = {request.topic_id: request for request in read}
    cited = {judgment.doc_id for judgment in found if judgment.kind is Kind.SUPPORT}
    documents = {
        document.doc_id: document
        for document in formats.iter_documents(files.collections, cited, warnings=warnings)
    }
    of_runs = {key: each for report in reports.values() for key, each in report.documents.items()}
    topics = {each.topic_id: each.nuggets for each in nuggets}
    done = Imported()
    with nullcontext(path) if isinstance(path, JudgmentStore) else opened(path) as store:
        for judgment in found:
            name = judgment.topic_id
            topic = Topic(
                topic_id=name,
                nuggets=topics.get(name, ()),
                request=requests.get(name),
                documents=documents,
            )
            report = reports.get((name, judgment.run_id))
            _import(store, judgment, topic, report, of_runs, done)
    return done


def _import(
    store: JudgmentStore,
    judgment: Judgment,
    topic: Topic,
    report: Report | None,
    documents: Mapping[str, Document],
    done: Imported,
) -> None:
    is_whole = judgment.sentence is None and judgment.sentence_index is None
    place = NO_SENTENCE if is_whole else judgment.sentence_index
    is_placed = report is not None and place is not None and place < len(report.sentences)
    if reason := _unknown(judgment, topic, documents, is_placed=is_placed):
        done.left_out[judgment.kind.value, reason] += 1
        return
    if report is None or place is None or not is_placed:
        sentences = (Sentence(judgment.sentence or ""),)
        report, place = Report(judgment.topic_id, "", sentences, documents=documents), 0
    question = Asking(topic, report).question(
        judgment.kind,
        place,
        doc_id=judgment.doc_id,
        nugget_id=judgment.nugget_id,
        answer=judgment.answer,
    )
    (known,) = store.find([question], judgment.judge)
    if known is None:
        reply = Reply(
            index=0,
            verdict=judgment.verdict,
            prob=judgment.prob,
            rationale=judgment.rationale,
        )
        store.add(question, judgment.judge, reply)
        done.num_added += 1
    elif known.verdict is judgment.verdict:
        done.num_known += 1
    else:
        done.num_conflicts += 1


def _unknown(
    judgment: Judgment, topic: Topic, documents: Mapping[str, Document], *, is_placed: bool
) -> str:
    """Why the key of a judgment cannot be computed; empty if it can."""
    kind = judgment.kind
    if kind is Kind.RELEVANT:
        return NOT_ASKED
    if kind in NUGGET_KINDS:
        if judgment.nugget_id not in {nugget.nugget_id for nugget in topic.nuggets}:
            return NO_NUGGET
    elif kind is Kind.SUPPORT and judgment.doc_id not in topic.documents.keys() | documents.keys():
        return NO_DOCUMENT
    if is_placed:
        return ""
    if kind is Kind.FIRST_INSTANCE:
        return NO_PLACE
    return NO_RUN if judgment.sentence is None else ""
