"""What judging would take: asks, calls, tokens and money, before anything is asked.

What is asked depends on the verdicts: the flowchart asks for support where no nugget is answered,
for a citation where there is no negative assertion. So the charts are walked with supposed
verdicts: once with a yes to everything, once with a no wherever a no leads on. What the first step
needs is asked for sure; what either walk reaches is the most that can be asked.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from argue_eval import plan
from argue_eval.inputs import Job
from argue_eval.judges import Judge, Reply, Workload
from argue_eval.judging import Judging
from argue_eval.pipeline import Prepared
from argue_eval.records import Ask, JudgeFailure, Judgment
from argue_eval.store.content import content_of
from argue_eval.store.database import Asked, JudgmentStore, opened
from argue_eval.store.index import Layers, Stored
from argue_eval.terms import Kind, Verdict

_LEADS_ON = {Kind.REQUIRES_CITATION: Verdict.YES, Kind.FIRST_INSTANCE: Verdict.YES}


class KindForecast(NamedTuple):
    """What is to be asked of one kind.

    Attributes:
        judge: the judge's signature.
        num_questions: questions about the runs' sentences that are asked for sure.
        num_asks: the different ones among them: equal texts are one ask.
        num_stored: of these asks, how many the store can answer.
        num_most: how many more than those in the store are asked at most, over all verdicts.
    """

    kind: str
    judge: str
    num_questions: int
    num_asks: int
    num_stored: int
    num_most: int

    @property
    def num_sure(self) -> int:
        """Returns how many asks a judge gets for sure."""
        return self.num_asks - self.num_stored


class JudgeForecast(NamedTuple):
    """What one judge has to do.

    Attributes:
        sure: what it takes to answer the asks that it gets for sure.
        most: what it takes to answer all that it may be asked.
        cost: the price of both; None if no price is known.
        seconds: how long both take, going by a probe; None without one.
    """

    judge: str
    sure: Workload
    most: Workload
    cost: tuple[float, float] | None
    seconds: tuple[float, float] | None


class Forecast(NamedTuple):
    """What judging a job would take."""

    kinds: tuple[KindForecast, ...]
    judges: tuple[JudgeForecast, ...]


def forecast(prepared: Prepared, job: Job, num_probes: int = 0) -> Forecast:
    """Returns what judging a job would take.

    Args:
        num_probes: so many asks are put to every judge, to see how long it takes. Nothing else is
            asked. Their answers are not kept.
    """
    seen = _Seen()
    for verdict in (None, Verdict.NO, Verdict.YES):
        _walk(prepared, job, verdict, seen)
    rows = [_kind_forecast(kind, judge, seen) for kind, judge in prepared.found.judges.items()]
    names = job.judges.by_kind()
    judges = {
        judge.signature: (judge, names[kind]) for kind, judge in prepared.found.judges.items()
    }
    return Forecast(
        tuple(row for row in rows if row.num_asks or row.num_most),
        tuple(
            _judge_forecast(judge, name, seen, job, num_probes)
            for judge, name in judges.values()
            if any(each.judge == judge.signature for each in seen.most.values())
        ),
    )


class _Noted(NamedTuple):
    judge: str
    ask: Ask


@dataclass(slots=True)
class _Seen:
    """What the walks came across, by content key.

    Attributes:
        sure: asks that are needed whatever the verdicts are; `most`: that some verdict needs.
        stored: the kinds of the asks for which the store has an answer.
    """

    num_questions: Counter[str] = field(default_factory=Counter)
    sure: dict[bytes, _Noted] = field(default_factory=dict)
    most: dict[bytes, _Noted] = field(default_factory=dict)
    stored: dict[bytes, Kind] = field(default_factory=dict)


class _Supposing:
    """Stands in for a judge: notes what it is asked, and answers as that judge might."""

    def __init__(self, judge: Judge, verdict: Verdict | None, seen: _Seen) -> None:
        self.signature = judge.signature
        self.kinds = judge.kinds
        self.joint = judge.joint
        self._verdict = verdict
        self._seen = seen

    def judge(self, asks: Sequence[Ask]) -> Iterator[Reply]:
        """Yields the supposed verdict on every ask; nothing if none is supposed."""
        for index, ask in enumerate(asks):
            key = content_of(ask, self.signature).key
            self._seen.most[key] = _Noted(self.signature, ask)
            if self._verdict is None:
                self._seen.sure[key] = self._seen.most[key]
                continue
            verdict = _LEADS_ON.get(ask.kind, self._verdict)
            yield Reply(index, Judgment(ask.kind, ask.topic_id, verdict, self.signature))

    def workload(self, asks: Sequence[Ask]) -> Workload:
        """Returns nothing: it is not the judge itself."""
        return Workload()


class _Lookup:
    """A store that is looked into and not changed."""

    def __init__(self, store: JudgmentStore, seen: _Seen) -> None:
        self._store = store
        self._seen = seen

    def find(self, asks: Sequence[Asked]) -> list[Stored | None]:
        """Returns what each ask was answered with, and notes where there is an answer."""
        found = self._store.find(asks, notes_places=False)
        for ask, known in zip(asks, found, strict=True):
            if known is not None:
                self._seen.stored[ask.content.key] = Kind(ask.content.kind)
        return found

    def add(self, ask: Asked, answer: Judgment | JudgeFailure, reply: str | None = None) -> None:
        """Drops what is supposed."""


def _walk(prepared: Prepared, job: Job, verdict: Verdict | None, seen: _Seen) -> None:
    """Walks the charts of all runs with a supposed verdict, or with what is known alone."""
    found = prepared.found
    judges = {kind: _Supposing(judge, verdict, seen) for kind, judge in found.judges.items()}
    same = {judge.signature: judge for judge in judges.values()}
    judges = {kind: same[judge.signature] for kind, judge in judges.items()}
    has_store = job.store is not None and Path(job.store).exists()
    with opened(job.store) if job.store and has_store else nullcontext() as store:
        judging = Judging(judges, found.texts, _Lookup(store, seen) if store else None)
        for source in found.runs:
            judging.forget()
            knowledge = Layers(found.judgments, judging.judged)
            topics = list(found.topics.values())
            plan.gather(topics, found.reports_of(source), prepared.work, knowledge, judging.answer)
            if verdict is None:
                for (kind, end), number in judging.num_asks.items():
                    if end == "questions":
                        seen.num_questions[kind] += number


def _kind_forecast(kind: Kind, judge: Judge, seen: _Seen) -> KindForecast:
    num_stored = sum(each is kind for each in seen.stored.values())
    num_sure = sum(each.ask.kind is kind for each in seen.sure.values())
    num_most = sum(each.ask.kind is kind for each in seen.most.values())
    return KindForecast(
        kind.value,
        judge.signature,
        seen.num_questions[kind.value],
        num_stored + num_sure,
        num_stored,
        num_most,
    )


def _judge_forecast(
    judge: Judge, name: str, seen: _Seen, job: Job, num_probes: int
) -> JudgeForecast:
    sure = [each.ask for each in seen.sure.values() if each.judge == judge.signature]
    most = [each.ask for each in seen.most.values() if each.judge == judge.signature]
    loads = judge.workload(sure), judge.workload(most)
    price = job.settings.prices.get(name.partition(":")[2])
    cost = None
    if price is not None:
        cost = (
            price.of(loads[0].prompt_tokens, loads[0].reply_tokens),
            price.of(loads[1].prompt_tokens, loads[1].reply_tokens),
        )
    seconds = None
    if num_probes and most:
        rate = _seconds_per_unit(judge, (sure or most)[:num_probes])
        seconds = (rate * _units(sure, loads[0]), rate * _units(most, loads[1]))
    return JudgeForecast(judge.signature, *loads, cost, seconds)


def _seconds_per_unit(judge: Judge, asks: Sequence[Ask]) -> float:
    started = time.perf_counter()
    for _ in judge.judge(asks):
        pass
    return (time.perf_counter() - started) / _units(asks, judge.workload(asks))


def _units(asks: Sequence[Ask], load: Workload) -> int:
    """Returns how much work some asks are: tokens of a model, or asks of a judge without one."""
    return load.prompt_tokens + load.reply_tokens or len(asks)
