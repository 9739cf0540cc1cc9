"""Reading without the search for reference cycles."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import NamedTuple

from argue_eval import _registry, formats
from argue_eval.errors import Finding, InputError, UsageError, unknown_name
from argue_eval.evaluation import signature
from argue_eval.evaluation.crosschecks import (
    Warnings,
    attesting,
    check_attestation,
    check_attesting,
    check_cited,
    check_claims,
    check_run_topics,
    count,
    topics_to_score,
)
from argue_eval.evaluation.groups import Groups, groups_of
from argue_eval.evaluation.judging import Texts
from argue_eval.evaluation.plan import GRADES_CLAIMS, NEEDS_NO_ATTESTATION, SEEKS_CLAIMS, TopicWork
from argue_eval.evaluation.response_points import read_response_points
from argue_eval.evaluation.signature import NUGGET_KINDS, SENTENCE_KINDS, Digest
from argue_eval.evaluation.unused import check_used
from argue_eval.formats.jsonl import Source
from argue_eval.judges import Judge, Settings
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.records import Document, Kind, Report, ScoringOptions, TopicNuggets


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Stops the search for reference cycles meanwhile.

    What is read are millions of records that are kept and hold no cycles. To look through all of
    them again and again for some takes a fifth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# --- Reads all runs once and checks them, before the first is scored ---


Progress = Callable[[str, int, int], None]
Reports = dict[str, Report]

_MAX_KEPT = 200_000
"""So many sentences are kept from the first reading, about 200 MB; further runs are read again."""


class RunOfFile(NamedTuple):
    """One run. A file of most forms holds one; a haystack of SummHay holds many."""

    source: Source
    run_id: str

    @property
    def name(self) -> str:
        """Returns the file's name."""
        return self.source.name


@dataclass(slots=True)
class Runs:
    """What was found in all runs, read once so that an error in the last stops the first.

    Attributes:
        found: all runs, in the order of the files and of their first reports.
        lists_count: are the documents wanted that the reports list and do not cite?
        cited: ids of the documents that are cited.
        listed: ids of those that the reports list, if they are wanted.
        has_documents: does any run bring texts of its own?
        kept: the reports of each run that are to be scored, while there are few.
    """

    topics: Collection[str]
    lists_count: bool = False
    cited: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    has_documents: bool = False
    kept: dict[RunOfFile, Reports] = field(default_factory=dict)
    found: list[RunOfFile] = field(default_factory=list)
    num_sentences: int = 0

    def read(self, source: Source, warnings: list[Finding]) -> dict[str, list[str]]:
        """Returns the topics of each run of a file, by the run's id."""
        topic_ids: dict[str, list[str]] = {}
        reports: dict[str, Reports] = {}
        for report in formats.read_run(source, warnings=warnings):
            topic_ids.setdefault(report.run_id, []).append(report.topic_id)
            self.has_documents = self.has_documents or bool(report.documents)
            self.num_sentences += len(report.sentences)
            if self.lists_count:
                self.listed.update(report.references or ())
            for sentence in report.sentences:
                self.cited.update([citation.doc_id for citation in sentence.citations])
            if self._has_room() and report.topic_id in self.topics:
                reports.setdefault(report.run_id, {})[report.topic_id] = report
        for run_id in topic_ids or ("",):
            run = RunOfFile(source, run_id)
            self.found.append(run)
            if self._has_room():
                self.kept[run] = reports.get(run_id, {})
        return topic_ids

    def _has_room(self) -> bool:
        return self.num_sentences <= _MAX_KEPT and not self.has_documents


def check_runs(
    sources: Sequence[Source],
    topics: Collection[str],
    odd: Warnings,
    progress: Progress | None,
    *,
    lists_count: bool = False,
) -> Runs:
    """Returns what was found in all runs.

    Args:
        lists_count: documents are wanted that the reports list and do not cite.

    Raises:
        InputError: some run has errors; those of all runs are named.
    """
    runs = Runs(topics, lists_count)
    findings: list[Finding] = []
    run_ids: dict[str, str] = {}
    for number, source in enumerate(sources):
        if progress:
            progress("checking runs", number, len(sources))
        try:
            found = runs.read(source, odd.findings)
        except InputError as exc:
            findings.extend(exc.findings)
            continue
        findings.extend(_check_topics(source.name, found, topics, odd))
        for run_id in found:
            if run_id in run_ids:
                message = f"the run id {run_id!r} is that of {run_ids[run_id]} too"
                odd.add(source.name, "run_id_taken", message, "give every run an id of its own")
            run_ids.setdefault(run_id, source.name)
    if findings:
        raise InputError(findings)
    return runs


def _check_topics(
    file: str, found: Mapping[str, Sequence[str]], topics: Collection[str], odd: Warnings
) -> list[Finding]:
    """Returns an error if a file has no topic that is scored; warns of missing and extra ones."""
    if len(found) <= 1:
        return check_run_topics(file, next(iter(found.values()), ()), topics, odd)
    together = list(dict.fromkeys(topic_id for each in found.values() for topic_id in each))
    errors = check_run_topics(file, together, topics, odd)
    partial = [run_id for run_id, each in found.items() if not set(together).issubset(each)]
    if partial:
        message = f"{len(partial)} of {count(found, 'run')} lack reports that others have"
        odd.add(file, "missing_topics", message, "each counts 0, unless --only-answered")
    return errors


# --- Reads and checks everything that a score rests on, before the first run is scored ---


NO_STORED = "none"
"""Stands among the files of judgments, and leaves out those that runs or nuggets hold."""


@dataclass(frozen=True, slots=True)
class JudgeNames:
    """Who answers what the judgment files leave open: a judge's name, or ``none``."""

    support: str = "lexical"
    nugget: str = "lexical"
    sentence: str = "lexical"

    def by_kind(self) -> dict[Kind, str]:
        """Returns the judge's name for every kind that a judge answers."""
        names = {Kind.SUPPORT: self.support}
        names.update(dict.fromkeys(NUGGET_KINDS, self.nugget))
        names.update(dict.fromkeys(SENTENCE_KINDS, self.sentence))
        return {kind: name for kind, name in names.items() if name != "none"}


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be scored, and how. Paths may be ``-``; see the command line for the options."""

    runs: Sequence[str]
    qrels: str
    requests: str | None = None
    collections: Sequence[str] = ()
    judgments: Sequence[str] = ()
    judges: JudgeNames = field(default_factory=JudgeNames)
    measures: Sequence[str] = ()
    options: ScoringOptions = field(default_factory=ScoringOptions)
    protocol: str = "argue"
    store: str | None = None
    settings: Settings = field(default_factory=Settings)
    by: Sequence[str] = ()
    response_points: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Inputs:
    """Checked input, ready to be scored.

    Attributes:
        topics: what is averaged over, in the order of the output.
        kept: the reports of the runs that are few enough to keep in memory.
        groups: the topics by what the user wants averages for besides.
        documents_name: how the signature calls the documents that judges see.
        requests_digest: the digest of the requests that judges see.
        is_costly: is some judge slow or dear?
        points_digest: the digest of the key points that were extracted from reports.
    """

    runs: tuple[RunOfFile, ...]
    topics: Mapping[str, TopicWork]
    texts: Texts
    judgments: JudgmentIndex
    judges: Mapping[Kind, Judge]
    nuggets_digest: str
    judgments_digest: str
    documents_name: str
    requests_digest: str
    kept: Mapping[RunOfFile, Reports] = field(default_factory=dict)
    groups: Groups = field(default_factory=dict)
    is_costly: bool = False
    points_digest: str = ""

    def judged_together(self) -> Iterator[list[RunOfFile]]:
        """Yields the runs, as many together as are in memory if a judge makes few calls then.

        Runs of one id are apart: what is judged of a place in one would be taken for the other's.
        """
        together: dict[str, RunOfFile] = {}
        for run in self.runs:
            is_alone = not self.is_costly or run not in self.kept
            if together and (is_alone or run.run_id in together):
                yield list(together.values())
                together = {}
            if is_alone:
                yield [run]
            else:
                together[run.run_id] = run
        if together:
            yield list(together.values())

    def reports_of(self, run: RunOfFile) -> Reports:
        """Returns a run's reports by topic, without those of topics that are not scored."""
        if run in self.kept:
            return self.kept[run]
        return {
            report.topic_id: report
            for report in formats.read_run(run.source)
            if report.run_id == run.run_id and report.topic_id in self.topics
        }


@without_garbage_collection()
def read(
    job: Job,
    warnings: list[Finding],
    progress: Progress | None = None,
    protocols: Collection[str | None] = ("argue",),
) -> Inputs:
    """Returns everything that is needed to score a job.

    Args:
        warnings: what is odd but not wrong is added to this list.
        protocols: those whose outcomes the requested measures read.
    """
    odd = Warnings(warnings)
    for name in set(job.judges.by_kind().values()):
        _load_judge(name)  # a mistyped name is told before anything long begins
    nuggets = formats.read_nuggets(job.qrels, warnings=warnings)
    requests = formats.read_topics(job.requests, warnings=warnings) if job.requests else []
    is_lifted = job.options.attestation != "cited-document"
    if not is_lifted and not NEEDS_NO_ATTESTATION.issuperset(protocols):
        check_attestation(job.qrels, nuggets, odd)
    if not GRADES_CLAIMS.isdisjoint(protocols):
        check_claims(job.qrels, nuggets, odd)
    requested = [request.topic_id for request in requests]
    topics = topics_to_score(job.qrels, requested, nuggets, odd)
    groups = groups_of(job.by, topics, requests, nuggets)
    sources = tuple(Source(path) for path in job.runs)
    runs = check_runs(sources, topics, odd, progress, lists_count="key_points" in protocols)
    documents: dict[str, Document] = {}
    digest = Digest()
    wanted = runs.cited | runs.listed | attesting(nuggets)
    texts = _texts(nuggets, job.collections, wanted, documents, digest)
    judges = _judges(job.judges.by_kind(), texts, job.settings)
    for _ in texts:
        pass  # the documents that no judge has read are needed all the same
    if job.collections:
        if not runs.has_documents:
            check_cited(job.collections[0], runs.cited, documents, odd)
        check_attesting(job.qrels, nuggets, runs.cited, documents, odd)
    index, judgments_digest = _judgments(job, nuggets, odd, "summhay" in protocols)
    run_ids = {run.run_id for run in runs.found}
    points = read_response_points(job.response_points, run_ids, topics, odd)
    return Inputs(
        tuple(runs.found),
        {
            topic_id: TopicWork(topic_id, found, points.by_topic.get(topic_id, {}))
            for topic_id, found in topics.items()
        },
        Texts(
            {request.topic_id: request for request in requests},
            {each.topic_id: {nug.nugget_id: nug for nug in each.nuggets} for each in nuggets},
            documents,
        ),
        index,
        judges,
        signature.of_nuggets(nuggets),
        judgments_digest,
        _documents_name(job, runs.has_documents, digest) if judges else "none",
        signature.of_requests(requests) if judges else "none",
        runs.kept,
        groups,
        is_costly(job.judges),
        points.digest,
    )


def _texts(
    nuggets: Sequence[TopicNuggets],
    collections: Sequence[str],
    wanted: set[str],
    documents: dict[str, Document],
    digest: Digest,
) -> Iterator[str]:
    """Yields the texts from which judges may count terms: the nuggets and the collections.

    Never the runs: a verdict must not depend on what else is scored. Keeps the wanted documents
    on the way.
    """
    for path in collections:
        is_file = not path.startswith("irds:")
        for document in formats.read_documents(path, None if is_file else wanted):
            if document.doc_id in wanted:
                documents[document.doc_id] = document
            if is_file:
                signature.add_document(digest, document)
                yield f"{document.title}\n{document.text}"
    for topic in nuggets:
        for nugget in topic.nuggets:
            yield nugget.question or ""
            for answer in nugget.answers:
                yield answer.answer


def _judges(
    names: Mapping[Kind, str], texts: Iterable[str], settings: Settings
) -> dict[Kind, Judge]:
    """Returns the judge of every kind; one instance per name."""
    made: dict[str, Judge] = {}
    judges: dict[Kind, Judge] = {}
    for kind, name in names.items():
        if name not in made:
            model = name.partition(":")[2]
            module = _load_judge(name)
            made[name] = module.create(model, texts, settings)
            if settings.executor == "ray" and module.IS_COSTLY:
                from argue_eval.judges import cluster

                made[name] = cluster.spread(made[name], name, settings)
        if kind in made[name].kinds:
            judges[kind] = made[name]
    return judges


def _load_judge(name: str) -> ModuleType:
    """Returns the module of a judge.

    Raises:
        UsageError: there is no such judge, or it takes a model where none is named, or none.
    """
    plugin, _, model = name.partition(":")
    if plugin == "none":
        raise UsageError(f"the judge 'none' takes no model, found {name!r}")
    try:
        module = _registry.load("judges", plugin)
    except UsageError:
        raise unknown_name("judge", plugin, [*_registry.names("judges"), "none"]) from None
    if model and not module.MODEL:
        raise UsageError(f"the judge {plugin!r} takes no model, found {name!r}")
    if module.MODEL and not model:
        raise UsageError(f"the judge {plugin!r} needs a model: {plugin}:MODEL, {module.MODEL}")
    return module


def options_of(job: Job, protocols: Collection[str | None]) -> ScoringOptions:
    """Returns the options of a job; what claims are sought in is chosen, unless the user did.

    A judge that says so reads the report as a whole, others a sentence at a time.

    Raises:
        UsageError: an option is set that nothing looks at.
    """
    check_used(job.options, job.response_points, protocols)
    if job.options.covers or SEEKS_CLAIMS.isdisjoint(protocols):
        return job.options
    name = job.judges.by_kind().get(Kind.COVERS)
    reads_reports = name is not None and getattr(_load_judge(name), "READS_REPORTS", False)
    return job.options._replace(covers="report" if reads_reports else "sentence")


def is_costly(names: JudgeNames) -> bool:
    """Returns whether some judge's answers are slow or dear, so that they are to be kept."""
    return any(_load_judge(name).IS_COSTLY for name in names.by_kind().values())


def _judgments(
    job: Job, nuggets: Sequence[TopicNuggets], odd: Warnings, has_stored: bool
) -> tuple[JudgmentIndex, str]:
    """Returns the judgments of all files, those of the first file first, and the files' digests.

    Args:
        has_stored: the runs and the nuggets may hold judgments too; they come after the others.
    """
    index = JudgmentIndex()
    digests = []
    named = [path for path in job.judgments if path != NO_STORED]
    has_stored = has_stored and len(named) == len(job.judgments)
    others = [path for path in [*job.runs, job.qrels] if path not in named]
    stored = formats.holding("judgments", others) if has_stored else []
    for path in [*named, *stored]:
        source = Source(path)
        judges = set()
        for judgment in formats.read_judgments(source, nuggets, warnings=odd.findings):
            judges.add(judgment.judge)
            index.add(judgment)
        if path in named or judges:
            digests.append(source.digest()[:8])
        if path in stored and judges:
            message = f"the judgments that it holds are used, by {', '.join(sorted(judges))}"
            odd.add(path, "stored_judgments", message, f"leave them out: --judgments {NO_STORED}")
    if index.num_set_aside:
        first, *others = index.judges
        message = (
            f"{index.num_set_aside} judgments set aside, since an earlier judge answers the same "
            f"question: {first} is used before {', '.join(others)}"
        )
        file = [*named, *stored][0]
        odd.add(file, "several_judges", message, "name the file to use first first")
    return index, "+".join(digests) or "none"


def _documents_name(job: Job, has_documents: bool, digest: Digest) -> str:
    names = [path for path in job.collections if path.startswith("irds:")]
    if len(names) < len(job.collections):
        names.append(str(digest))
    if has_documents:
        names.append("run")
    return "+".join(names) or "none"
