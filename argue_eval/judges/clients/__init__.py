"""Clients: how a language model is asked. A file is a client.

``llm:MODEL`` asks a server through the client ``chat``; ``llm:NAME:MODEL`` asks through the client
NAME. A client knows texts, tokens and numbers, and nothing of reports or scoring.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from argue_eval.judges import Settings
from argue_eval.judges.limits import Meter

TOO_LONG = "the prompt is longer than the model's context"

Schema = Mapping[str, Any]
"""A JSON schema."""


class Message(NamedTuple):
    """A part of a conversation. `role` is ``system``, ``user`` or ``assistant``."""

    role: str
    text: str


class Request(NamedTuple):
    """What a model is asked.

    Attributes:
        max_tokens: how long the reply may be.
        schema: the JSON schema of the reply; empty if the reply is not JSON.
        meter: the client calls its `begin` before every attempt, and its `end` after it.
        top_logprobs: for how many of the likeliest first tokens the probability is wanted.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    schema: Schema
    meter: Meter
    temperature: float = 0.0
    seed: int = 0
    top_logprobs: int = 0


class Completion(NamedTuple):
    """What a model wrote.

    Attributes:
        finish_reason: why it stopped; ``stop`` if it was done, empty if unknown.
        refusal: what it says where it refuses to answer.
        prompt_tokens: what it read; `reply_tokens`: what it wrote. None if unknown.
        num_attempts: how many calls it took.
        first_tokens: the likeliest first tokens and the logarithm of their probability; empty if
            not requested, or not reported.
    """

    text: str
    finish_reason: str = "stop"
    refusal: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    num_attempts: int = 1
    first_tokens: tuple[tuple[str, float], ...] = ()


class Failed(NamedTuple):
    """Why there is no reply, in words that a user can act on."""

    reason: str
    num_attempts: int = 1


Result = Completion | Failed | None
"""None for a request that was not begun, since its meter did not allow it."""


class Client(Protocol):
    """A model that writes text. Several threads may use it.

    Attributes:
        concurrency: how many threads may use it at a time.
        batch_size: how many requests it takes at a time.
    """

    concurrency: int
    batch_size: int

    def complete(self, requests: Sequence[Request]) -> list[Result]:
        """One result per request, in their order.

        Raises:
            MissingResourceError: the model is not available: no request will succeed.
        """

    def close(self) -> None:
        """Closes connections. The client can be used again, and makes new ones."""


class ClientPlugin(Protocol):
    """What the module of a client has."""

    def identity(self, model: str, settings: Settings) -> str:
        """What names a model in signatures: all that can change what it writes.

        Args:
            model: the model as the user names it, without the client's name.

        Raises:
            MissingResourceError: a model, a device or a package is missing.
            UsageError: the model is for something else, or brings its own code.
        """

    def create(self, model: str, settings: Settings) -> Client:
        """Makes the client.

        Raises:
            MissingResourceError: a model, a server or a package is missing.
            UsageError: the model or a setting makes no sense.
        """


def with_system_in_user(messages: Sequence[Message]) -> tuple[Message, ...]:
    """A conversation for a model that knows no ``system``: the user says it.

    >>> with_system_in_user([Message("system", "Judge."), Message("user", "This.")])
    (Message(role='user', text='Judge.\\n\\nThis.'),)
    """
    if len(messages) < 2 or messages[0].role != "system":
        return tuple(messages)
    joined = f"{messages[0].text}\n\n{messages[1].text}"
    return (Message("user", joined), *messages[2:])
