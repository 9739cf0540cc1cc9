"""Judgments of a file into a store: their keys are computed from the texts that were judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from argue_eval import formats
from argue_eval.errors import Finding
from argue_eval.judgments.store import JudgmentStore, opened
from argue_eval.measures.protocols import Asking
from argue_eval.records import (
    NUGGET_KINDS,
    Document,
    Judgment,
    Kind,
    Reply,
    Report,
    ReportRequest,
    Sentence,
    Topic,
    TopicNuggets,
)

NO_SENTENCE = "the sentence is named by its place, and no run has it"
NO_DOCUMENT = "the document's text is not at hand"
NO_NUGGET = "the nugget is not at hand"
NO_PLACE = "needs the sentences before it, and no run has it"
NOT_ASKED = "the kind relevant is looked up in the nuggets, not asked of judges"
WHOLE_REPORT = "judged for the report as a whole"


@dataclass(frozen=True, slots=True)
class TextFiles:
    """Where the texts stand that were judged; see the options of ``argue-eval score``."""

    qrels: str | None = None
    requests: str | None = None
    collections: Sequence[str] = ()
    runs: Sequence[str] = ()


@dataclass(slots=True)
class Imported:
    """What came of an import.

    Attributes:
        num_known: judgments that the store had already, with the same verdict.
        num_conflicts: judgments that it had with another verdict, which stays.
        left_out: (kind, reason) with the number of judgments whose key can't be computed.
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
    """Returns what came of adding judgments in JSON lines to a store.

    Args:
        path: the store, which is made if there is none.
        files: the texts. Judgments of which a text is missing are left out, and counted.

    Raises:
        InputError: a file has errors, or the store can't be used.
        MissingResourceError: a file is missing.
    """
    files = files or TextFiles()
    nuggets = formats.read_nuggets(files.qrels, warnings=warnings) if files.qrels else []
    judgments = [
        judgment
        for source in sources
        for judgment in formats.iter_judgments(source, nuggets, warnings=warnings)
    ]
    wanted = {judgment.doc_id for judgment in judgments if judgment.kind is Kind.SUPPORT}
    reports = {
        (report.topic_id, report.run_id): report
        for run in files.runs
        for report in formats.read_run(run, warnings=warnings)
    }
    texts = _Texts(files, nuggets, wanted, reports.values(), warnings)
    done = Imported()
    if isinstance(path, JudgmentStore):
        _add(path, judgments, reports, texts, done)
    else:
        with opened(path) as store:
            _add(store, judgments, reports, texts, done)
    return done


class _Texts:
    """The texts at hand, by topic."""

    def __init__(
        self,
        files: TextFiles,
        nuggets: Sequence[TopicNuggets],
        wanted: set[str],
        reports: Iterable[Report],
        warnings: list[Finding] | None,
    ) -> None:
        self._nuggets = {topic.topic_id: topic.nuggets for topic in nuggets}
        self._requests: dict[str, ReportRequest] = {}
        if files.requests:
            found = formats.read_topics(files.requests, warnings=warnings)
            self._requests = {request.topic_id: request for request in found}
        self.of_runs: dict[str, Document] = {}
        for report in reports:
            self.of_runs.update(report.documents)
        self._documents: dict[str, Document] = {}
        for path in files.collections:
            for document in formats.iter_documents(path, wanted, warnings=warnings):
                self._documents[document.doc_id] = document

    def topic(self, topic_id: str) -> Topic:
        nuggets, request = self._nuggets.get(topic_id, ()), self._requests.get(topic_id)
        return Topic(topic_id, nuggets, request, self._documents)


def _add(
    store: JudgmentStore,
    judgments: Sequence[Judgment],
    reports: Mapping[tuple[str, str], Report],
    texts: _Texts,
    done: Imported,
) -> None:
    for judgment in judgments:
        topic = texts.topic(judgment.topic_id)
        report, reason = _report_of(judgment, reports, topic, texts.of_runs)
        if report is None:
            done.left_out[judgment.kind.value, reason] += 1
            continue
        question = Asking(topic, report).question(
            judgment.kind,
            judgment.sentence_index or 0 if report.run_id else 0,
            doc_id=judgment.doc_id,
            nugget_id=judgment.nugget_id,
            answer=judgment.answer,
        )
        (known,) = store.find([question], judgment.judge)
        if known is None:
            reply = Reply(0, judgment.verdict, judgment.prob, judgment.rationale)
            store.add(question, judgment.judge, reply)
            done.num_added += 1
        elif known.verdict is judgment.verdict:
            done.num_known += 1
        else:
            done.num_conflicts += 1


def _report_of(
    judgment: Judgment,
    reports: Mapping[tuple[str, str], Report],
    topic: Topic,
    documents: Mapping[str, Document],
) -> tuple[Report | None, str]:
    """A report with the sentence that was judged; None and the reason if there is none."""
    kind = judgment.kind
    reason = ""
    if kind is Kind.RELEVANT:
        reason = NOT_ASKED
    elif judgment.sentence is None and judgment.sentence_index is None:
        reason = WHOLE_REPORT
    elif kind in NUGGET_KINDS:
        if judgment.nugget_id not in {nugget.nugget_id for nugget in topic.nuggets}:
            reason = NO_NUGGET
    elif kind is Kind.SUPPORT and judgment.doc_id not in topic.documents.keys() | documents.keys():
        reason = NO_DOCUMENT
    if reason:
        return None, reason
    report = reports.get((judgment.topic_id, judgment.run_id))
    place = judgment.sentence_index
    if report is not None and place is not None and place < len(report.sentences):
        return report, ""
    if kind is Kind.FIRST_INSTANCE:
        return None, NO_PLACE
    if judgment.sentence is None:
        return None, NO_SENTENCE
    sentences = (Sentence(judgment.sentence),)
    return Report(judgment.topic_id, "", sentences, documents=documents), ""
