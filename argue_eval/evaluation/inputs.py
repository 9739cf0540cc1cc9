"""Reads and checks everything that a score rests on, before the first run is scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TypeVar

from argue_eval._registry import all_names
from argue_eval.errors import (
    Finding,
    Findings,
    UsageError,
    unknown_name,
)
from argue_eval.evaluation import signature
from argue_eval.evaluation.asking import Progress
from argue_eval.evaluation.crosschecks import (
    check_attestation,
    check_attesting,
    check_cited,
    check_claims,
    check_nuggets_made,
    check_texts,
    check_whole,
    topics_to_score,
)
from argue_eval.evaluation.groups import Groups, Parts, groups_of, parts_of
from argue_eval.evaluation.judging import JudgeNames, documents_and_judges, is_costly
from argue_eval.evaluation.response_points import ResponsePoints, read_response_points
from argue_eval.evaluation.runs import (
    NO_STORED,
    Reports,
    RunOfFile,
    Runs,
    check_foreign,
    check_moved,
    check_runs,
    check_set_aside,
    read_ahead,
    read_known,
    without_garbage_collection,
)
from argue_eval.evaluation.signature import Digest
from argue_eval.evaluation.walking import Plan, TopicPlan, load_protocol
from argue_eval.formats.files import sources
from argue_eval.formats.jsonl import Source
from argue_eval.formats.reading import (
    read_nuggets,
    read_run,
    read_topics,
)
from argue_eval.judges import Settings, cascade
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.measures import Family
from argue_eval.measures.protocols import CLAIMS_SOUGHT_IN, argue
from argue_eval.measures.rankings import ORDERS
from argue_eval.records import (
    Document,
    Judgment,
    Kind,
    Nugget,
    Report,
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
        kept: the reports of the runs that are few enough to keep in memory.
        groups: the topics by what the user wants averages for besides.
        parts: topics with some of their nuggets, likewise.
        documents_name: how the signature calls the documents that judges see.
        requests_digest: the digest of the requests that judges see.
        is_costly: is some judge slow or paid?
        points_digest: the digest of the key points that were extracted from reports.
        num_sentences: how many sentences all runs have.
    """

    runs: tuple[RunOfFile, ...]
    topics: Mapping[str, TopicPlan]
    judgments: JudgmentIndex
    judges: cascade.Judges
    nuggets_digest: str
    judgments_digest: str
    documents_name: str
    requests_digest: str
    kept: Mapping[RunOfFile, Reports] = field(default_factory=dict)
    groups: Groups = field(default_factory=dict)
    parts: Parts = field(default_factory=dict)
    is_costly: bool = False
    points_digest: str = ""
    num_sentences: int = 0

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


@without_garbage_collection()
def read(job: Job, plan: Plan, warnings: list[Finding], progress: Progress | None = None) -> Inputs:
    """Reads and checks everything that is needed to score a job.

    Args:
        warnings: warnings are added to this list.
    """
    findings = Findings(listed=warnings)
    for name in job.judges.all_stages():
        job.judges.plugin(name)  # a mistyped name is reported before anything long begins
    protocols = plan.protocols.values()
    files, nuggets = _files_and_records(job.nuggets)
    qrels = ", ".join(files) or "nuggets"
    are_made = bool(nuggets)
    nuggets += read_nuggets(files, warnings=warnings)
    if are_made:
        check_nuggets_made(nuggets, qrels)
    job = replace(
        job,
        runs=_expanded(job.runs, "runs", warnings),
        nuggets=_expanded(files, "nuggets"),
        judgments=_expanded(job.judgments, "judgments", warnings),
    )
    requests: list[ReportRequest] = []
    if job.topics:
        files, requests = _files_and_records(job.topics)
        requests += read_topics(files, warnings=warnings) if files else []
    topics = _topics_to_score(job, plan, qrels, nuggets, requests, findings)
    groups = groups_of(job.by, topics, requests, nuggets) if job.by else {}
    parts = parts_of(job.by, groups, topics) if job.by else {}
    if parts and not all(each.grades_each_nugget for each in protocols):
        raise _not_by_nugget(next(iter(parts)))
    held = read_ahead(job.judgments, job.runs, nuggets) if len(job.runs) > 1 else []
    runs = _read_runs(job, plan, topics.keys(), findings, progress)
    attesting = set[str]().union(*(each.doc_ids for each in nuggets))
    settings = replace(
        job.settings,
        contradictions=any(each.counts_contradictions for each in protocols),
        criteria=bool(protocols) and all(each.grades_criteria for each in protocols),
    )
    wanted = runs.cited | runs.listed | attesting
    documents, judges, digest = documents_and_judges(
        job.judges, settings, job.collections, nuggets, wanted
    )
    if judges:
        check_whole(runs.cut.difference(documents), documents, findings)
    if job.collections and not runs.has_documents:
        check_cited(_name_of(job.collections[0], "collection"), runs.cited, documents, findings)
    if not attesting <= runs.cited and (
        job.collections or job.options.attestation == "cited-document"
    ):
        at_hand = documents if job.collections else None
        check_attesting(qrels, nuggets, runs.cited, at_hand, findings)
    reads_held = any(each.reads_held_judgments for each in protocols)
    held += _holders(job, [run.source for run in runs.found]) if reads_held else []
    index, judgments_digest = read_known(job.judgments, held, nuggets, findings)
    points = ResponsePoints({}, "")
    if job.response_points:
        run_ids = {run.run_id for run in runs.found}
        points = read_response_points(job.response_points, run_ids, topics, findings)
    any_ids = attesting | documents.keys() if job.options.attestation == "any-document" else None
    known_ids = any_ids if any_ids or job.collections else None
    request_of = {request.topic_id: request for request in requests}
    plans = {}
    for topic_id, found in topics.items():
        of_runs = points.by_topic.get(topic_id, {})
        topic = Topic(topic_id, found, request_of.get(topic_id), documents, of_runs, known_ids)
        plans[topic_id] = plan.for_topic(topic)
    inputs = Inputs(
        runs=tuple(runs.found),
        topics=plans,
        judgments=index,
        judges=judges,
        nuggets_digest=signature.of_nuggets(nuggets),
        judgments_digest=judgments_digest,
        documents_name=_documents_name(job, runs.has_documents, digest) if judges else "none",
        requests_digest=signature.of_requests(requests) if judges else "none",
        kept=runs.kept,
        groups=groups,
        parts=parts,
        is_costly=bool(judges) and is_costly(job.judges),
        points_digest=points.digest,
        num_sentences=runs.num_sentences,
    )
    if index.judges:
        _check_judged(inputs, job, findings)
    return inputs


def _read_runs(
    job: Job, plan: Plan, topic_ids: Set[str], findings: Findings, progress: Progress | None
) -> Runs:
    """Reads the runs, and checks that they have what the measures look at."""
    protocols = plan.protocols.values()
    runs = check_runs(
        [Source(run) if isinstance(run, str) else run for run in job.runs],
        topic_ids,
        findings,
        progress,
        lists_count=any(each.reads_references for each in protocols),
        confidence_counts=job.options.citation_order == "confidence",
    )
    if runs.textless:
        usable = [each for each in all_names("protocols") if not load_protocol(each).reads_texts]
        is_needed = plan.has_others or any(each.reads_texts for each in protocols)
        check_texts(runs.textless, usable, is_needed=is_needed)
    return runs


def _check_judged(inputs: Inputs, job: Job, findings: Findings) -> None:
    """Checks that judgments are about the runs, and which of several judges count."""
    index = inputs.judgments

    def reports() -> Iterator[Report]:
        return chain.from_iterable(inputs.reports_of(run).values() for run in inputs.runs)

    if len(index.judges) > 1:
        check_set_aside(index, reports(), job.judgments, findings)
    if index.shown:
        check_moved(index, reports(), findings)
    # Key points that were extracted from responses may be all that is judged.
    if job.judgments and not job.response_points:
        check_foreign(index, reports(), job.judgments, findings)


def _topics_to_score(
    job: Job,
    plan: Plan,
    qrels: str,
    nuggets: Sequence[TopicNuggets],
    requests: Sequence[ReportRequest],
    findings: Findings,
) -> dict[str, tuple[Nugget, ...]]:
    """The nuggets of the topics to score, after a check that they are such as the measures need."""
    protocols = plan.protocols.values()
    needs_attestation = plan.has_others or any(each.needs_attestation for each in protocols)
    if needs_attestation and job.options.attestation == "cited-document":
        attesting = [each.doc_ids for each in nuggets]
        if not all(attesting) or len(set[str]().union(*attesting)) < len(attesting):
            check_attestation(qrels, nuggets, findings)
    topics = {each.topic_id: each.nuggets for each in nuggets}
    if requests:
        topics = topics_to_score(qrels, [each.topic_id for each in requests], nuggets, findings)
    has_others = plan.has_others or job.response_points or not protocols
    if not has_others and all(each.grades_claims for each in protocols):
        check_claims(qrels, chain(*topics.values()))
    return topics


def _files_and_records(given: str | Sequence[str | _Record]) -> tuple[list[str], list[_Record]]:
    listed = [given] if isinstance(given, str) else given
    files = [each for each in listed if isinstance(each, str)]
    return files, [each for each in listed if not isinstance(each, str)]


def _expanded(
    given: Sequence[str | _Record], kind: str, warnings: list[Finding] | None = None
) -> list[str | _Record]:
    """What was given, with the files of folders and patterns in the place of these."""
    found: list[str | _Record] = []
    for each in given:
        if isinstance(each, str) and each != NO_STORED and not os.path.isfile(each):  # noqa: PTH113
            found += [file.name for file in sources(each, kind, warnings)]
        else:
            found.append(each)
    return found


def _holders(job: Job, of_runs: Iterable[Source]) -> list[Source]:
    """The files of runs, as they were read, and of nuggets. A pipe cannot be read again."""
    found = {source.name: source for source in of_runs if source.name in job.runs}
    for each in job.nuggets:
        if isinstance(each, str) and each not in found and Path(each).is_file():
            found[each] = Source(each)
    return list(found.values())


def _name_of(given: str | Sequence[_Record], name: str) -> str:
    return given if isinstance(given, str) else name


def plan_of(job: Job, families: Sequence[Family]) -> Plan:
    """The plan of a job. What claims are sought in is chosen, unless the user did.

    A judge that says so reads the report as a whole, others a sentence at a time. So does a cascade
    with one of the others, since what these are sure of is known of sentences.

    Raises:
        UsageError: an option is set that nothing looks at.
    """
    plan = Plan.for_measures(families, job.options)
    given, default = job.options, ScoringOptions()
    chosen = {name for name in _OF_PROTOCOLS if getattr(given, name) != getattr(default, name)}
    if job.response_points:
        chosen.add("response_points")
    unused = chosen.difference(*(each.options for each in plan.protocols.values()))
    if unused and not plan.has_others:
        raise _not_used(min(unused))
    if job.options.covers or not any("covers" in each.options for each in plan.protocols.values()):
        return plan
    name = job.judges.by_kind().get(Kind.COVERS)
    plugins = [job.judges.plugin(each) for each in job.judges.stages(name)] if name else []
    is_whole = bool(plugins) and all(each is not None and each.READS_REPORTS for each in plugins)
    covers = "report" if is_whole else "sentence"
    return Plan.for_measures(families, job.options._replace(covers=covers))


_OF_PROTOCOLS = ("reading", "citations", "attestation", "weights", "covers")
"""The options of scoring that only some protocols look at."""


def _not_used(name: str) -> UsageError:
    users = [each for each in all_names("protocols") if name in load_protocol(each).options]
    return UsageError(
        f"--{name.replace('_', '-')} is for measures of the protocol{'s' * (len(users) > 1)} "
        f"{_listed(users)}, and none of these is asked for: leave it out, or see --protocol and -m"
    )


def _listed(protocols: Sequence[str]) -> str:
    *before, last = (each.replace("_", "-") for each in protocols)
    return f"{', '.join(before)} and {last}" if before else last


def _not_by_nugget(key: str) -> UsageError:
    names = [each for each in all_names("protocols") if load_protocol(each).grades_each_nugget]
    return UsageError(
        f"--by {key}: this is a key of nuggets, for measures of the protocols "
        f"{_listed(names)}, and others are asked for; see --protocol and -m"
    )


def _documents_name(job: Job, has_documents: bool, digest: Digest) -> str:
    names = [
        given for given in job.collections if isinstance(given, str) and given.startswith("irds:")
    ]
    if len(names) < len(job.collections):
        names.append(str(digest))
    if has_documents:
        names.append("run")
    return "+".join(names) or "none"
