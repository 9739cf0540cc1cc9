"""Judgments out of a store and into it: exported, and imported from files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from argue_eval import formats
from argue_eval.errors import Finding, unknown_name
from argue_eval.formats.jsonl import STORE, Source
from argue_eval.judgments import file
from argue_eval.judgments.rows import DamagedRowError, judgment_of
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
    digest_of,
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
        rows = connection.execute("SELECT judge_id, signature FROM judges")
        judges = {number: name for number, name in rows if type(name) is str}
        names = {number: (name, name.split("@")[0]) for number, name in judges.items()}
        wanted = {number for number in judges if judge is None or judge in names[number]}
        if judge is not None and not wanted:
            raise unknown_name("judge", judge, judges.values())
        rows = connection.execute(
            """
            SELECT judge_id, kind, inputs, place, verdict, prob, rationale FROM judgments
            UNION ALL
            SELECT j.judge_id, j.kind, j.inputs, p.place, j.verdict, j.prob, j.rationale
            FROM places p JOIN judgments j USING (key)
            """
        )
        for judge_id, *values in rows:
            if judge_id in wanted or judge_id not in judges:
                try:
                    yield judgment_of(judges.get(judge_id), *values)
                except DamagedRowError as exc:
                    raise file.damaged(path, f"a judgment cannot be read: {exc}") from exc


# --- importing ----------------------------------------------------------------------------------

NO_RUN = "the sentence or report is named by its run, and no run is at hand that has it"
NO_DOCUMENT = "the document's text is not at hand"
NO_NUGGET = "the nugget is not at hand"
NO_PLACE = "needs the sentences before it, and no run has it"
MOVED = "the run has another sentence in its place now"
NOT_ASKED = "the kind relevant is looked up in the nuggets, not asked of judges"
FIXES = {
    NO_RUN: "give the run with --run RUN",
    NO_DOCUMENT: "give the documents with --collection FILE|irds:ID",
    NO_NUGGET: "give the nuggets with --qrels QRELS",
    NO_PLACE: "give the run with --run RUN",
    MOVED: "give the run as it was judged with --run RUN",
}
"""What helps where the key of a judgment cannot be computed."""


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
            if Path(source).is_file() and Source(source).starts_with(STORE)
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
    text, place = judgment.sentence, judgment.sentence_index
    if text is not None and judgment.kind is not Kind.FIRST_INSTANCE:
        # Its text names it, whatever a run has in its place now.
        report, place = Report(judgment.topic_id, "", (Sentence(text),), documents=documents), 0
    place = NO_SENTENCE if place is None else place
    if report is not None and place >= len(report.sentences):
        report = None
    reason = _unknown(judgment, topic, report)
    if report is None or reason:
        done.left_out[judgment.kind.value, reason] += 1
        return
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


def _unknown(judgment: Judgment, topic: Topic, report: Report | None) -> str:
    """Why the key of a judgment cannot be computed; empty if it can.

    Args:
        report: that has what was judged; None if none is at hand.
    """
    kind, doc_id = judgment.kind, judgment.doc_id
    if kind is Kind.RELEVANT:
        return NOT_ASKED
    nugget_ids = {nugget.nugget_id for nugget in topic.nuggets}
    if kind in NUGGET_KINDS and judgment.nugget_id not in nugget_ids:
        return NO_NUGGET
    at_hand = report.documents if report else ()
    if kind is Kind.SUPPORT and doc_id not in topic.documents and doc_id not in at_hand:
        return NO_DOCUMENT
    if report is None:
        return NO_PLACE if kind is Kind.FIRST_INSTANCE else NO_RUN
    shown, place = judgment.sentence, judgment.sentence_index
    if shown is None or place is None or kind is not Kind.FIRST_INSTANCE:
        return ""
    return "" if digest_of("", shown) == digest_of("", report.sentences[place].text) else MOVED
