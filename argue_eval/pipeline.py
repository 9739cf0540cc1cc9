"""From files to scores: the wiring, in the order in which things happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from argue_eval import inputs, measures, plan, scoring, signature, trace
from argue_eval.errors import Finding, UsageError
from argue_eval.inputs import without_garbage_collection
from argue_eval.judging import Judging, NumAsks
from argue_eval.records import Judgment, Report
from argue_eval.results import ScoreTable, TopicEvidence
from argue_eval.store.database import JudgmentStore, opened
from argue_eval.store.database import check as check_store
from argue_eval.store.index import Layers

NO_JUDGE = (
    "--store keeps what a judge answers, and no judge is to be asked; to use stored judgments "
    "whoever made them: argue-eval store export STORE -o FILE, then --judgments FILE"
)

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class RunScores:
    """One run's scores, with all that they rest on.

    Attributes:
        evidence: one per topic that is averaged over, in output order.
        knowledge: where the judgments are looked up; valid until the next run is scored.
        judges: the judges' signatures by kind of question.
        open_reasons: (kind, judge, reason) with the number of questions that stayed open.
        num_asks: how many asks came to which end.
    """

    table: ScoreTable
    evidence: tuple[TopicEvidence, ...]
    knowledge: Layers
    judges: Mapping[str, str]
    open_reasons: Counter[tuple[str, str, str]]
    num_asks: NumAsks

    def outcome_records(self) -> Iterator[dict[str, Any]]:
        """Yields one record per sentence of the run: its outcome and why; and one per insight."""
        for evidence in self.evidence:
            for index in range(len(evidence.outcomes)):
                yield self.outcome_record(evidence, index)
            for grade in evidence.grades.get("summhay", ()):
                yield trace.insight_record(evidence, grade, self.knowledge)

    def outcome_record(self, evidence: TopicEvidence, index: int) -> dict[str, Any]:
        """Returns the record of one sentence."""
        if evidence.report is None:
            raise IndexError(index)
        view = self.knowledge.of_sentence(evidence.report, index)
        return trace.outcome_record(evidence, index, view)

    def used_judgments(self) -> Iterator[Judgment]:
        """Yields every judgment that the scores could rest on."""
        for evidence in self.evidence:
            if evidence.report is not None:
                yield from trace.used_judgments(evidence, evidence.report, self.knowledge)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A job whose input is read and checked."""

    families: Sequence[measures.Family]
    work: plan.Plan
    found: inputs.Inputs


def prepare(job: inputs.Job, warnings: list[Finding], progress: Progress | None = None) -> Prepared:
    """Returns a job with all its input read and checked.

    Raises:
        InputError: some input has errors; all of them are named.
        UsageError: an option names something unknown.
        MissingResourceError: a file or an optional package is missing.
    """
    if job.store is not None:
        check_store(job.store)  # told before anything long begins
        if not job.judges.by_kind():
            raise UsageError(NO_JUDGE)
    families = measures.select(job.measures, job.protocol)
    protocols = {family.module.PROTOCOL for family in families}
    work = plan.Plan.for_measures(families, inputs.options_of(job, protocols))
    return Prepared(families, work, inputs.read(job, warnings, progress, work.protocols))


def evaluate(
    job: inputs.Job, warnings: list[Finding] | None = None, progress: Progress | None = None
) -> Iterator[RunScores]:
    """Yields the scores of every run, in the order given.

    All input is read and checked before the first run is scored. Runs beyond the first 200,000
    sentences are then read again, so that memory does not grow with the number of runs.

    Raises:
        InputError, UsageError, MissingResourceError: as `prepare`.
        KeyboardInterrupt: the user stopped a judge; what was judged is in the store.
    """
    prepared = prepare(job, warnings if warnings is not None else [], progress)
    found = prepared.found
    with _store(job) as store:
        judging = Judging(found.judges, found.texts, store, job.settings.limits, progress)
        for number, run in enumerate(found.runs):
            if progress:
                progress("scoring runs", number, len(found.runs))
            with nullcontext() if found.judges else without_garbage_collection():
                scores = _evaluate_run(run, prepared, judging, job)
            if store is not None:
                store.flush()  # what is printed rests on judgments that are safe
            if job.settings.limits.is_interrupted:
                raise KeyboardInterrupt
            yield scores


@dataclass(frozen=True, slots=True)
class RunJudged:
    """What became of the asks of one run."""

    run_id: str
    num_asks: NumAsks
    open_reasons: Counter[tuple[str, str, str]]


def judge(
    prepared: Prepared, job: inputs.Job, progress: Progress | None = None
) -> Iterator[RunJudged]:
    """Yields what became of the asks of every run. All that is judged goes into the store."""
    found = prepared.found
    with _store(job) as store:
        judging = Judging(found.judges, found.texts, store, job.settings.limits, progress)
        for run in found.runs:
            judging.forget()
            reports = found.reports_of(run)
            knowledge = Layers(found.judgments, judging.judged)
            topics = list(found.topics.values())
            plan.gather(topics, reports, prepared.work, knowledge, judging.answer)
            if store is not None:
                store.flush()
            yield RunJudged(_run_id(run, reports), judging.num_asks, judging.open_reasons)


def _store(job: inputs.Job) -> AbstractContextManager[JudgmentStore | None]:
    return opened(job.store) if job.store is not None else nullcontext()


def _run_id(run: inputs.RunOfFile, reports: Mapping[str, Report]) -> str:
    first = next(iter(reports.values()), None)
    return first.run_id if first else run.run_id or run.name


def _evaluate_run(
    run: inputs.RunOfFile, prepared: Prepared, judging: Judging, job: inputs.Job
) -> RunScores:
    found = prepared.found
    judging.forget()
    knowledge = Layers(found.judgments, judging.judged)
    reports = found.reports_of(run)
    topic_ids = [each for each in found.topics if each in reports or not job.options.only_answered]
    evidence = plan.gather(
        [found.topics[topic_id] for topic_id in topic_ids],
        reports,
        prepared.work,
        knowledge if found.judges else found.judgments,
        judging.answer if found.judges else None,
    )
    first: Report | None = next(iter(reports.values()), None)
    line = str(
        signature.Signature(
            job.protocol,
            prepared.work.chart.options,
            found.nuggets_digest,
            signature.of_topics(topic_ids),
            {kind: judge.signature for kind, judge in found.judges.items()},
            found.judgments_digest,
            found.documents_name,
            found.requests_digest,
        )
    )
    open_reasons = judging.open_reasons if found.judges else _without_judges(evidence)
    table = scoring.score(
        _run_id(run, reports),
        first.team_id if first else "",
        line,
        evidence,
        prepared.families,
        found.groups,
    )
    return RunScores(
        table,
        evidence,
        knowledge,
        {kind.value: judge.signature for kind, judge in found.judges.items()},
        open_reasons,
        judging.num_asks,
    )


def _without_judges(evidence: Sequence[TopicEvidence]) -> Counter[tuple[str, str, str]]:
    """Returns the open questions by kind, where there is no judge to ask."""
    return Counter(
        (question.kind.value, "none", "no judgment in the files, and no judge")
        for each in evidence
        for question in plan.open_questions(each)
    )


def shard(prepared: Prepared, number: int, num_shards: int) -> Prepared:
    """Returns one part of a job: every topic is in one of the parts, with all runs.

    Equal questions mostly belong to one topic, so hardly any is asked in two parts.

    Args:
        number: from 1 to `num_shards`.
    """
    topics = list(prepared.found.topics.items())[number - 1 :: num_shards]
    return replace(prepared, found=replace(prepared.found, topics=dict(topics)))
