"""Reads and checks everything that a score rests on, before the first run is scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeVar

from argue_eval.errors import Finding, Findings, InputError, UsageError, unknown_name
from argue_eval.evaluation.crosschecks import (
    check_attestation,
    check_attesting,
    check_cited,
    check_claims,
    check_nuggets_made,
    check_whole,
    topics_to_score,
)
from argue_eval.evaluation.groups import Groups, Parts, groups_of, parts_of
from argue_eval.evaluation.judging import NOBODY, JudgeNames, make_judges, texts_of
from argue_eval.evaluation.response_points import ResponsePoints, read_response_points
from argue_eval.evaluation.runs import (
    NO_STORED,
    Reports,
    RunOfFile,
    Runs,
    check_judged,
    read_ahead,
    read_known,
    read_runs,
)
from argue_eval.evaluation.scoring import Digest, Signature, of_nuggets, of_requests
from argue_eval.evaluation.walking import Plan, TopicPlan, not_by_nugget
from argue_eval.formats.files import ONE_RUN_A_FILE, holds, sources
from argue_eval.formats.jsonl import Source
from argue_eval.formats.processes import Progress
from argue_eval.formats.reading import nuggets_of, read_run, read_topics
from argue_eval.judges import Settings, cascade
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.measures.protocols import CLAIMS_SOUGHT_IN, argue
from argue_eval.measures.rankings import ORDERS
from argue_eval.records import (
    Document,
    Judgment,
    Nugget,
    ReportRequest,
    Run,
    ScoringOptions,
    Topic,
    TopicNuggets,
)

_CHOICES = {
    "reading": argue.READINGS,
    "citations": argue.CITATIONS,
    "attestation": argue.ATTESTATIONS,
    "covers": ("", *CLAIMS_SOUGHT_IN),
    "citation_order": ORDERS,
}

_Record = TypeVar("_Record")

NUM_SCORED = 20_000
"""Runs with so many sentences are scored together where no judge is asked: enough that what is
known of a topic is fetched from memory once for many, and few enough to keep their outcomes."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be scored, and how: files by their paths (``-`` is standard input), or records.

    A path may be that of a folder, or a pattern, and stands for its files.

    Attributes:
        is_checked: it was scored before, and its documents need no warnings again.
    """

    runs: Sequence[str | Run]
    nuggets: str | Sequence[str | TopicNuggets]
    topics: str | Sequence[str | ReportRequest] | None = None
    collections: Sequence[str | Sequence[Document]] = ()
    judgments: Sequence[str | Sequence[Judgment]] = ()
    judges: JudgeNames = field(default_factory=JudgeNames)
    measures: Sequence[str] = ()
    options: ScoringOptions = field(default_factory=ScoringOptions)
    protocol: str = "argue"
    store: str | None = None
    settings: Settings = field(default_factory=Settings)
    by: Sequence[str] = ()
    response_points: Sequence[str] = ()
    is_checked: bool = False


def check_choices(options: ScoringOptions, sign: str = "") -> None:
    """Refuses options of scoring that have a value which does not exist.

    Args:
        sign: what stands before the names of options in messages, such as ``--``.

    Raises:
        UsageError: with the choices of the first of them.
    """
    for name, choices in _CHOICES.items():
        value = getattr(options, name)
        if value not in choices:
            shown = f"{sign}{name.replace('_', '-')}" if sign else name
            raise unknown_name(shown, value, filter(None, choices))
    for name in ("only_answered", "judged_only"):
        if getattr(options, name) not in (True, False):
            raise UsageError(f"{name}: expected True or False, found {getattr(options, name)!r}")


@dataclass(frozen=True, slots=True)
class Inputs:
    """Checked input, ready to be scored.

    Attributes:
        topics: what is averaged over, in the order of the output.
        signature: all that could change a number, but for the topics of a run.
        kept: the reports of the runs that are few enough to keep in memory.
        groups: the topics by what the user wants averages for besides.
        parts: topics with some of their nuggets, likewise.
        is_costly: is some judge slow or paid?
        num_sentences: how many sentences all runs have.
    """

    runs: Sequence[RunOfFile]
    topics: Mapping[str, TopicPlan]
    judgments: JudgmentIndex
    judges: cascade.Judges
    signature: Signature
    kept: Mapping[RunOfFile, Reports]
    groups: Groups
    parts: Parts
    is_costly: bool
    num_sentences: int

    def judged_together(self, num_scored: int = NUM_SCORED) -> Iterator[list[RunOfFile]]:
        """Yields the runs, as many together as are in memory if a judge makes few calls then.

        Runs of one id are apart: what is judged of a place in one would be taken for the other's.

        Args:
            num_scored: so many sentences are together where no judge is asked.
        """
        together: dict[str, RunOfFile] = {}
        num_together = 0
        for run in self.runs:
            num_sentences = sum(len(each.sentences) for each in self.kept.get(run, {}).values())
            num_together += num_sentences
            is_alone = run not in self.kept or bool(self.judges and not self.is_costly)
            is_full = not self.judges and num_together > num_scored
            if together and (is_alone or is_full or run.run_id in together):
                yield list(together.values())
                together, num_together = {}, num_sentences
            if is_alone:
                yield [run]
            else:
                together[run.run_id] = run
        if together:
            yield list(together.values())

    def reports_of(self, run: RunOfFile) -> Reports:
        """A run's reports by topic, without those of topics that are not scored."""
        if run in self.kept:
            return self.kept[run]
        return {
            report.topic_id: report
            for report in read_run(run.source)
            if report.run_id == run.run_id and report.topic_id in self.topics
        }


def read(job: Job, plan: Plan, warnings: list[Finding], progress: Progress | None = None) -> Inputs:
    """Reads and checks everything that is needed to score a job.

    Args:
        warnings: warnings are added to this list.
    """
    findings = Findings(listed=warnings)
    job, asked = _read_topics(job, plan, findings)
    ahead: AbstractContextManager[list[Source]] = nullcontext([])
    if job.judgments and len(job.runs) > 1:  # one is not worth it
        ahead = read_ahead(job.judgments[0], job.runs, asked.nuggets)
    with ahead as held:
        runs = read_runs(job.runs, plan, asked.scored.keys(), findings, progress)
        shown = _Shown({}, {}, "none")
        if job.collections or job.judges != NOBODY:
            shown = _read_documents(job, plan, asked, runs, findings)
        is_checked = job.is_checked or asked.attesting <= runs.cited
        if not is_checked and (job.collections or job.options.attestation == "cited-document"):
            at_hand = shown.documents if job.collections else None
            check_attesting(asked.qrels, asked.nuggets, runs.cited, at_hand, findings)
        if any(each.reads_held_judgments for each in plan.protocols.values()):
            held += _holders(job, runs.found)
        index, judgments_digest = read_known(job.judgments, held, asked.nuggets, findings)
    points = ResponsePoints({}, "")
    if job.response_points:
        run_ids = {run.run_id for run in runs.found}
        points = read_response_points(job.response_points, run_ids, asked.scored, findings)
    inputs = Inputs(
        runs=runs.found,
        topics=_topic_plans(job, plan, asked, shown.documents, points),
        judgments=index,
        judges=shown.judges,
        signature=Signature(
            protocol=job.protocol,
            options=plan.wanted.options,
            nuggets=of_nuggets(asked.nuggets),
            judges={kind: cascade.signature_of(each) for kind, each in shown.judges.items()},
            judgments=judgments_digest,
            documents=shown.name,
            requests=of_requests(asked.requests) if shown.judges else "none",
            points=points.digest,
        ),
        kept=runs.kept,
        groups=asked.groups,
        parts=asked.parts,
        is_costly=bool(shown.judges) and job.judges.is_costly(),
        num_sentences=runs.num_sentences,
    )
    if index.judges:
        # Key points that were extracted from responses may be all that is judged.
        is_checked = bool(job.judgments and not job.response_points)
        reports = (each for run in runs.found for each in inputs.reports_of(run).values())
        check_judged(index, reports, job.judgments, findings, may_be_foreign=is_checked)
    return inputs


class _Topics(NamedTuple):
    """What is asked, and what reports should say.

    Attributes:
        qrels: how messages call the nuggets.
        nuggets: those of all topics that have some.
        scored: those of the topics that are averaged over, in the order of the output.
        attesting: the documents that attest an answer.
    """

    qrels: str
    nuggets: Sequence[TopicNuggets]
    requests: Sequence[ReportRequest]
    scored: Mapping[str, tuple[Nugget, ...]]
    attesting: Set[str]
    groups: Groups
    parts: Parts


def _read_topics(job: Job, plan: Plan, findings: Findings) -> tuple[Job, _Topics]:
    """The topics, after a check that their nuggets are such as the measures need; and the job with
    the files that its patterns and folders stand for.
    """
    protocols = plan.protocols.values()
    named = [job.nuggets] if isinstance(job.nuggets, str) else job.nuggets
    qrels = ", ".join(each for each in named if isinstance(each, str)) or "nuggets"
    job = replace(
        job,
        runs=_expanded(job.runs, "runs", findings.listed),
        nuggets=_expanded(named, "nuggets", findings.listed),
        topics=_expanded(job.topics or (), "requests", findings.listed),
        judgments=_expanded(job.judgments, "judgments", findings.listed),
    )
    nuggets = [each for each in job.nuggets if isinstance(each, TopicNuggets)]
    files = [Source(each) for each in job.nuggets if isinstance(each, str)]
    nuggets += nuggets_of(files, warnings=findings.listed)
    if len(files) < len(job.nuggets):
        check_nuggets_made(nuggets, qrels)
    requests: list[ReportRequest] = []
    if job.topics:
        requests += [each for each in job.topics if isinstance(each, ReportRequest)]
        paths = [each for each in job.topics if isinstance(each, str)]
        requests += read_topics(paths, warnings=findings.listed) if paths else []
    of_topics = [each.doc_ids for each in nuggets]
    attesting = set[str]().union(*of_topics)
    needs_attestation = plan.has_others or any(each.needs_attestation for each in protocols)
    is_needed = needs_attestation and job.options.attestation == "cited-document"
    if is_needed and not (all(of_topics) and len(attesting) >= len(nuggets)):
        check_attestation(qrels, nuggets, findings)
    scored = {each.topic_id: each.nuggets for each in nuggets}
    if requests:
        scored = topics_to_score(qrels, [each.topic_id for each in requests], nuggets, findings)
    has_others = plan.has_others or job.response_points or not protocols
    if not has_others and all(each.grades_claims for each in protocols):
        check_claims(qrels, chain(*scored.values()))
    groups: Groups = {}
    parts: Parts = {}
    if job.by:
        groups = groups_of(job.by, scored, requests, nuggets)
        parts = parts_of(job.by, groups, scored)
        if parts and not all(each.grades_each_nugget for each in protocols):
            raise not_by_nugget(next(iter(parts)))
    return job, _Topics(qrels, nuggets, requests, scored, attesting, groups, parts)


def _topic_plans(
    job: Job,
    plan: Plan,
    asked: _Topics,
    documents: Mapping[str, Document],
    points: ResponsePoints,
) -> dict[str, TopicPlan]:
    """The protocols of every topic, given all that is known of it."""
    known_ids: Set[str] | None = None
    if job.options.attestation == "any-document" and (
        job.collections or asked.attesting or documents
    ):
        known_ids = asked.attesting | documents.keys()
    request_of = {request.topic_id: request for request in asked.requests}
    plans = {}
    for topic_id, found in asked.scored.items():
        of_runs = points.by_topic.get(topic_id, {})
        topic = Topic(topic_id, found, request_of.get(topic_id), documents, of_runs, known_ids)
        protocols = {name: each(topic, plan.wanted) for name, each in plan.protocols.items()}
        plans[topic_id] = TopicPlan(topic, protocols, plan.wanted.options)
    return plans


class _Shown(NamedTuple):
    """The documents that the runs cite, the judges, and how the signature calls the documents that
    these see.
    """

    documents: Mapping[str, Document]
    judges: cascade.Judges
    name: str


def _read_documents(job: Job, plan: Plan, asked: _Topics, runs: Runs, findings: Findings) -> _Shown:
    """The documents and the judges, which may count the terms of these."""
    protocols = plan.protocols.values()
    settings = replace(
        job.settings,
        contradictions=any(each.counts_contradictions for each in protocols),
        criteria=bool(protocols) and all(each.grades_criteria for each in protocols),
    )
    wanted = runs.cited | runs.listed | asked.attesting
    documents: dict[str, Document] = {}
    digest = Digest()
    texts = texts_of(asked.nuggets, job.collections, wanted, documents, digest)
    judges = make_judges(job.judges, texts, settings)
    for _ in texts:
        pass  # the documents that no judge has read are needed all the same
    if judges:
        check_whole(runs.cut.difference(documents), documents, findings)
    if job.collections and not runs.has_documents:
        first = job.collections[0]
        name = first if isinstance(first, str) else "collection"
        check_cited(name, runs.cited, documents, findings)
    names = [each for each in job.collections if isinstance(each, str) and each.startswith("irds:")]
    if len(names) < len(job.collections):
        names.append(str(digest))
    if runs.has_documents:
        names.append("run")
    return _Shown(documents, judges, "+".join(names) or "none" if judges else "none")


def _expanded(
    given: str | Sequence[str | _Record], kind: str, warnings: list[Finding]
) -> list[str | _Record]:
    """What was given, with the files of folders and patterns in the place of these."""
    found: list[str | _Record] = []
    for each in [given] if isinstance(given, str) else given:
        if isinstance(each, str) and each != NO_STORED and not os.path.isfile(each):  # noqa: PTH113
            found += [file.name for file in sources(each, kind, warnings)]
        else:
            found.append(each)
    return found


def _holders(job: Job, runs: Iterable[RunOfFile]) -> list[Source]:
    """The files of runs, as they were read, and of nuggets. A pipe cannot be read again.

    Raises:
        InputError: two of them hold judgments that name runs of one id, and would be mixed.
    """
    if NO_STORED in job.judgments:
        return []
    found: dict[str, Source] = {}
    by_id: dict[str, Source] = {}
    for run in runs:
        if run.name not in job.runs:
            continue
        found[run.name] = run.source
        first = by_id.setdefault(run.run_id, run.source)
        if first.name != run.name and holds("judgments", first) and holds("judgments", run.source):
            message = f"the run id {run.run_id!r} is that of {first.name} too, and each holds "
            message += "judgments of the run with this id: they would be mixed"
            raise InputError(Finding("run_id_taken", message, ONE_RUN_A_FILE, run.name))
    for each in job.nuggets:
        if isinstance(each, str) and each not in found and Path(each).is_file():
            found[each] = Source(each)
    return list(found.values())
