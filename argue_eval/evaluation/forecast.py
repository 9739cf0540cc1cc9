"""What judging would take: asks, calls, tokens and money, before anything is asked.

What is asked depends on the verdicts: the flowchart asks for support where no nugget is answered,
for a citation where there is no negative assertion. So the charts are walked with supposed
verdicts: once with a yes to everything, once with a no wherever a no leads on. What the first step
needs is asked for sure; what either walk reaches is the most that can be asked.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from argue_eval.evaluation.asking import Engine, NumAsks, ask
from argue_eval.evaluation.pipeline import Prepared, walks_of
from argue_eval.evaluation.runs import RunOfFile
from argue_eval.judges import Judge, Settings, Workload
from argue_eval.judgments.content import content_of
from argue_eval.judgments.index import Knowledge, Stored
from argue_eval.judgments.store import JudgmentStore, opened
from argue_eval.records import Kind, Question, Reply, Verdict

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


def forecast(prepared: Prepared, num_probes: int = 0) -> Forecast:
    """Returns what judging a job would take.

    Args:
        num_probes: so many asks are put to every judge, to see how long it takes. Nothing else is
            asked. Their answers are not kept.
    """
    job = prepared.job
    parts = list(_parts(prepared, (None, Verdict.NO, Verdict.YES)))
    judges = {
        judge.signature: (judge, job.judges.by_kind()[kind])
        for kind, judge in prepared.found.judges.items()
    }
    rows = [
        _kind_forecast(kind, judge.signature, parts)
        for kind, judge in prepared.found.judges.items()
    ]
    return Forecast(
        tuple(row for row in rows if row.num_asks or row.num_most),
        tuple(
            _judge_forecast(judge, name, parts, job.settings, num_probes)
            for judge, name in judges.values()
        ),
    )


def needed_questions(
    prepared: Prepared, at_once: Collection[str] = ()
) -> Iterator[dict[str, list[Question]]]:
    """Yields what has to be asked now, whatever the verdicts are, by the judge's signature.

    It comes in parts, of the runs that are judged together. Equal asks are one; those that the
    store can answer are left out.

    Args:
        at_once: signatures of judges that are asked now, so that what their verdicts lead to is
            needed too. Their answers are not kept.
    """
    for seen in _parts(prepared, (None,), at_once):
        needed: dict[str, list[Question]] = {}
        for noted in seen.sure.values():
            needed.setdefault(noted.judge, []).append(noted.question)
        yield needed


class _Noted(NamedTuple):
    judge: str
    question: Question


@dataclass(slots=True)
class _Seen:
    """What the walks through some runs came across, by content key.

    Attributes:
        before: asks of runs that are judged before these.
        sure: asks that are needed whatever the verdicts are; `most`: that some verdict needs.
        stored: the kinds of the asks for which the store has an answer.
    """

    before: set[bytes] = field(default_factory=set)
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

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """Yields the supposed verdict on every question; nothing if none is supposed."""
        for index, question in enumerate(questions):
            key = content_of(question, self.signature).key
            if key not in self._seen.before:
                self._seen.most[key] = _Noted(self.signature, question)
                if self._verdict is None:
                    self._seen.sure[key] = self._seen.most[key]
            if self._verdict is not None:
                yield Reply(index, _LEADS_ON.get(question.kind, self._verdict))

    def workload(self, questions: Sequence[Question]) -> Workload:
        """Nothing: it is not the judge itself."""
        return Workload()


class _Lookup:
    """A store that is looked into and not changed."""

    def __init__(self, store: JudgmentStore, seen: _Seen) -> None:
        self._store = store
        self._seen = seen

    def find(self, questions: Sequence[Question], judge: str) -> list[Stored | None]:
        """What each question was answered with; notes where there is an answer."""
        found = self._store.find(questions, judge, notes_places=False)
        for question, known in zip(questions, found, strict=True):
            key = content_of(question, judge).key
            if known is not None and key not in self._seen.before:
                self._seen.stored[key] = question.kind
        return found

    def add(self, question: Question, judge: str, reply: Reply) -> None:
        """Drops what is supposed."""


def _parts(
    prepared: Prepared,
    verdicts: Sequence[Verdict | None],
    at_once: Collection[str] = (),
) -> Iterator[_Seen]:
    """Yields what the walks come across in the runs that are judged together, one after another.

    Args:
        verdicts: each is supposed in one walk; None supposes nothing beyond what is known.
        at_once: signatures of judges that are asked, and not stood in for.
    """
    before: set[bytes] = set()
    job = prepared.job
    has_store = job.store is not None and Path(job.store).exists()
    with opened(job.store) if job.store and has_store else nullcontext() as store:
        for runs in prepared.found.judged_together():
            seen = _Seen(before)
            for verdict in verdicts:
                judges = _stood_in_for(prepared.found.judges, verdict, seen, at_once)
                num_asks = _walk(runs, prepared, judges, _Lookup(store, seen) if store else None)
                if verdict is None:
                    for (kind, end), number in num_asks.items():
                        if end == "questions":
                            seen.num_questions[kind] += number
            yield seen
            before |= seen.sure.keys() | seen.stored.keys()


def _stood_in_for(
    judges: Mapping[Kind, Judge], verdict: Verdict | None, seen: _Seen, at_once: Collection[str]
) -> dict[Kind, Judge]:
    """Returns what stands in for judges: one each, since a judge may be asked kinds jointly."""
    each_once: dict[str, Judge] = {
        judge.signature: judge if judge.signature in at_once else _Supposing(judge, verdict, seen)
        for judge in judges.values()
    }
    return {kind: each_once[judge.signature] for kind, judge in judges.items()}


def _walk(
    runs: Sequence[RunOfFile],
    prepared: Prepared,
    judges: Mapping[Kind, Judge],
    store: _Lookup | None,
) -> NumAsks:
    """Walks the charts of some runs; returns how many asks that took."""
    engine = Engine(judges, store)
    knowledge = Knowledge(prepared.found.judgments, engine.judged)
    ask(walks_of(runs, prepared, knowledge), engine.answer)
    return engine.num_asks


def _kind_forecast(kind: Kind, judge: str, parts: Sequence[_Seen]) -> KindForecast:
    num_stored = sum(each is kind for seen in parts for each in seen.stored.values())
    num_sure = sum(each.question.kind is kind for seen in parts for each in seen.sure.values())
    num_most = sum(each.question.kind is kind for seen in parts for each in seen.most.values())
    return KindForecast(
        kind.value,
        judge,
        sum(seen.num_questions[kind.value] for seen in parts),
        num_stored + num_sure,
        num_stored,
        num_most,
    )


def _judge_forecast(
    judge: Judge, name: str, parts: Sequence[_Seen], settings: Settings, num_probes: int
) -> JudgeForecast:
    sure = [_questions_of(judge, seen.sure) for seen in parts]
    most = [_questions_of(judge, seen.most) for seen in parts]
    loads = _sum(map(judge.workload, sure)), _sum(map(judge.workload, most))
    price = settings.prices.get(name.partition(":")[2])
    cost = None
    if price is not None:
        cost = (
            price.of(loads[0].prompt_tokens, loads[0].reply_tokens),
            price.of(loads[1].prompt_tokens, loads[1].reply_tokens),
        )
    seconds = None
    probes = [each for part in (sure if any(sure) else most) for each in part][:num_probes]
    if probes:
        rate = _seconds_per_unit(judge, probes)
        nums = sum(map(len, sure)), sum(map(len, most))
        seconds = (rate * _units(nums[0], loads[0]), rate * _units(nums[1], loads[1]))
    return JudgeForecast(judge.signature, *loads, cost, seconds)


def _questions_of(judge: Judge, noted: Mapping[bytes, _Noted]) -> list[Question]:
    return [each.question for each in noted.values() if each.judge == judge.signature]


def _sum(loads: Iterable[Workload]) -> Workload:
    return Workload(*map(sum, zip(Workload(), *loads, strict=True)))


def _seconds_per_unit(judge: Judge, questions: Sequence[Question]) -> float:
    started = time.perf_counter()
    for _ in judge.answer(questions):
        pass
    return (time.perf_counter() - started) / _units(len(questions), judge.workload(questions))


def _units(num_asks: int, load: Workload) -> int:
    """Returns how much work some asks are: tokens of a model, or asks of a judge without one."""
    return load.prompt_tokens + load.reply_tokens or num_asks
