"""What a model that writes text is asked, and what comes back; the same wherever it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class Meter(Protocol):
    """Told of every call of a model, so that its caller can count and stop them."""

    @property
    def is_halted(self) -> bool:
        """True once nothing new may begin."""

    def begin(self) -> bool:
        """Returns whether a call may begin, and counts it. Every attempt is a call."""

    def end(self, prompt_tokens: int | None, reply_tokens: int | None) -> None:
        """Takes what a call that was begun has used; None where the server did not say."""


class Message(NamedTuple):
    """A part of a conversation. `role` is ``system``, ``user`` or ``assistant``."""

    role: str
    text: str


class Request(NamedTuple):
    """What a model is asked.

    Attributes:
        max_tokens: how long the reply may be.
        schema: the JSON schema of the reply; empty if it is no JSON.
        top_logprobs: of how many of the likeliest first tokens the probability is wanted.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    schema: Mapping[str, Any]
    meter: Meter
    temperature: float = 0.0
    seed: int = 0
    top_logprobs: int = 0


class Completion(NamedTuple):
    """What a model wrote.

    Attributes:
        finish_reason: why it stopped; ``stop`` if it was done, empty if it is not known.
        refusal: what it says where it refuses to answer.
        prompt_tokens: what it read, and `reply_tokens` what it wrote; None if it is not known.
        num_attempts: how many calls it took.
        first_tokens: the likeliest first tokens and the logarithm of their probability; empty if
            they were not asked for, or the model does not tell.
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
"""None for a request that was not begun, since its meter did not let it."""


class Backend(Protocol):
    """A model that writes text.

    Attributes:
        concurrency: how many threads may use it.
        batch_size: how many requests it takes at a time.
    """

    concurrency: int
    batch_size: int

    def complete(self, requests: Sequence[Request]) -> list[Result]:
        """Returns one result per request, in their order.

        Raises:
            MissingResourceError: the model can't be had: no request will succeed.
        """

    def close(self) -> None:
        """Lets go of connections. It can be used again, and makes new ones."""


def with_system_in_user(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Returns a conversation for a model that knows no ``system``: the user says it.

    >>> with_system_in_user([Message("system", "Judge."), Message("user", "This.")])
    (Message(role='user', text='Judge.\\n\\nThis.'),)
    """
    if len(messages) < 2 or messages[0].role != "system":
        return tuple(messages)
    joined = f"{messages[0].text}\n\n{messages[1].text}"
    return (Message("user", joined), *messages[2:])
