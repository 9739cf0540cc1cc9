"""Spreads a judge's asks over a Ray cluster: one judge, and so one model, per worker.

Every part of the work is put to a worker again if the worker is lost, and a lost worker is
replaced. Replies come back while a part is under way, so that hardly anything is judged twice.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple
from weakref import WeakSet

from argue_eval import _registry
from argue_eval.errors import MissingResourceError, shorten
from argue_eval.judges import Judge, Reply, Settings, Workload
from argue_eval.judges.limits import Limits
from argue_eval.records import Ask, JudgeFailure, Kind

_MAX_LOSSES = 3
"""A part that has cost so many workers their lives is not given to another."""

_REPLIES_EVERY = 0.2
_WAIT_SECONDS = 1.0


class _Spent(NamedTuple):
    """What a worker's calls have cost."""

    num_calls: int
    prompt_tokens: int
    reply_tokens: int
    cost: float


@dataclass(slots=True)
class _Part:
    """Asks that one worker answers.

    Attributes:
        left: places of the asks that have no reply yet.
        num_losses: how many workers were lost with it.
    """

    left: list[int]
    num_losses: int = 0


class _Running(NamedTuple):
    """What a worker is doing: it starts, or answers a part of the asks.

    Attributes:
        places: of the asks that it was given, in their order.
    """

    worker: Any
    part: _Part | None = None
    places: Sequence[int] = ()


class Spread:
    """A judge whose asks are answered by its likes on the workers of a Ray cluster."""

    def __init__(self, judge: Judge, name: str, settings: Settings) -> None:
        self._judge = judge
        self._name = name
        self._settings = settings
        self._idle: list[Any] = []
        """Workers, with their models loaded, that wait for the next asks."""
        _SPREADS.add(self)

    @property
    def signature(self) -> str:
        """Returns the judge's signature, which every worker's judge must have too."""
        return self._judge.signature

    @property
    def kinds(self) -> frozenset[Kind]:
        """Returns the judge's kinds."""
        return self._judge.kinds

    @property
    def joint(self) -> frozenset[Kind]:
        """Returns the judge's joint kinds."""
        return self._judge.joint

    def workload(self, asks: Sequence[Ask]) -> Workload:
        """Returns what it takes to answer these asks, whoever does it."""
        return self._judge.workload(asks)

    def judge(self, asks: Sequence[Ask]) -> Iterator[Reply]:
        """Yields one reply per ask, as the workers send them.

        Raises:
            MissingResourceError: no worker can make the judge.
        """
        ray = _ray()
        for other in _SPREADS - {self}:
            while other._idle:
                ray.kill(other._idle.pop())  # there may not be room for the models of both
        work = _Work(ray, asks, self.signature, self._name, self._settings, self._idle)
        try:
            while work.is_left:
                yield from work.go_on()
        finally:
            work.end()


_SPREADS: WeakSet[Spread] = WeakSet()


class _Work:
    """Asks on their way through the cluster."""

    def __init__(
        self,
        ray: Any,
        asks: Sequence[Ask],
        signature: str,
        name: str,
        settings: Settings,
        idle: list[Any],
    ) -> None:
        self._ray = ray
        self._asks = asks
        self._signature = signature
        self._name = name
        self._settings = settings
        self._parts = deque(_parts(asks))
        self._idle = idle
        self._running: dict[Any, _Running] = {}
        self._num_failed_starts = 0
        self._is_halted = False

    @property
    def is_left(self) -> bool:
        """True as long as a part is under way, or may begin."""
        is_under_way = any(run.part is not None for run in self._running.values())
        return is_under_way or bool(self._parts and not self._settings.limits.is_halted)

    def end(self) -> None:
        """Ends the workers that are not idle."""
        for run in self._running.values():
            self._ray.kill(run.worker)

    def go_on(self) -> Iterator[Reply]:
        """Gives idle workers work, waits for what comes next, and yields the replies in it."""
        self._give_out()
        if self._settings.limits.is_halted:
            self._halt_workers()
        if not self._running:
            return  # halted before anything began
        lost = (self._ray.exceptions.RayActorError, self._ray.exceptions.ObjectLostError)
        ready, _ = self._ray.wait(
            list(self._running), num_returns=1, timeout=_WAIT_SECONDS, fetch_local=False
        )
        for ref in ready:
            run = self._running[ref]
            try:
                if run.part is None:
                    self._started(ref, self._ray.get(ref))
                else:
                    yield from self._received(run, self._ray.get(next(ref)))
            except StopIteration:
                del self._running[ref]
                self._idle.append(run.worker)
                yield from self._fail(run.part, "failed: no reply")
            except self._ray.exceptions.RayTaskError as exc:
                raise exc.cause from None  # as the judge raised it, without where it went
            except lost as exc:
                del self._running[ref]
                yield from self._lost(run.part, exc)

    def _give_out(self) -> None:
        """Gives every idle worker a part; starts as many workers as the cluster has room for."""
        while self._parts and self._idle and not self._settings.limits.is_halted:
            part, worker = self._parts.popleft(), self._idle.pop()
            places = list(part.left)
            stream = worker.answer.remote([self._asks[at] for at in places])
            self._running[stream] = _Running(worker, part, places)
        num_starting = sum(run.part is None for run in self._running.values())
        num_places = self._num_places() - len(self._running) - len(self._idle)
        for _ in range(min(len(self._parts) - num_starting, num_places)):
            worker = self._worker()
            self._running[worker.signature.remote()] = _Running(worker)

    def _halt_workers(self) -> None:
        """Has all workers finish no more than what is in flight. They are told once."""
        if not self._is_halted:
            self._is_halted = True
            for run in self._running.values():
                run.worker.halt.remote(self._settings.limits.reason)

    def _num_places(self) -> int:
        """Returns how many workers the cluster has room for now: nodes come and go."""
        resource = "GPU" if _has_gpus(self._ray, self._settings.device) else "CPU"
        return max(1, int(self._ray.cluster_resources().get(resource, 1)))

    def _worker(self) -> Any:
        """Returns a new worker, on a GPU of its own if there are GPUs to be used."""
        chosen = {
            each.name: getattr(self._settings, each.name)
            for each in fields(Settings)
            if each.name not in ("limits", "executor")
        }
        has_gpus = _has_gpus(self._ray, self._settings.device)
        needs = {"num_gpus": 1} if has_gpus else {"num_cpus": 1}
        actor = self._ray.remote(_Worker).options(
            **needs,
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=2,  # so that it hears `halt` while it answers
        )
        return actor.remote(self._name, chosen)

    def _started(self, ref: Any, signature: str) -> None:
        worker = self._running.pop(ref).worker
        self._idle.append(worker)
        self._num_failed_starts = 0
        if signature != self._signature:
            raise MissingResourceError(
                f"a worker's judge is {signature}, not {self._signature}: give all machines the "
                "same models, prompts and packages"
            )

    def _received(self, run: _Running, sent: list[Reply] | _Spent) -> Iterator[Reply]:
        if isinstance(sent, _Spent):
            _count(self._settings.limits, sent)
            return
        for place, answer, raw in sent:
            at = run.places[place]
            if run.part is not None:
                run.part.left.remove(at)
            yield Reply(at, answer, raw)

    def _lost(self, part: _Part | None, exc: Exception) -> Iterator[Reply]:
        """Has another worker do what a lost one was to do."""
        if part is None:
            self._num_failed_starts += 1
            if self._num_failed_starts >= _MAX_LOSSES:
                reason = shorten(str(exc).strip().rpartition("\n")[2])
                raise MissingResourceError(f"no worker can make the judge: {reason}") from exc
            return
        part.num_losses += 1
        if part.num_losses < _MAX_LOSSES:
            self._parts.append(part)
            return
        reason = f"failed: {_MAX_LOSSES} workers were lost with it, the last with "
        yield from self._fail(part, f"{reason}{type(exc).__name__}")

    def _fail(self, part: _Part | None, reason: str) -> Iterator[Reply]:
        if self._settings.limits.is_halted or part is None:
            return
        for at in part.left:
            ask = self._asks[at]
            yield Reply(at, JudgeFailure(ask.kind, ask.topic_id, self._signature, reason))


class _Worker:
    """A judge in a process of the cluster."""

    def __init__(self, name: str, chosen: dict[str, Any]) -> None:
        plugin, _, model = name.partition(":")
        self._limits = Limits()
        settings = Settings(**chosen, limits=self._limits)
        self._judge: Judge = _registry.load("judges", plugin).create(model, (), settings)

    def signature(self) -> str:
        """Returns the signature of its judge."""
        return self._judge.signature

    def halt(self, reason: str) -> None:
        """Lets its judge begin nothing new."""
        self._limits.halt(reason)

    def answer(self, asks: Sequence[Ask]) -> Iterator[list[Reply] | _Spent]:
        """Yields replies a few at a time, and in the end what they have cost."""
        before = _spent(self._limits)
        replies: list[Reply] = []
        sent = time.monotonic()
        for reply in self._judge.judge(asks):
            replies.append(reply)
            if time.monotonic() - sent > _REPLIES_EVERY:
                yield replies
                replies, sent = [], time.monotonic()
        yield replies
        yield _Spent(*(now - then for now, then in zip(_spent(self._limits), before, strict=True)))


def _spent(limits: Limits) -> tuple[Any, ...]:
    return limits.num_calls, limits.prompt_tokens, limits.reply_tokens, limits.cost


def _count(limits: Limits, spent: _Spent) -> None:
    limits.num_calls += spent.num_calls
    limits.prompt_tokens += spent.prompt_tokens
    limits.reply_tokens += spent.reply_tokens
    limits.cost += spent.cost


def _parts(asks: Sequence[Ask]) -> Iterator[_Part]:
    """Yields the asks of each topic: what a model reads for several of them is of one topic."""
    by_topic: dict[str, list[int]] = {}
    for index, ask in enumerate(asks):
        by_topic.setdefault(ask.topic_id, []).append(index)
    for places in by_topic.values():
        yield _Part(places)


def _has_gpus(ray: Any, device: str) -> bool:
    return device != "cpu" and ray.cluster_resources().get("GPU", 0) >= 1


def _ray() -> Any:
    """Returns Ray, connected to the cluster of ``RAY_ADDRESS``, or to one made on this machine.

    Raises:
        MissingResourceError: it is not installed, or there is no such cluster.
    """
    try:
        import ray
    except ImportError as exc:
        raise MissingResourceError(
            "--executor ray needs Ray: pip install 'argue-eval[ray]'"
        ) from exc
    if not ray.is_initialized():
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent to anybody
        try:
            ray.init(logging_level="error", log_to_driver=False, include_dashboard=False)
        except (ConnectionError, ValueError, RuntimeError) as exc:
            raise MissingResourceError(f"the Ray cluster cannot be reached: {exc}") from exc
    return ray


def spread(judge: Judge, name: str, settings: Settings) -> Spread:
    """Returns the judge with its asks spread over a Ray cluster.

    Args:
        name: the judge's name with its model, as users write it.

    Raises:
        MissingResourceError: Ray is not installed, or its cluster can't be reached.
    """
    _ray()
    return Spread(judge, name, settings)
