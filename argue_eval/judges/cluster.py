"""Spreads a judge's questions over a Ray cluster: one judge, and so one model, per worker.

If a worker is lost, another one is started and gets its part of the work. Replies come back while a
part is under way, so that hardly anything is judged twice.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from weakref import WeakSet

from argue_eval import _registry
from argue_eval.errors import MissingResourceError, shorten
from argue_eval.judges import Judge, Settings, Workload
from argue_eval.judges.limits import Limits
from argue_eval.records import Kind, Question, Reply

_MAX_LOSSES = 3
"""After this many worker crashes a part is given up, and so is the start of workers."""

_REPLIES_EVERY = 0.2
_WAIT_SECONDS = 1.0
_COUNTS = ("num_calls", "prompt_tokens", "reply_tokens", "cost")
"""What a worker's limits count, for the limits of the job."""


@dataclass(slots=True)
class _Part:
    """Questions that one worker answers.

    Attributes:
        left: places of the questions that have no reply yet.
        sent: places of the questions that its worker was given.
        num_losses: how many workers were lost with it.
    """

    left: list[int]
    sent: Sequence[int] = ()
    num_losses: int = 0


class _Running(NamedTuple):
    """A worker with its part of the work; without one, it starts."""

    worker: Any
    part: _Part | None = None


class Spread:
    """A judge whose questions are answered by judges like it on the workers of a Ray cluster.

    Attributes:
        signature: the judge's, which every worker's judge must have too.
        workers: all that were started so far.

    Raises:
        MissingResourceError: Ray is not installed, or its cluster can't be reached.
    """

    def __init__(self, judge: Judge, name: str, settings: Settings) -> None:
        """Connects to the cluster. `name` is the judge's with its model, as users write it."""
        self._ray = _ray()
        self.signature: str = judge.signature
        self.kinds: frozenset[Kind] = judge.kinds
        self.joint: frozenset[Kind] = judge.joint
        self.workers: list[Any] = []
        self._judge = judge
        self._name = name
        self._settings = settings
        self._idle: list[Any] = []  # with their models loaded, for the next questions
        self._num_failed_starts = 0
        _SPREADS.add(self)

    def workload(self, questions: Sequence[Question]) -> Workload:
        """What it takes to answer these questions, whoever does it."""
        return self._judge.workload(questions)

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """Yields one reply per question, as the workers send them.

        Raises:
            MissingResourceError: no worker can make the judge.
        """
        ray = self._ray
        for other in _SPREADS - {self}:
            while other._idle:
                ray.kill(other._idle.pop())  # there may not be room for the models of both
        limits = self._settings.limits
        by_topic: dict[str, list[int]] = {}  # since a prompt is about one topic
        for place, question in enumerate(questions):
            by_topic.setdefault(question.topic_id, []).append(place)
        parts = deque(_Part(places) for places in by_topic.values())
        running: dict[Any, _Running] = {}
        is_halt_sent = False
        try:
            while any(run.part for run in running.values()) or (parts and not limits.halted):
                self._give_out(questions, parts, running)
                if limits.halted and not is_halt_sent:
                    is_halt_sent = True
                    for run in running.values():  # to finish no more than what is in flight
                        run.worker.halt.remote(limits.halted)
                if running:  # else halted before anything began
                    yield from self._next(parts, running)
        finally:
            for run in running.values():
                ray.kill(run.worker)

    def _give_out(
        self, questions: Sequence[Question], parts: deque[_Part], running: dict[Any, _Running]
    ) -> None:
        """Gives every idle worker a part; starts as many workers as the cluster has room for."""
        while parts and self._idle and not self._settings.limits.halted:
            part, worker = parts.popleft(), self._idle.pop()
            part.sent = tuple(part.left)
            stream = worker.answer.remote([questions[at] for at in part.sent])
            running[stream] = _Running(worker, part)
        resources = self._ray.cluster_resources()  # nodes come and go: there may be more room
        has_gpus = self._settings.device != "cpu" and resources.get("GPU", 0) >= 1
        num_places = max(1, int(resources.get("GPU" if has_gpus else "CPU", 1)))
        num_starting = sum(run.part is None for run in running.values())
        num_free = num_places - len(running) - len(self._idle)
        for _ in range(min(len(parts) - num_starting, num_free)):
            worker = self._started(has_gpus)
            running[worker.signature.remote()] = _Running(worker)

    def _started(self, has_gpus: bool) -> Any:
        actor = self._ray.remote(_Worker).options(
            **({"num_gpus": 1} if has_gpus else {"num_cpus": 1}),
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=2,  # so that it hears `halt` while it answers
        )
        settings = replace(self._settings, limits=Limits())  # the job's limits are kept here
        self.workers.append(actor.remote(self._name, settings))
        return self.workers[-1]

    def _next(self, parts: deque[_Part], running: dict[Any, _Running]) -> Iterator[Reply]:
        ray = self._ray
        lost = (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError)
        ready, _ = ray.wait(list(running), num_returns=1, timeout=_WAIT_SECONDS, fetch_local=False)
        for ref in ready:
            run = running[ref]
            try:
                if run.part is None:
                    signature = ray.get(ref)
                    del running[ref]
                    self._idle.append(run.worker)
                    self._num_failed_starts = 0
                    if signature != self.signature:
                        raise MissingResourceError(
                            f"a worker's judge is {signature}, not {self.signature}: give all "
                            "machines the same models, prompts and packages"
                        )
                else:
                    yield from self._received(run.part, ray.get(next(ref)))
            except StopIteration:
                del running[ref]
                self._idle.append(run.worker)
                yield from self._failed(run.part, "failed: no reply")
            except ray.exceptions.RayTaskError as exc:
                raise exc.cause from None  # as the judge raised it, without the way that it took
            except lost as exc:
                del running[ref]
                yield from self._lost(run.part, parts, exc)

    def _received(self, part: _Part, came: list[Reply] | tuple[float, ...]) -> Iterator[Reply]:
        if isinstance(came, tuple):
            limits = self._settings.limits
            for name, number in zip(_COUNTS, came, strict=True):
                setattr(limits, name, getattr(limits, name) + number)
            return
        for reply in came:
            place = part.sent[reply.index]
            part.left.remove(place)
            yield reply._replace(index=place)

    def _lost(self, part: _Part | None, parts: deque[_Part], exc: Exception) -> Iterator[Reply]:
        if part is None:
            self._num_failed_starts += 1
            if self._num_failed_starts >= _MAX_LOSSES:
                reason = shorten(str(exc).strip().rpartition("\n")[2])
                raise MissingResourceError(f"no worker can make the judge: {reason}") from exc
            return
        part.num_losses += 1
        if part.num_losses < _MAX_LOSSES:
            parts.append(part)
            return
        reason = f"failed: {_MAX_LOSSES} workers crashed on it, the last with {type(exc).__name__}"
        yield from self._failed(part, reason)

    def _failed(self, part: _Part | None, reason: str) -> Iterator[Reply]:
        if part is not None and not self._settings.limits.halted:
            for place in part.left:
                yield Reply(index=place, reason=reason)


_SPREADS: WeakSet[Spread] = WeakSet()


class _Worker:
    def __init__(self, name: str, settings: Settings) -> None:
        plugin, _, model = name.partition(":")
        self._limits = settings.limits
        self._judge: Judge = _registry.load("judges", plugin).create(model, (), settings)

    def signature(self) -> str:
        return self._judge.signature

    def halt(self, reason: str) -> None:
        self._limits.halt(reason)

    def answer(self, questions: Sequence[Question]) -> Iterator[list[Reply] | tuple[float, ...]]:
        """Yields replies a few at a time, and in the end what they have cost."""
        before = [getattr(self._limits, name) for name in _COUNTS]
        replies: list[Reply] = []
        sent = time.monotonic()
        for reply in self._judge.answer(questions):
            replies.append(reply)
            if time.monotonic() - sent > _REPLIES_EVERY:
                yield replies
                replies, sent = [], time.monotonic()
        yield replies
        now = [getattr(self._limits, name) for name in _COUNTS]
        yield tuple([after - then for after, then in zip(now, before, strict=True)])


def _ray() -> Any:
    """Ray, connected to the cluster of ``RAY_ADDRESS``, or to one made on this machine."""
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", "^")  # lost nodes are reported on stdout
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
