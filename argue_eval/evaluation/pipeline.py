"""From files to scores: the wiring, in the order in which things happen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from argue_eval import measures
from argue_eval.errors import Finding, UsageError
from argue_eval.evaluation import inputs, plan, scoring, signature, trace
from argue_eval.evaluation.inputs import without_garbage_collection
from argue_eval.evaluation.judging import Judging, NumAsks, OpenReasons
from argue_eval.judgments.index import Layers
from argue_eval.judgments.store import JudgmentStore, opened
from argue_eval.judgments.store import check as check_store
from argue_eval.records import Judgment, Report, ScoreTable, TopicEvidence

_NOBODY = ("none", "no judgment in the files, and no judge")
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
        open_reasons: why questions about the run stayed open.
    """

    table: ScoreTable
    evidence: tuple[TopicEvidence, ...]
    knowledge: Layers
    judges: Mapping[str, str]
    open_reasons: OpenReasons

    def outcome_records(self) -> Iterator[dict[str, Any]]:
        """Yields a record per sentence of the run, its outcome and why; and one per claim."""
        for evidence in self.evidence:
            for index in range(len(evidence.outcomes)):
                yield self.outcome_record(evidence, index)
            for grade in evidence.grades.get("summhay", ()):
                yield trace.insight_record(evidence, grade, self.knowledge)
            for outcome in evidence.key_points:
                yield trace.key_point_record(evidence, outcome, self.knowledge)
            for outcome in evidence.response_points or ():
                yield trace.response_point_record(evidence, outcome, self.knowledge)

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
    options = inputs.options_of(job, plan.protocols_of(families))
    work = plan.Plan.for_measures(families, options)
    return Prepared(families, work, inputs.read(job, warnings, progress, work.protocols))


def evaluate(
    job: inputs.Job,
    warnings: list[Finding] | None = None,
    progress: Progress | None = None,
    counts: NumAsks | None = None,
) -> Iterator[RunScores]:
    """Yields the scores of every run, in the order given.

    All input is read and checked before the first run is scored. Runs beyond the first 200,000
    sentences are then read again, so that memory does not grow with the number of runs.

    Args:
        warnings: what is odd but not wrong is added to this list.
        counts: how many asks came to which end is added to these.

    Raises:
        InputError, UsageError, MissingResourceError: as `prepare`.
        KeyboardInterrupt: the user stopped a judge; what was judged is in the store.
    """
    prepared = prepare(job, warnings if warnings is not None else [], progress)
    found = prepared.found
    with _store(job) as store:
        judging = Judging(found.judges, found.texts, store, job.settings.limits, progress)
        number = 0
        for runs in found.judged_together():
            walks = _walk(runs, prepared, judging, only_answered=job.options.only_answered)
            if counts is not None:
                counts.update(judging.num_asks)
            if store is not None:
                store.flush()  # what is printed rests on judgments that are safe
            if job.settings.limits.is_interrupted:
                raise KeyboardInterrupt
            for run, walk in zip(runs, walks, strict=True):
                if progress:
                    progress("scoring runs", number, len(found.runs))
                yield _scores(run, walk, prepared, judging, job)
                number += 1


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of the asks of some runs."""

    num_asks: NumAsks
    open_reasons: OpenReasons


def judge(
    prepared: Prepared, job: inputs.Job, progress: Progress | None = None
) -> Iterator[Judged]:
    """Yields what became of the asks of runs that are judged together.

    All that is judged goes into the store.
    """
    found = prepared.found
    with _store(job) as store:
        judging = Judging(found.judges, found.texts, store, job.settings.limits, progress)
        for runs in found.judged_together():
            _walk(runs, prepared, judging)
            yield Judged(judging.num_asks, judging.all_open_reasons())


def _walk(
    runs: Sequence[inputs.RunOfFile],
    prepared: Prepared,
    judging: Judging,
    *,
    only_answered: bool = False,
) -> list[plan.Walks]:
    """Returns the ways through some runs, after their questions were asked."""
    found = prepared.found
    judging.forget()
    with nullcontext() if found.judges else without_garbage_collection():
        knowledge = Layers(found.judgments, judging.judged) if found.judges else found.judgments
        walks = []
        for run in runs:
            reports = found.reports_of(run)
            topics = [
                topic
                for topic_id, topic in found.topics.items()
                if topic_id in reports or not only_answered
            ]
            walks.append(plan.Walks(topics, reports, prepared.work, knowledge))
        if found.judges:
            plan.ask(walks, judging.answer)
    return walks


def _store(job: inputs.Job) -> AbstractContextManager[JudgmentStore | None]:
    return opened(job.store) if job.store is not None else nullcontext()


def _run_id(run: inputs.RunOfFile, reports: Mapping[str, Report]) -> str:
    first = next(iter(reports.values()), None)
    return first.run_id if first else run.run_id or run.name


def _scores(
    run: inputs.RunOfFile, walk: plan.Walks, prepared: Prepared, judging: Judging, job: inputs.Job
) -> RunScores:
    found = prepared.found
    with nullcontext() if found.judges else without_garbage_collection():
        evidence = walk.evidence()
    first: Report | None = next(iter(walk.reports.values()), None)
    line = str(
        signature.Signature(
            job.protocol,
            prepared.work.chart.options,
            found.nuggets_digest,
            signature.of_topics([each.topic_id for each in evidence]),
            {kind: judge.signature for kind, judge in found.judges.items()},
            found.judgments_digest,
            found.documents_name,
            found.requests_digest,
            found.points_digest,
        )
    )
    open_reasons = OpenReasons()
    for each in evidence:
        questions = plan.open_questions(each)
        if each.report is not None and found.judges:
            open_reasons.update(judging.open_reasons(each.report, questions))
        else:
            open_reasons.update((question.kind.value, *_NOBODY) for question in questions)
    table = scoring.score(
        _run_id(run, walk.reports),
        first.team_id if first else "",
        line,
        evidence,
        prepared.families,
        found.groups,
    )
    return RunScores(
        table,
        evidence,
        Layers(found.judgments, judging.judged),
        {kind.value: judge.signature for kind, judge in found.judges.items()},
        open_reasons,
    )


def shard(prepared: Prepared, number: int, num_shards: int) -> Prepared:
    """Returns one part of a job: every topic is in one of the parts, with all runs.

    Equal questions mostly belong to one topic, so hardly any is asked in two parts.

    Args:
        number: from 1 to `num_shards`.
    """
    topics = list(prepared.found.topics.items())[number - 1 :: num_shards]
    return replace(prepared, found=replace(prepared.found, topics=dict(topics)))
