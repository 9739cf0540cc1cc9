"""Judges: ways to answer an `Ask`. A file is a judge; its `create` makes one.

A judge sees texts only, never a run or a score. A judge's module has

* `create(model, texts, settings)`, which returns a `Judge`;
* `MODEL`: what its name takes after the colon (``nli:MODEL``), in words for people; empty if it
  takes nothing;
* `IS_COSTLY`: are its answers slow or dear, so that they are always kept in a store?
* optionally `READS_REPORTS`: is it better asked whether a whole report covers a claim than whether
  each of its sentences does?
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from argue_eval.judges.limits import Limits, Price
from argue_eval.records import Ask, JudgeFailure, Judgment, Kind

DEVICES = ("auto", "cpu", "cuda")
PROMPTINGS = ("batched", "single")
EXECUTORS = ("local", "ray")


class Reply(NamedTuple):
    """What a judge says to one ask.

    Attributes:
        ask_index: the place of the ask among those that the judge was given.
        raw: what a model replied, word for word; None if no model was asked.
    """

    ask_index: int
    answer: Judgment | JudgeFailure
    raw: str | None = None


class Workload(NamedTuple):
    """What it takes to answer some asks.

    Attributes:
        num_calls: calls of a model, each of which may answer many asks.
        prompt_tokens: what the model reads in all of them, as well as it can be told beforehand.
        reply_tokens: what it writes.
    """

    num_calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user can choose about judges. Whatever could change a verdict is in a signature.

    Attributes:
        device: where a local model runs: ``auto``, ``cpu`` or ``cuda``.
        prompting: ``batched`` (few calls, each with many asks) or ``single`` (one ask a call).
        repeat: how often a model is asked the same; the verdict is that of the majority.
        prompts: a folder with prompts to use instead of those of the package.
        concurrency: how many calls may be in flight.
        timeout: seconds after which a call is given up.
        prices: what models cost, by name.
        executor: ``local``, or ``ray``: costly judges work on a Ray cluster.
        limits: shared by all judges of a job.
        canary: put questions with a known answer into every call of a language model, and take
            nothing of a reply that has one wrong.
    """

    device: str = "auto"
    prompting: str = "batched"
    repeat: int = 1
    prompts: str | None = None
    concurrency: int = 8
    timeout: float = 120.0
    prices: Mapping[str, Price] = field(default_factory=dict)
    executor: str = "local"
    limits: Limits = field(default_factory=Limits)
    canary: bool = False


class Judge(Protocol):
    """What the caller needs to know of a judge."""

    @property
    def signature(self) -> str:
        """Returns its name, version and whatever else could change a verdict: model, revision,
        prompts, settings. Without white space and without a bar: ``lexical@1/ab12cd34``.
        """

    @property
    def kinds(self) -> frozenset[Kind]:
        """Returns the kinds of question that it can answer."""

    @property
    def joint(self) -> frozenset[Kind]:
        """Returns kinds that it is asked together about a sentence, since one call answers all.

        Empty for a judge to whom each ask costs the same on its own.
        """

    def judge(self, asks: Sequence[Ask]) -> Iterator[Reply]:
        """Yields one reply per ask as soon as there is one, in any order.

        Once its limits are halted it begins nothing new, and yields nothing for the asks that it
        has not begun.
        """

    def workload(self, asks: Sequence[Ask]) -> Workload:
        """Returns what it would take to answer these asks. Asks nothing."""
