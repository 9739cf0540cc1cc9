"""From files or records to scores: read, ask, score, in the order in which things happen."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, TypeVar

from argue_eval.errors import Finding, UsageError
from argue_eval.evaluation import inputs, scoring, walking
from argue_eval.evaluation.asking import Engine, NumAsks, OpenReasons, StageAsks
from argue_eval.evaluation.inputs import NUM_SCORED, Inputs, Job
from argue_eval.evaluation.judging import NOBODY
from argue_eval.evaluation.results import RunScores
from argue_eval.evaluation.runs import RunOfFile
from argue_eval.evaluation.walking import Plan, RunWalk
from argue_eval.formats.processes import Progress, num_usable, side_by_side
from argue_eval.judges import NOT_GRADED
from argue_eval.judgments.index import Knowledge
from argue_eval.measures import Family, select

if TYPE_CHECKING:
    from argue_eval.judgments.store import JudgmentStore

_Finished = TypeVar("_Finished")

_MANY_SENTENCES = 10_000
"""From here on several processes are faster than one."""

NO_JUDGE = (
    "--store keeps what a judge answers, and no judge is to be asked; to use stored judgments "
    "whoever made them: argue-eval store export STORE -o FILE, then --judgments FILE"
)
NO_ANSWERS = (
    "--calibration, --sure and --agreement say how the answers of judges are read, and no judge is "
    "to be asked: name one with --judge, or leave them out"
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A job whose input is read and checked."""

    job: Job
    families: Sequence[Family]
    plan: Plan
    found: Inputs


def prepare(job: Job, warnings: list[Finding], progress: Progress | None = None) -> Prepared:
    """Reads and checks all input of a job.

    Raises:
        InputError: some input has errors; all of them are named.
        UsageError: an option names something unknown.
        MissingResourceError: a file or an optional package is missing.
    """
    if job.store is not None:
        from argue_eval.judgments import file  # sqlite3 takes a while

        file.check(job.store)  # reported before anything long begins
        if job.judges == NOBODY:
            raise UsageError(NO_JUDGE)
    settings = job.settings
    if job.judges == NOBODY and (settings.calibrations or settings.sure or settings.agreement):
        raise UsageError(NO_ANSWERS)
    families = select(job.measures, job.protocol)
    plan = walking.plan_of(job, families)
    if job.judges != NOBODY:
        for name in job.judges.all_stages():
            job.judges.plugin(name)  # a mistyped name is reported before anything long begins
    with without_garbage_collection():
        return Prepared(job, families, plan, inputs.read(job, plan, warnings, progress))


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


def evaluate(
    job: Job, warnings: list[Finding] | None = None, progress: Progress | None = None
) -> Iterator[RunScores]:
    """Yields the scores of every run, in the order given.

    All input is read and checked before the first run is scored. Runs beyond the first 200,000
    sentences are then read again, so that memory does not grow with the number of runs.

    Args:
        warnings: what was found that is no error is added to this list.

    Raises:
        InputError, UsageError, MissingResourceError: as `prepare`.
        KeyboardInterrupt: the user stopped a judge; what was judged is in the store.
    """
    prepared = prepare(job, warnings if warnings is not None else [], progress)
    return each_run(prepared, lambda _, scores: scores, progress, may_fork=False)


def each_run(
    prepared: Prepared,
    finish: Callable[[int, RunScores], _Finished],
    progress: Progress | None = None,
    counts: NumAsks | None = None,
    *,
    may_fork: bool = True,
) -> Iterator[_Finished]:
    """Yields what is made of the scores of every run, in the order given.

    Where no answers are kept and there is much to do, several processes do it side by side.

    Args:
        finish: is given a run's place and its scores, in one of the processes.
        counts: how many questions came to which end is added to these.
        may_fork: several processes may do it.

    Raises:
        KeyboardInterrupt: the user stopped a judge; what was judged is in the store.
    """
    found, path, limits = prepared.found, prepared.job.store, prepared.job.settings.limits
    is_alone = not may_fork or found.is_costly or path is not None
    is_small = found.num_sentences < _MANY_SENTENCES or len(found.runs) == 1
    num_processes = 1 if is_alone or is_small else num_usable()
    most = found.num_sentences // (2 * num_processes) if num_processes > 1 else NUM_SCORED
    ends = accumulate(map(len, found.judged_together(min(NUM_SCORED, most))), initial=0)
    parts = [range(start, end) for start, end in pairwise(ends)]

    def work(numbers: range, engine: Engine) -> tuple[NumAsks, Iterator[_Finished]]:
        runs = found.runs[numbers.start : numbers.stop]
        several = zip(numbers, runs, walks_of(runs, prepared, engine), strict=True)
        return engine.num_asks, (
            finish(number, _scores(run, walk, prepared, engine)) for number, run, walk in several
        )

    def work_apart(numbers: range) -> tuple[NumAsks, Iterable[_Finished]]:
        gc.disable()  # the process is short-lived
        num_asks, several = work(numbers, Engine(found.judges))
        return num_asks, list(several)

    number = 0
    gc.freeze()  # what was read holds no cycles, and stays shared with the processes
    try:
        with _opened(path) if path is not None else nullcontext() as store:
            done: Iterator[tuple[NumAsks, Iterable[_Finished]]] = (
                work(part, Engine(found.judges, store, limits, progress)) for part in parts
            )
            if num_processes > 1:
                done = side_by_side(parts, work_apart, min(num_processes, len(parts)))
            for num_asks, several in done:
                if counts is not None:
                    counts.update(num_asks)
                if store is not None:
                    store.flush()  # what is printed rests on judgments that are safe
                if found.judges and limits.is_interrupted:
                    raise KeyboardInterrupt
                for finished in several:
                    if progress:
                        progress("scoring runs", number, len(found.runs))
                    yield finished
                    number += 1
    finally:
        gc.unfreeze()


def _opened(path: str) -> AbstractContextManager[JudgmentStore]:
    from argue_eval.judgments.store import opened

    return opened(path)


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of the questions about some runs.

    Attributes:
        open_reasons: of the questions on which scores wait, as `evaluate` counts them.
    """

    num_asks: NumAsks
    stage_asks: StageAsks
    open_reasons: OpenReasons


def judge(prepared: Prepared, progress: Progress | None = None) -> Iterator[Judged]:
    """Yields what became of the questions about runs that are judged together.

    All that is judged goes into the store.
    """
    found, job = prepared.found, prepared.job
    with _opened(job.store) if job.store is not None else nullcontext() as store:
        for runs in found.judged_together():
            engine = Engine(found.judges, store, job.settings.limits, progress)
            walks = walks_of(runs, prepared, engine)
            needs = [need for walk in walks for each in walk.evidence for need in each.needs]
            yield Judged(engine.num_asks, engine.stage_asks, engine.open_reasons(needs))


def shard(prepared: Prepared, number: int, num_shards: int) -> Prepared:
    """One part of a job: every topic is in one of the parts, with all runs.

    Equal questions mostly belong to one topic, so hardly any is asked in two parts.

    Args:
        number: from 1 to `num_shards`.
    """
    topics = list(prepared.found.topics.items())[number - 1 :: num_shards]
    return replace(prepared, found=replace(prepared.found, topics=dict(topics)))


def walks_of(runs: Sequence[RunOfFile], prepared: Prepared, engine: Engine) -> list[RunWalk]:
    """The ways through some runs, after their questions were asked."""
    found = prepared.found
    with nullcontext() if found.judges else without_garbage_collection():
        walks = RunWalk.side_by_side(
            found.topics.values(),
            map(found.reports_of, runs),
            Knowledge([found.judgments, engine.judged]) if found.judges else found.judgments,
            only_answered=prepared.job.options.only_answered,
        )
        if found.judges:
            walking.ask(walks, engine.answer)
    return walks


def _scores(run: RunOfFile, walk: RunWalk, prepared: Prepared, engine: Engine) -> RunScores:
    found, evidence = prepared.found, tuple(walk.evidence)
    open_reasons = OpenReasons()
    for each in evidence:
        if each.needs:
            open_reasons.update(engine.open_reasons(each.needs))
    first = next(iter(walk.reports.values()), None)
    table = scoring.score(
        run.run_id or run.name,
        first.team_id if first else "",
        found.signature.line([each.topic.topic_id for each in evidence]),
        evidence,
        prepared.families,
        found.groups,
        found.parts,
    )
    if table.counts["num_unjudged"]:
        num_ungraded = scoring.num_ungraded(prepared.families, table.averages())
        open_reasons.update({("grade", "none", NOT_GRADED): num_ungraded} if num_ungraded else {})
    return RunScores(
        table,
        evidence,
        {kind.value: name for kind, name in found.signature.judges.items()},
        open_reasons,
        found.topics,
        walk.knowledge,
        prepared.families,
        found.judges,
    )
