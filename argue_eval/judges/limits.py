"""How far judging may go: the calls and the money that a user allows, and the user's patience."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from math import isfinite
from typing import Any

from argue_eval.errors import Finding, InputError, shorten
from argue_eval.formats import toml

INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in any currency, per million tokens."""

    prompt: float
    reply: float

    def of(self, prompt_tokens: int, reply_tokens: int) -> float:
        """The price of so many tokens."""
        return (prompt_tokens * self.prompt + reply_tokens * self.reply) / 1e6


class Limits:
    """What all judges of a job may do together. Several threads may use it.

    A judge asks `may_call` before every call that costs something, and reports to `spend` after it.
    It looks at `is_halted` before it begins anything new; what is in flight, it finishes.

    Attributes:
        reason: why judging was halted; empty if it was not.
        is_asking: is a judge at work now?
        num_calls: calls that were begun.
        cost: what the calls that ended have cost; 0.0 without a price.
    """

    def __init__(self, max_calls: int | None = None, max_cost: float | None = None) -> None:
        self.max_cost = max_cost
        self.reason = ""
        self.is_asking = False
        self.num_calls = 0
        self.prompt_tokens = 0
        self.reply_tokens = 0
        self.cost = 0.0
        self._reserved = 0.0
        self._max_calls = max_calls
        self._lock = threading.Lock()

    @property
    def is_set(self) -> bool:
        """True if the user set a limit."""
        return self._max_calls is not None or self.max_cost is not None

    @property
    def is_halted(self) -> bool:
        """True once nothing new may begin."""
        return bool(self.reason)

    @property
    def is_interrupted(self) -> bool:
        """True if it was the user who stopped it."""
        return self.reason == INTERRUPTED

    def halt(self, reason: str) -> None:
        """Lets nothing new begin. The first reason given stays."""
        self.reason = self.reason or reason

    def may_call(self, expected_cost: float = 0.0) -> bool:
        """Counts one more call if it may begin; if it may not, everything is halted.

        Args:
            expected_cost: what the call may cost at most; `spend` replaces it by the true figure.
        """
        with self._lock:
            if self.reason:
                return False
            if self._max_calls is not None and self.num_calls >= self._max_calls:
                self.reason = f"--max-calls {self._max_calls} reached"
                return False
            committed = self.cost + self._reserved + expected_cost
            if self.max_cost is not None and committed > self.max_cost:
                self.reason = f"--max-cost {self.max_cost:g} reached"
                return False
            self.num_calls += 1
            self._reserved += expected_cost
            return True

    def spend(
        self,
        prompt_tokens: int,
        reply_tokens: int,
        price: Price | None = None,
        expected_cost: float = 0.0,
    ) -> None:
        """Counts what a call has cost.

        Args:
            expected_cost: the value that `may_call` was given.
        """
        with self._lock:
            self.prompt_tokens += prompt_tokens
            self.reply_tokens += reply_tokens
            self._reserved -= expected_cost
            if price is not None:
                self.cost += price.of(prompt_tokens, reply_tokens)


@dataclass(frozen=True, slots=True)
class Meter:
    """Lets the attempts of a request begin while the limits allow it, and counts what they use.

    Attributes:
        prompt_tokens: about how many tokens the request has.
        max_tokens: how many the reply may have.
    """

    limits: Limits
    price: Price | None = None
    prompt_tokens: int = 0
    max_tokens: int = 0

    def begin(self) -> bool:
        """Counts one more attempt if it may begin. Every attempt is a call."""
        most = self.price.of(self.prompt_tokens, self.max_tokens) if self.price else 0.0
        return self.limits.may_call(most)

    def end(self, prompt_tokens: int | None, reply_tokens: int | None) -> None:
        """Counts what an attempt has used: at most what it may have, where the server is silent."""
        self.limits.spend(
            self.prompt_tokens if prompt_tokens is None else prompt_tokens,
            self.max_tokens if reply_tokens is None else reply_tokens,
            self.price,
            self.price.of(self.prompt_tokens, self.max_tokens) if self.price else 0.0,
        )


_NAMES = ("prompt", "reply")
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
    for model, row in toml.read(path, "wrong_prices", _HINT).items():
        numbers = row if isinstance(row, dict) else {}
        if sorted(numbers) == sorted(_NAMES) and all(map(_is_price, numbers.values())):
            prices[model] = Price(float(numbers["prompt"]), float(numbers["reply"]))
            continue
        message = f"expected prompt and reply, numbers of 0 or more, found {shorten(row)}"
        findings.append(Finding("wrong_prices", message, _HINT, path, path=f"$.{model}"))
    if findings:
        raise InputError(findings)
    return prices


def _is_price(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and isfinite(value) and value >= 0
