"""Puts calls to a model, with a second turn if a reply is unusable, and counts what they cost."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from argue_eval.judges.clients.completion import (
    Backend,
    Completion,
    Failed,
    Message,
    Request,
    Result,
)
from argue_eval.judges.limits import Limits, Price
from argue_eval.judges.llm.calls import Call
from argue_eval.judges.llm.delimiters import Delimiters, neutral
from argue_eval.judges.llm.prompts import TASKS, Prompts
from argue_eval.judges.llm.replies import CUT_OFF, Reading, read, schema_of, why_unusable
from argue_eval.judges.llm.votes import Vote
from argue_eval.text.passages import num_tokens

_LABEL_TOKENS = 6
_REPLY_TOKENS, _MAX_LABEL_TOKENS = 64, 16
LONG_REPLY_TOKENS = 8192
"""How long a reply may be after one that was cut off: models that think aloud need it."""

_MAX_ENDLESS = 3

_SHOWN_REPLY = 4000
_SHOWN_PROBLEMS = 5
_MESSAGE_TOKENS = 4


class Heard(NamedTuple):
    """What came of a call.

    Attributes:
        votes: by label, a verdict or the reason why there is none.
        raws: all that the model wrote, word for word.
        num_attempts: how many calls of the model it took.
    """

    votes: Mapping[str, Vote]
    raws: tuple[str, ...] = ()
    num_attempts: int = 1


class Asking:
    """Makes requests of calls and votes of replies.

    Args:
        temperature: 0 if every call is made once.
        price: what the model costs; None if it is not known.
    """

    def __init__(
        self, prompts: Prompts, temperature: float, limits: Limits, price: Price | None
    ) -> None:
        self._prompts = prompts
        self._temperature = temperature
        self._limits = limits
        self._price = price
        self._delimiters = Delimiters()
        self._has_long_replies = False
        self._num_endless = 0

    def request(self, call: Call) -> Request:
        """Returns what a model is asked in a call."""
        texts = self._delimiters.enclosed(call.shared, call.own)
        system, user = self._prompts.first_turn(call.task, {**texts, "keys": _keys(call)})
        return self._request(call, (Message("system", system), Message("user", user)))

    def num_tokens(self, call: Call) -> tuple[int, int]:
        """Returns about how many tokens a call has, and its reply."""
        return prompt_tokens(self.request(call).messages), _reply_tokens(call)

    def hear(self, call: Call, completion: Completion) -> Heard:
        """Returns what a reply says, by itself."""
        reading, reason = _reading(call, completion)
        votes = _votes(call, reading) if reading else dict.fromkeys(_labels(call), reason)
        return Heard(votes, (completion.text,), completion.num_attempts)

    def converse(self, calls: Sequence[Call], backend: Backend) -> list[Heard | None]:
        """Returns what comes of calls, in their order; None for one that was not begun."""
        requests = [self.request(call) for call in calls]
        results = self._lengthened(requests, backend.complete(requests), backend)
        heard: list[Heard | None] = []
        again: list[tuple[int, Request, Reading]] = []
        for place, (call, request, result) in enumerate(zip(calls, requests, results, strict=True)):
            if not isinstance(result, Completion):
                heard.append(_failed(call, result))
                continue
            heard.append(self.hear(call, result))
            reading, _ = _reading(call, result)
            if reading is not None and reading.problems:
                again.append((place, self._repair(call, request, result, reading), reading))
        if again:
            second = backend.complete([request for _, request, _ in again])
            for (place, _, reading), result in zip(again, second, strict=True):
                first = heard[place]
                if first is not None and result is not None:
                    heard[place] = _repaired(calls[place], first, reading, result)
        return heard

    def _lengthened(
        self, requests: Sequence[Request], results: list[Result], backend: Backend
    ) -> list[Result]:
        """Returns the results, those that were cut off asked for once more with more room.

        A model that comes to no end with that room either is not asked again.
        """
        cut = [
            place
            for place, result in enumerate(results)
            if _is_cut_off(result) and requests[place].max_tokens < LONG_REPLY_TOKENS
        ]
        if not cut or self._num_endless >= _MAX_ENDLESS:
            return results
        longer = [requests[place]._replace(max_tokens=LONG_REPLY_TOKENS) for place in cut]
        found = list(results)
        for place, result in zip(cut, backend.complete(longer), strict=True):
            before = results[place]
            if isinstance(result, Completion) and isinstance(before, Completion):
                num_attempts = before.num_attempts + result.num_attempts
                found[place] = result._replace(num_attempts=num_attempts)
            if isinstance(result, Completion) and not _is_cut_off(result):
                self._has_long_replies = True  # so that no other is cut off first
            else:
                self._num_endless += 1
        return found

    def _repair(self, call: Call, request: Request, said: Completion, reading: Reading) -> Request:
        reasons = [f"{label}: {reason}" for label, reason in reading.problems.items()]
        shown = reasons[:_SHOWN_PROBLEMS]
        if len(set(reading.problems.values())) == 1 and len(reasons) == len(call.items):
            shown = [next(iter(reading.problems.values()))]
        elif len(reasons) > len(shown):
            shown.append(f"and {len(reasons) - len(shown)} more")
        told = self._prompts.repair(call.task, neutral("; ".join(shown)), _keys(call))
        reply = neutral(said.text[:_SHOWN_REPLY]) or "(empty)"
        turns = (Message("assistant", reply), Message("user", told))
        return self._request(call, (*request.messages, *turns))

    def _request(self, call: Call, messages: tuple[Message, ...]) -> Request:
        max_tokens = _REPLY_TOKENS + _MAX_LABEL_TOKENS * len(call.items)
        if self._has_long_replies:
            max_tokens = max(max_tokens, LONG_REPLY_TOKENS)
        return Request(
            messages,
            max_tokens,
            schema_of(_labels(call), TASKS[call.task].scale),
            CallMeter(self._limits, self._price, prompt_tokens(messages), max_tokens),
            self._temperature,
            call.repeat,
        )


class CallMeter:
    """Lets a call begin if the limits do, and tells them what it has used.

    Where a server does not say what that was, it is taken for the most that it could be.
    """

    def __init__(
        self, limits: Limits, price: Price | None, prompt_tokens: int, max_tokens: int
    ) -> None:
        self._limits = limits
        self._price = price
        self._tokens = (prompt_tokens, max_tokens)
        self._expected = price.of(prompt_tokens, max_tokens) if price else 0.0

    @property
    def is_halted(self) -> bool:
        """True once no further call may begin."""
        return self._limits.is_halted

    def begin(self) -> bool:
        """Returns whether the call may begin."""
        return self._limits.may_call(self._expected)

    def end(self, prompt_tokens: int | None, reply_tokens: int | None) -> None:
        """Counts what the call has used."""
        used = (
            self._tokens[0] if prompt_tokens is None else prompt_tokens,
            self._tokens[1] if reply_tokens is None else reply_tokens,
        )
        self._limits.spend(*used, self._price, self._expected)


def _labels(call: Call) -> list[str]:
    """Returns the keys of a reply; equal asks have one together."""
    return list(dict.fromkeys(item.label for item in call.items))


def _keys(call: Call) -> str:
    """Returns the keys of a reply in words; a list that counts from 1 in few."""
    labels = _labels(call)
    if len(labels) > 3 and labels == [str(number) for number in range(1, len(labels) + 1)]:
        return f'"1", "2", … "{labels[-1]}"'
    return ", ".join(json.dumps(label) for label in labels)


def _reading(call: Call, completion: Completion) -> tuple[Reading | None, str]:
    """Returns what a reply says, or the reason why it must not be read."""
    reason = why_unusable(completion)
    if reason:
        return None, reason
    return read(completion.text, _labels(call), TASKS[call.task].scale), ""


def _is_cut_off(result: Result) -> bool:
    return isinstance(result, Completion) and why_unusable(result) == CUT_OFF


def _votes(call: Call, reading: Reading) -> dict[str, Vote]:
    return {
        label: reading.verdicts.get(label) or reading.problems[label] for label in _labels(call)
    }


def _failed(call: Call, result: Failed | None) -> Heard | None:
    if result is None:
        return None
    return Heard(dict.fromkeys(_labels(call), result.reason), (), result.num_attempts)


def _repaired(call: Call, first: Heard, reading: Reading, result: Completion | Failed) -> Heard:
    """Returns what two turns say: the second one only where the first says nothing."""
    raws, votes = first.raws, dict(first.votes)
    if isinstance(result, Completion):
        raws = (*raws, result.text)
        second, _ = _reading(call, result)
        if second is not None:
            votes.update(
                {label: second.verdicts.get(label, votes[label]) for label in reading.problems}
            )
    return Heard(votes, raws, first.num_attempts + result.num_attempts)


def prompt_tokens(messages: Sequence[Message]) -> int:
    """Returns about how many tokens a model reads."""
    return sum(num_tokens(message.text) + _MESSAGE_TOKENS for message in messages)


def _reply_tokens(call: Call) -> int:
    return _LABEL_TOKENS * (len(call.items) + 1)
