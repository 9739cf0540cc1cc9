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
        """Returns the price of so many tokens."""
        return (prompt_tokens * self.prompt + reply_tokens * self.reply) / 1e6


class Limits:
    """What all judges of a job may do together. May be used by several threads.

    A judge asks `may_call` before every call that costs something and tells `spend` after it. It
    looks at `is_halted` before it begins anything new; what is in flight, it finishes.

    Attributes:
        reason: why judging was halted; empty if it was not.
        is_asking: is a judge at work now?
        num_calls: calls that were begun.
        cost: what the calls that ended have cost; 0.0 without a price.
    """

    def __init__(self, max_calls: int | None = None, max_cost: float | None = None) -> None:
        self.reason = ""
        self.is_asking = False
        self.num_calls = 0
        self.prompt_tokens = 0
        self.reply_tokens = 0
        self.cost = 0.0
        self._reserved = 0.0
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._lock = threading.Lock()

    @property
    def is_halted(self) -> bool:
        """True once nothing new may begin."""
        return bool(self.reason)

    @property
    def is_interrupted(self) -> bool:
        """True if it was the user who stopped it."""
        return self.reason == INTERRUPTED

    @property
    def is_set(self) -> bool:
        """True if calls or money are limited."""
        return self._max_calls is not None or self._max_cost is not None

    @property
    def max_cost(self) -> float | None:
        """Returns the money that may be spent; None if there is no limit."""
        return self._max_cost

    def halt(self, reason: str) -> None:
        """Lets nothing new begin. The first reason given stays."""
        self.reason = self.reason or reason

    def may_call(self, expected_cost: float = 0.0) -> bool:
        """Returns whether one more call may begin, and counts it. If not, all is halted.

        Args:
            expected_cost: what the call may cost at most; `spend` puts the true figure in its
                place.
        """
        with self._lock:
            if self.reason:
                return False
            if self._max_calls is not None and self.num_calls >= self._max_calls:
                self.reason = f"--max-calls {self._max_calls} reached"
                return False
            committed = self.cost + self._reserved + expected_cost
            if self._max_cost is not None and committed > self._max_cost:
                self.reason = f"--max-cost {self._max_cost:g} reached"
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
            expected_cost: as it was given to `may_call`.
        """
        with self._lock:
            self.prompt_tokens += prompt_tokens
            self.reply_tokens += reply_tokens
            self._reserved -= expected_cost
            if price is not None:
                self.cost += price.of(prompt_tokens, reply_tokens)


# --- What models cost: a TOML file with one table per model ---


_NAMES = ("prompt", "reply")
_HINT = (
    'write a table per model, prices per million tokens: ["my-model"], prompt = 0.15, reply = 0.6'
)


def read_prices(path: str) -> dict[str, Price]:
    """Returns prices by model.

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
