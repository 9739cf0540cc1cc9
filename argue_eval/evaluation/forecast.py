"""What judging would take: questions, calls, tokens and money, before anything is asked.

Which questions are asked depends on the verdicts: the flowchart asks for support where no nugget is
answered, and for a citation where there is no negative assertion. So the protocols take their steps
with supposed verdicts: once all of them yes, once no wherever a no leads on. What the first step
needs is asked in any case; what either walk reaches is the upper bound.

Of a cascade, the judges before the last whose answers cost nothing are asked, so that it is known
what they pass on. Others there may pass on all or nothing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from argue_eval.evaluation.asking import Engine
from argue_eval.evaluation.pipeline import Prepared, walks_of
from argue_eval.judges import Judge, Settings, Workload, cascade
from argue_eval.judges.cascade import Stage
from argue_eval.judgments.content import content_of
from argue_eval.judgments.index import Stored
from argue_eval.judgments.store import JudgmentStore, opened
from argue_eval.records import Kind, Question, Reply, Verdict

_LEADS_ON = {Kind.REQUIRES_CITATION: Verdict.YES, Kind.FIRST_INSTANCE: Verdict.YES}


class KindForecast(NamedTuple):
    """The questions of one kind to one judge; of a cascade, each judge has its own.

    Attributes:
        judge: the judge's signature.
        num_questions: questions about the runs' sentences that are asked in any case.
        num_asks: the distinct ones among them; equal texts are asked once.
        num_stored: of these, how many the store can answer.
        num_most: the most that is asked beyond what is stored, over all verdicts.
    """

    kind: str
    judge: str
    num_questions: int
    num_asks: int
    num_stored: int
    num_most: int

    @property
    def num_sure(self) -> int:
        """How many distinct questions the judge gets in any case."""
        return self.num_asks - self.num_stored


class JudgeForecast(NamedTuple):
    """The work of one judge.

    Attributes:
        sure: what it takes to answer what it is asked in any case.
        most: what it takes to answer all that it may be asked.
        cost: the price of both; None if the price is unknown.
        seconds: how long both take, estimated from a probe; None without one.
    """

    judge: str
    sure: Workload
    most: Workload
    cost: tuple[float, float] | None
    seconds: tuple[float, float] | None


class Forecast(NamedTuple):
    """What judging a job would take.

    Attributes:
        num_textless: distinct questions that cannot be asked, since a document's text is missing.
    """

    kinds: tuple[KindForecast, ...]
    judges: tuple[JudgeForecast, ...]
    num_textless: int = 0


def forecast(prepared: Prepared, num_probes: int = 0) -> Forecast:
    """Forecasts what judging a job would take.

    Args:
        num_probes: ask every judge so many questions, to measure how long it takes. Nothing else is
            asked, and the answers are not kept.
    """
    job, judges = prepared.job, prepared.found.judges
    free = {
        each.judge.signature
        for stages in judges.values()
        for each in stages[:-1]
        if each.judge.signature in at_no_cost(prepared)
    }
    parts = list(_parts(prepared, (None, Verdict.NO, Verdict.YES), free))
    kinds = [
        _of_kind(kind, each.judge.signature, parts)
        for kind, stages in judges.items()
        for each in stages
    ]
    last = judges[Kind.SUPPORT][-1].judge.signature if Kind.SUPPORT in judges else ""
    return Forecast(
        tuple(row for row in kinds if row.num_asks or row.num_most),
        tuple(
            _of_judge(each, parts, job.settings, num_probes)
            for each in cascade.asked(judges).values()
        ),
        sum(
            question.lacks_document
            for seen in parts
            for judge, question in seen.most.values()
            if judge == last
        ),
    )


def at_no_cost(prepared: Prepared) -> frozenset[str]:
    """The signatures of the judges whose answers are neither slow nor paid."""
    plugins = {
        signature: prepared.job.judges.plugin(each.name)
        for signature, each in cascade.asked(prepared.found.judges).items()
    }
    return frozenset(name for name, each in plugins.items() if each and not each.IS_COSTLY)


def needed_questions(
    prepared: Prepared, at_once: Collection[str] = ()
) -> Iterator[dict[str, list[Question]]]:
    """Yields what must be asked now, whatever the verdicts are, by the judge's signature.

    It comes in parts, each of runs that are judged together. Equal questions are one; those that
    the store can answer are left out.

    Args:
        at_once: signatures of judges that are asked now, so that what their verdicts lead to is
            needed too. Their answers are not kept.
    """
    for seen in _parts(prepared, (None,), at_once):
        needed: dict[str, list[Question]] = {}
        for judge, question in seen.sure.values():
            needed.setdefault(judge, []).append(question)
        yield needed


_Noted = tuple[str, Question]
"""A judge's signature and a question for it."""

_Asked = tuple[str, str]
"""The kind of a question, and the signature of the judge that is asked."""

_Said = dict[bytes, Reply]
"""What judges said that were asked, by content key."""


@dataclass(slots=True)
class _Seen:
    """What the walks through some runs came across, by content key.

    Attributes:
        before: questions of runs that are judged before these.
        sure: needed whatever the verdicts are; `most`: needed with some verdict.
        stored: those for which the store has an answer.
    """

    before: set[bytes] = field(default_factory=set)
    num_questions: Counter[_Asked] = field(default_factory=Counter)
    sure: dict[bytes, _Noted] = field(default_factory=dict)
    most: dict[bytes, _Noted] = field(default_factory=dict)
    stored: dict[bytes, _Asked] = field(default_factory=dict)


class StandIn:
    """Stands in for a judge, whose questions and signature it has. No model is asked."""

    def __init__(self, judge: Judge) -> None:
        self.signature, self.kinds, self.joint = judge.signature, judge.kinds, judge.joint

    def workload(self, questions: Sequence[Question]) -> Workload:
        """Nothing."""
        return Workload()


class _Supposing(StandIn):
    """Notes what a judge is asked, and gives the supposed verdict, if any.

    Args:
        said: what the judges that are asked have said.
        at_once: the signatures of those judges: they are asked what is not in `said`, and nothing
            is supposed of them.
    """

    def __init__(
        self,
        verdict: Verdict | None,
        seen: _Seen,
        said: _Said,
        at_once: Collection[str],
        judge: Judge,
    ) -> None:
        super().__init__(judge)
        self._judge, self._verdict, self._seen = judge, verdict, seen
        self._said = said if judge.signature in at_once else None

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        keys = [content_of(question, self.signature).key for question in questions]
        if self._said is not None:
            new = [at for at, key in enumerate(keys) if key not in self._said]
            for reply in self._judge.answer([questions[at] for at in new]):
                self._said[keys[new[reply.index]]] = reply
        for index, (key, question) in enumerate(zip(keys, questions, strict=True)):
            if key not in self._seen.before:
                self._seen.most[key] = (self.signature, question)
                if self._verdict is None:
                    self._seen.sure[key] = self._seen.most[key]
            if self._said is not None:
                if key in self._said:
                    yield self._said[key]._replace(index=index)
            elif self._verdict is not None:
                yield Reply(index, _LEADS_ON.get(question.kind, self._verdict))


class _Lookup:
    """A store that is looked into and not changed."""

    def __init__(self, store: JudgmentStore, seen: _Seen) -> None:
        self._store = store
        self._seen = seen

    def find(self, questions: Sequence[Question], judge: str) -> list[Stored | None]:
        found = self._store.find(questions, judge, notes_places=False)
        for question, known in zip(questions, found, strict=True):
            key = content_of(question, judge).key
            if known is not None and key not in self._seen.before:
                self._seen.stored[key] = (question.kind.value, judge)
        return found

    def add(self, question: Question, judge: str, reply: Reply) -> None:
        """Drops what is supposed."""


def _parts(
    prepared: Prepared, verdicts: Sequence[Verdict | None], at_once: Collection[str] = ()
) -> Iterator[_Seen]:
    """Yields what the walks come across in the runs that are judged together, one after another.

    Args:
        verdicts: each is supposed in one walk; None supposes nothing beyond what is known.
        at_once: signatures of judges that are asked.
    """
    found, path = prepared.found, prepared.job.store
    before: set[bytes] = set()
    said: _Said = {}
    with opened(path) if path and Path(path).exists() else nullcontext() as store:
        for runs in found.judged_together():
            seen = _Seen(before)
            for verdict in verdicts:
                make = partial(_Supposing, verdict, seen, said, at_once)
                judges = cascade.replaced(found.judges, make)
                engine = Engine(judges, _Lookup(store, seen) if store else None)
                walks_of(runs, prepared, engine)
                if verdict is None:
                    for (kind, judge, end), number in engine.stage_asks.items():
                        seen.num_questions[kind, judge] += number * (end == "questions")
            yield seen
            before |= seen.sure.keys() | seen.stored.keys()


def _of_kind(kind: Kind, judge: str, parts: Sequence[_Seen]) -> KindForecast:
    def number(noted: Mapping[bytes, _Noted]) -> int:
        return sum(name == judge and question.kind is kind for name, question in noted.values())

    asked = (kind.value, judge)
    num_stored = sum(each == asked for seen in parts for each in seen.stored.values())
    return KindForecast(
        kind=kind.value,
        judge=judge,
        num_questions=sum(seen.num_questions[asked] for seen in parts),
        num_asks=num_stored + sum(number(seen.sure) for seen in parts),
        num_stored=num_stored,
        num_most=sum(number(seen.most) for seen in parts),
    )


def _of_judge(
    stage: Stage, parts: Sequence[_Seen], settings: Settings, num_probes: int
) -> JudgeForecast:
    judge = stage.judge

    def questions(noted: Mapping[bytes, _Noted]) -> list[Question]:
        return [question for signature, question in noted.values() if signature == judge.signature]

    def load(asked: Sequence[Sequence[Question]]) -> Workload:
        loads = [judge.workload(each) for each in asked]
        return Workload(*map(sum, zip(Workload(), *loads, strict=True)))

    sure = [questions(seen.sure) for seen in parts]
    most = [questions(seen.most) for seen in parts]
    loads = load(sure), load(most)
    price = settings.prices.get(stage.name.partition(":")[2])
    cost = seconds = None
    if price is not None:
        costs = [price.of(each.prompt_tokens, each.reply_tokens) for each in loads]
        cost = (costs[0], costs[1])
    probes = [each for part in (sure if any(sure) else most) for each in part][:num_probes]
    if probes:
        started = time.perf_counter()
        for _ in judge.answer(probes):
            pass
        rate = (time.perf_counter() - started) / _units(len(probes), judge.workload(probes))
        units = [
            _units(sum(map(len, asked)), each)
            for asked, each in zip((sure, most), loads, strict=True)
        ]
        seconds = (rate * units[0], rate * units[1])
    return JudgeForecast(judge.signature, *loads, cost, seconds)


def _units(num_questions: int, load: Workload) -> int:
    """How much work questions are: tokens of a model, or their number for a judge without one."""
    return load.prompt_tokens + load.reply_tokens or num_questions
