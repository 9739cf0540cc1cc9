"""A language model as judges and curation ask it: conversations with it, several at a time.

A conversation is a generator that yields requests and is sent what comes of each. What it returns
in the end is what came of it; None if the limits did not let it begin. A reply may hold JSON
objects among other text, and repeat some of its prompt.
"""

from __future__ import annotations

import json
import queue
import re
import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar, cast
from urllib.parse import quote

from argue_eval import _registry
from argue_eval.errors import UsageError, shorten
from argue_eval.judges import Settings
from argue_eval.judges.clients import (
    Client,
    ClientPlugin,
    Completion,
    Message,
    Request,
    Result,
    Schema,
)
from argue_eval.judges.limits import Limits, Meter
from argue_eval.text.passages import num_tokens

SERVER = "chat"
"""The client of models whose name names no client."""

LONG_REPLY_TOKENS = 8192
"""How long a reply may be after one that was cut off: models that think aloud need it."""

NO_OBJECT = "the reply holds no JSON object, or a broken one"
REPEATED = "the reply repeats the prompt"
CUT_OFF = "the reply was cut off at its greatest length"
FILTERED = "the provider's content filter cut the reply off"

_MAX_ENDLESS = 3
"""After this many replies that do not even end within the longer limit, none is asked for again."""

_DONE = frozenset({"", "stop", "eos", "eos_token", "end_turn", "stop_sequence"})
_MESSAGE_TOKENS = 4
_OPENING = re.compile(r'\{[ \t\r\n]*["}]')
_MAX_OBJECTS = 200
_BEFORE = 40
"""A reply repeats the prompt if it has an object of it with so many characters before that."""
_SAFE = ":/@.-_~+=,"

_Outcome = TypeVar("_Outcome")
Conversation = Generator[Request, Result, _Outcome | None]


class Model:
    """A language model with its client, its price and the limits of the job.

    Attributes:
        name: as the user writes it: ``MODEL`` or ``CLIENT:MODEL``.
        served_name: the name without the client.
        client_name: the name of its client.
        identity: what names it in signatures.

    Raises:
        MissingResourceError: the client finds no such model, or lacks a package.
        UsageError: money is limited, and the model's price is unknown.
    """

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self.settings = settings
        self.price = settings.prices.get(name)
        if settings.limits.max_cost is not None and self.price is None:
            known = ", ".join(settings.prices) or "none"
            raise UsageError(f"--max-cost needs the price of {name!r}; --prices has: {known}")
        prefix, colon, rest = name.partition(":")
        is_named = bool(colon) and prefix in _registry.all_names("clients")
        self.client_name, self.served_name = (prefix, rest) if is_named else (SERVER, name)
        self._plugin = cast(ClientPlugin, _registry.load("clients", self.client_name))
        identity = self._plugin.identity(self.served_name, settings)
        if self.client_name != SERVER:
            identity = f"{self.client_name}:{identity}"
        self.identity = quote(identity, safe=_SAFE)
        self._client: Client | None = None
        self._has_long_replies = False
        self._num_endless = 0

    @property
    def is_served(self) -> bool:
        """True if a server has the model, so that batch files can be for it."""
        return self.client_name == SERVER

    def request(
        self,
        messages: tuple[Message, ...],
        max_tokens: int,
        schema: Schema,
        *,
        temperature: float = 0.0,
        seed: int = 0,
        top_logprobs: int = 0,
    ) -> Request:
        """A request that is counted against the limits."""
        if self._has_long_replies:
            max_tokens = max(max_tokens, LONG_REPLY_TOKENS)
        size = sum(num_tokens(message.text) + _MESSAGE_TOKENS for message in messages)
        return Request(
            messages=messages,
            max_tokens=max_tokens,
            schema=schema,
            meter=Meter(self.settings.limits, self.price, size, max_tokens),
            temperature=temperature,
            seed=seed,
            top_logprobs=top_logprobs,
        )

    def reply(self, request: Request) -> Generator[Request, Result, Result]:
        """The part of a conversation that gets a reply, with more room if the first is cut off.

        A model that does not come to an end with that room either is soon not asked twice.
        """
        result = yield request
        if request.max_tokens >= LONG_REPLY_TOKENS or self._num_endless >= _MAX_ENDLESS:
            return result
        if not (isinstance(result, Completion) and why_unusable(result) == CUT_OFF):
            return result
        meter = replace(request.meter, max_tokens=LONG_REPLY_TOKENS)
        longer = yield request._replace(max_tokens=LONG_REPLY_TOKENS, meter=meter)
        if not isinstance(longer, Completion):
            self._num_endless += 1
            return result
        if why_unusable(longer) == CUT_OFF:
            self._num_endless += 1
        else:
            self._has_long_replies = True  # so that no other is cut off first
        return longer._replace(num_attempts=result.num_attempts + longer.num_attempts)

    def converse(self, conversations: Sequence[Conversation[_Outcome]]) -> Iterator[_Outcome]:
        """Yields what comes of conversations as soon as they end. They begin in their order.

        Once the limits are halted no conversation begins; those in flight end.

        Raises:
            MissingResourceError: the model is not available; raised after all that is in flight
                has ended, as is any other exception of a client or a conversation.
        """
        limits = self.settings.limits
        if not conversations or limits.halted:
            return
        if self._client is None:
            self._client = self._plugin.create(self.served_name, self.settings)
        client, size = self._client, self._client.batch_size
        batches = deque(conversations[at : at + size] for at in range(0, len(conversations), size))
        ended: queue.SimpleQueue[list[_Outcome] | Exception | None] = queue.SimpleQueue()
        is_left = threading.Event()
        num_workers = max(1, min(client.concurrency, len(batches)))
        for _ in range(num_workers):
            # Daemons: a program that is stopped for good does not wait for a server.
            args = (batches, client, limits, ended, is_left)
            threading.Thread(target=_work, args=args, daemon=True).start()
        failed: Exception | None = None
        try:
            while num_workers:
                outcome = ended.get()
                if outcome is None:
                    num_workers -= 1
                elif isinstance(outcome, Exception):
                    failed = failed or outcome
                else:
                    yield from outcome
        finally:
            batches.clear()
            is_left.set()  # nobody waits for what is still in flight
            client.close()
        if failed is not None:
            raise failed


def _work(
    batches: deque[Sequence[Conversation[_Outcome]]],
    client: Client,
    limits: Limits,
    ended: queue.SimpleQueue[list[_Outcome] | Exception | None],
    is_left: threading.Event,
) -> None:
    """Has conversations until there are no more: those of a batch together, turn by turn."""
    try:
        while batches and not limits.halted:
            try:
                batch = batches.popleft()
            except IndexError:  # another worker has taken it
                break
            outcomes: list[_Outcome] = []
            sent: dict[int, Result] = dict.fromkeys(range(len(batch)))  # None: begin
            while sent:
                requests: dict[int, Request] = {}
                for place, result in sent.items():
                    try:
                        requests[place] = batch[place].send(result)
                    except StopIteration as end:
                        if end.value is not None:
                            outcomes.append(end.value)
                results = client.complete(list(requests.values())) if requests else []
                sent = dict(zip(requests, results, strict=True))
            ended.put(outcomes)
    except Exception as exc:
        batches.clear()  # the other workers begin nothing new
        ended.put(exc)
    finally:
        if is_left.is_set():
            client.close()
        ended.put(None)


def why_unusable(completion: Completion) -> str:
    """Why a reply must not be read; empty if it may be. The text is not looked at."""
    if completion.refusal:
        return f"the model refused: {shorten(completion.refusal)}"
    if completion.finish_reason == "length":
        return CUT_OFF
    if completion.finish_reason == "content_filter":
        return FILTERED
    if completion.finish_reason not in _DONE:
        return f"the model stopped for another reason: {shorten(completion.finish_reason)}"
    return ""


class Found(NamedTuple):
    """A JSON object in a text, and where it stands."""

    start: int
    end: int
    value: Any


def objects_in(text: str, decoder: json.JSONDecoder) -> list[Found] | None:
    """The outermost JSON objects in a text; None if one is broken, or if they are very many."""
    found = []
    opening = _OPENING.search(text)
    while opening:
        start = opening.start()
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return None
        found.append(Found(start, end, value))
        if len(found) > _MAX_OBJECTS:
            return None
        opening = _OPENING.search(text, end)
    return found


def is_repeated(text: str, found: Found, prompt: str, may_be_equal: bool = False) -> bool:
    """Is an object in a reply one of the prompt's own, by what stands before it in both?

    Args:
        prompt: what the model was told, as `squeezed`.
        may_be_equal: could the object be a reply, so that it counts where it stands alone?
    """
    before = squeezed(text[max(0, found.start - 10 * _BEFORE) : found.start])[-_BEFORE:]
    is_alone = len(before) < _BEFORE
    is_told = before + squeezed(text[found.start : found.end]) in prompt
    return is_told and not (is_alone and may_be_equal)


def squeezed(text: str) -> str:
    """A text without space, in small letters: as it is compared with what repeats it."""
    return "".join(text.split()).casefold()
