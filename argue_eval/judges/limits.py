"""How far judging may go: the calls and the money that a user allows, and the user's patience."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from sys import float_info
from typing import NamedTuple

from argue_eval.errors import Finding, InputError, shorten
from argue_eval.formats.toml import read as read_toml

INTERRUPTED = "interrupted"


class Price(NamedTuple):
    """What a model costs, in any currency, per million tokens."""

    prompt: float
    reply: float

    def of(self, prompt_tokens: int, reply_tokens: int) -> float:
        """The price of so many tokens."""
        return (prompt_tokens * self.prompt + reply_tokens * self.reply) / 1e6


@dataclass(slots=True, eq=False)
class Limits:
    """What all judges of a job may do together. Several threads may use it.

    Calls that cost something are counted by a `Meter`. A judge looks at `halted` before it
    begins anything new; what is in flight, it finishes.

    Attributes:
        max_calls: the calls that may begin; None if any number.
        max_cost: the money that may be spent; None if any amount.
        halted: why nothing new may begin; empty while it may.
        is_asking: is a judge at work now?
        num_calls: calls that were begun.
        cost: what the calls that ended have cost; 0.0 without a price.
        reserved: what the calls in flight may cost at most.
    """

    max_calls: int | None = None
    max_cost: float | None = None
    halted: str = ""
    is_asking: bool = False
    num_calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cost: float = 0.0
    reserved: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __reduce__(self) -> tuple[type[Limits], tuple[int | None, float | None]]:
        return Limits, (self.max_calls, self.max_cost)  # another process counts for itself

    @property
    def is_interrupted(self) -> bool:
        """True if it was the user who stopped it."""
        return self.halted == INTERRUPTED

    def halt(self, reason: str) -> None:
        """Lets nothing new begin. The first reason given stays."""
        self.halted = self.halted or reason


@dataclass(slots=True, eq=False)
class Meter:
    """Lets the calls of one request begin while the limits allow it, and counts what they use.

    Attributes:
        prompt_tokens: about how many tokens the request has.
        max_tokens: how many the reply may have.
    """

    limits: Limits
    price: Price | None = None
    prompt_tokens: int = 0
    max_tokens: int = 0

    def begin(self) -> bool:
        """Counts one more call if it may begin; if it may not, everything is halted."""
        limits = self.limits
        most = self.price.of(self.prompt_tokens, self.max_tokens) if self.price else 0.0
        with limits.lock:
            if limits.halted:
                return False
            if limits.max_calls is not None and limits.num_calls >= limits.max_calls:
                limits.halted = f"--max-calls {limits.max_calls} reached"
                return False
            committed = limits.cost + limits.reserved + most
            if limits.max_cost is not None and committed > limits.max_cost:
                limits.halted = f"--max-cost {limits.max_cost:g} reached"
                return False
            limits.num_calls += 1
            limits.reserved += most
            return True

    def end(self, prompt_tokens: int | None, reply_tokens: int | None) -> None:
        """Counts what a call has used. None stands for the most that it can be."""
        read = self.prompt_tokens if prompt_tokens is None else prompt_tokens
        written = self.max_tokens if reply_tokens is None else reply_tokens
        limits = self.limits
        with limits.lock:
            limits.prompt_tokens += read
            limits.reply_tokens += written
            if self.price is not None:
                limits.reserved -= self.price.of(self.prompt_tokens, self.max_tokens)
                limits.cost += self.price.of(read, written)


_HINT = (
    'write a table per model, prices per million tokens: ["my-model"], prompt = 0.15, reply = 0.6'
)


def read_prices(path: str) -> dict[str, Price]:
    """Prices by model, from a TOML file with one table per model.

    Raises:
        InputError: the file is not TOML, or says something else.
        MissingResourceError: it cannot be read.
    """
    findings: list[Finding] = []
    prices: dict[str, Price] = {}
    for model, row in read_toml(path, "wrong_prices", _HINT).items():
        is_price = isinstance(row, dict) and row.keys() == set(Price._fields)
        if is_price and all(
            type(each) in (int, float) and 0 <= each <= float_info.max for each in row.values()
        ):
            prices[model] = Price(float(row["prompt"]), float(row["reply"]))
        else:
            message = f"expected prompt and reply, numbers of 0 or more, found {shorten(row)}"
            findings.append(Finding("wrong_prices", message, _HINT, path, path=f"$.{model}"))
    if findings:
        raise InputError(findings)
    return prices
