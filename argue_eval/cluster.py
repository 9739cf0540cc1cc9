"""Spreads a judge's asks over a Ray cluster: one judge, and so one model, per worker.

Every part of the work is put to a worker again if the worker is lost, and a lost worker is
replaced. Replies come back while a part is under way, so that hardly anything is judged twice.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from argue_eval import registry
from argue_eval.errors import MissingResourceError
from argue_eval.judges import Judge, Reply, Settings, Workload
from argue_eval.limits import Limits
from argue_eval.records import Ask, JudgeFailure
from argue_eval.terms import Kind

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
    """

    left: list[int]
    num_losses: int = 0


@dataclass(slots=True)
class _Running:
    worker: Any
    part: _Part
    places: list[int] = field(default_factory=list)


class Spread:
    """A judge whose asks are answered by its likes on the workers of a Ray cluster."""

    def __init__(self, judge: Judge, name: str, settings: Settings) -> None:
        self._judge = judge
        self._name = name
        self._settings = settings

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
        """Yields one reply per ask, as the workers send them."""
        ray = _ray()
        parts = deque(_parts(asks))
        num_workers = min(_num_workers(ray, self._settings.device), len(parts))
        idle = [self._worker(ray) for _ in range(num_workers)]
        running: dict[Any, _Running] = {}
        try:
            while True:
                while parts and idle and not self._settings.limits.is_halted:
                    part, worker = parts.popleft(), idle.pop()
                    places = list(part.left)
                    stream = worker.answer.remote(self.signature, [asks[at] for at in places])
                    running[stream] = _Running(worker, part, places)
                if not running:
                    return
                ready, _ = ray.wait(
                    list(running), num_returns=1, timeout=_WAIT_SECONDS, fetch_local=False
                )
                for stream in ready:
                    yield from self._advance(ray, stream, running, parts, idle, asks)
        finally:
            for worker in [*idle, *(each.worker for each in running.values())]:
                ray.kill(worker)

    def _worker(self, ray: Any) -> Any:
        """Returns a new worker, on a GPU of its own if there are GPUs to be used."""
        chosen = {
            each.name: getattr(self._settings, each.name)
            for each in fields(Settings)
            if each.name not in ("limits", "executor")
        }
        needs = {"num_gpus": 1} if _has_gpus(ray, self._settings.device) else {"num_cpus": 1}
        actor = ray.remote(_Worker).options(**needs, max_restarts=0, max_task_retries=0)
        return actor.remote(self._name, chosen)

    def _advance(
        self,
        ray: Any,
        stream: Any,
        running: dict[Any, _Running],
        parts: deque[_Part],
        idle: list[Any],
        asks: Sequence[Ask],
    ) -> Iterator[Reply]:
        """Yields what a worker sends next; gives its part to another worker if it is lost."""
        run = running[stream]
        try:
            sent = ray.get(next(stream))
        except StopIteration:
            del running[stream]
            idle.append(run.worker)
            yield from self._failures(run.part, asks, "failed: no reply")
            return
        except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError) as exc:
            del running[stream]
            idle.append(self._worker(ray))
            run.part.num_losses += 1
            if run.part.num_losses < _MAX_LOSSES:
                parts.append(run.part)
            else:
                reason = f"failed: {_MAX_LOSSES} workers were lost with it, the last with "
                yield from self._failures(run.part, asks, f"{reason}{type(exc).__name__}")
            return
        if isinstance(sent, _Spent):
            _count(self._settings.limits, sent)
            return
        for place, answer, raw in sent:
            at = run.places[place]
            run.part.left.remove(at)
            yield Reply(at, answer, raw)

    def _failures(self, part: _Part, asks: Sequence[Ask], reason: str) -> Iterator[Reply]:
        if self._settings.limits.is_halted:
            return
        for at in part.left:
            ask = asks[at]
            yield Reply(at, JudgeFailure(ask.kind, ask.topic_id, self.signature, reason))


class _Worker:
    """A judge in a process of the cluster."""

    def __init__(self, name: str, chosen: dict[str, Any]) -> None:
        plugin, _, model = name.partition(":")
        self._limits = Limits()
        settings = Settings(**chosen, limits=self._limits)
        self._judge: Judge = registry.load("judges", plugin).create(model, (), settings)

    def answer(self, signature: str, asks: Sequence[Ask]) -> Iterator[list[Reply] | _Spent]:
        """Yields replies a few at a time, and in the end what they have cost."""
        if self._judge.signature != signature:
            raise MissingResourceError(
                f"a worker's judge is {self._judge.signature}, not {signature}: give all machines "
                "the same models and packages"
            )
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


def _num_workers(ray: Any, device: str) -> int:
    resource = "GPU" if _has_gpus(ray, device) else "CPU"
    return max(1, int(ray.cluster_resources().get(resource, 1)))


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
