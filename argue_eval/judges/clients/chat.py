"""A server that speaks the chat completions protocol, as OpenAI, vLLM and Ollama do."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from random import uniform
from typing import Any, NamedTuple

from argue_eval.errors import MissingResourceError, UsageError, plain, shorten
from argue_eval.judges import Settings
from argue_eval.judges.clients import (
    TOO_LONG,
    Completion,
    Failed,
    Request,
    Result,
    with_system_in_user,
)
from argue_eval.judges.completions import (
    BROKEN,
    DECODER,
    ProxyError,
    Server,
    TooLongError,
    UnreachedError,
    complaint_of,
    completion_of,
    pause_of,
    secrets_of_environment,
)
from argue_eval.judges.limits import Limits, Meter

FILTERED = "the provider's content filter refused the prompt"
DEFAULT_URL = "https://api.openai.com/v1"


class Patience(NamedTuple):
    """How long a server is waited for.

    Attributes:
        max_attempts: calls per request; `max_unreached` while the server was never reached.
        first_pause: seconds before the second attempt; each further pause is twice as long.
        longest_pause: seconds; no pause is longer, unless the server asks for it.
        longest_asked_pause: seconds; a server that asks for a longer pause is asked again then.
        max_given_up: after this many failed requests in a row, the server is of no use.
        max_answer_bytes: of a longer answer, headers and all, no more is read.
    """

    max_attempts: int = 7
    max_unreached: int = 3
    first_pause: float = 0.5
    longest_pause: float = 30.0
    longest_asked_pause: float = 120.0
    max_given_up: int = 10
    max_answer_bytes: int = 4_000_000


PATIENCE = Patience()

_TICK = 0.2
_SHOWN = 200

_JSON = {"Content-Type": "application/json", "Accept": "application/json"}
_VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID")

_FATAL = {
    **dict.fromkeys((301, 302, 303, 307, 308), "sends elsewhere; set OPENAI_BASE_URL to that"),
    401: "refuses the key in OPENAI_API_KEY",
    402: "requires payment first",
    403: "does not allow this key to use the model",
    404: "has no such model, or no chat completions",
}
_QUOTA = ("insufficient_quota", "billing")


def identity(model: str, settings: Settings) -> str:
    """The model's name: a server does not report more."""
    return model


def create(model: str, settings: Settings) -> ChatClient:
    """Makes a client of the server that the environment names."""
    return ChatClient(model, settings.timeout, settings.concurrency)


class ChatClient:
    """Asks one model of one server. Several threads may use it.

    Every attempt is counted before it begins and stops at a limit; a pause that one thread is asked
    for holds for all and ends when the job is halted.

    Attributes:
        url: the server, without user name and password.

    Raises:
        MissingResourceError: both an address and a key are missing.
        UsageError: the address, that of the proxy, or the key is malformed.
    """

    batch_size = 1

    def __init__(
        self,
        model: str,
        timeout: float = 120.0,
        concurrency: int = 8,
        patience: Patience | None = None,
    ) -> None:
        self.concurrency = concurrency
        self._model, self._timeout, self._patience = model, timeout, patience or PATIENCE
        key, url, organization, project = [os.environ.get(name, "").strip() for name in _VARIABLES]
        if not key and not url:
            raise MissingResourceError(
                "a language model needs a server: set OPENAI_BASE_URL to one of your own "
                f"(http://localhost:8000/v1), or OPENAI_API_KEY to a key for {DEFAULT_URL}"
            )
        if not (key.isascii() and key.isprintable()):
            raise UsageError("OPENAI_API_KEY: expected plain ASCII, found other characters")
        self._base_url = url or DEFAULT_URL
        base, mark, query = self._base_url.partition("?")
        address = f"{base.rstrip('/')}/chat/completions{mark}{query}"
        chosen = {"OpenAI-Organization": organization, "OpenAI-Project": project}
        headers = {"Authorization": f"Bearer {key or 'none'}", **_JSON}
        headers.update((name, value) for name, value in chosen.items() if value)
        try:
            self._server = Server(address, headers, self._patience.max_answer_bytes)
        except ProxyError:
            raise UsageError(
                "HTTP_PROXY, HTTPS_PROXY or ALL_PROXY: expected http://HOST:PORT, found another "
                "address; correct it, or name the server in NO_PROXY"
            ) from None
        except ValueError:
            raise UsageError(
                f"OPENAI_BASE_URL: expected http://HOST:PORT/v1, found {shorten(self.url)}"
            ) from None
        self._secrets = secrets_of_environment()
        self._lock = threading.Lock()
        self._dialect = OWN if url else HOSTED
        self._resume_at = 0.0
        self._num_given_up = 0
        self._has_succeeded = False

    @property
    def url(self) -> str:
        """The server's address without user name, password and query, however malformed it is."""
        private, _, place = self._base_url.rpartition("@")
        scheme = private.partition("://")[0]
        place = place.partition("?")[0].partition("#")[0]
        return f"{scheme}://{place}" if scheme in ("http", "https") else place

    def complete(self, requests: Sequence[Request]) -> list[Result]:
        """One result per request, in their order.

        Raises:
            MissingResourceError: the server can't be reached, refuses the key or has no such
                model, or all of the last requests failed.
        """
        return [self._complete(request) for request in requests]

    def close(self) -> None:
        """Closes the connections. The next request makes new ones."""
        self._server.close()

    def _complete(self, request: Request) -> Result:
        trouble: Trouble | None = None
        num_attempts = 0
        limits = request.meter.limits
        while True:
            if self._resume_at:
                _sleep_until(self._resume_at, limits)
            if not request.meter.begin():
                return None if trouble is None else Failed(trouble.message, num_attempts)
            num_attempts += 1
            dialect = self._dialect
            found = self._attempt(dialect.body(self._model, request), request.meter)
            if isinstance(found, Completion):
                self._has_succeeded, self._num_given_up = True, 0
                return found._replace(num_attempts=num_attempts)
            trouble = found
            if trouble.reason_of_prompt:
                return Failed(trouble.reason_of_prompt, num_attempts)
            self._check_fatal(trouble)
            if trouble.status in (400, 422, 501) and self._adapt(dialect, trouble.message):
                continue
            if not trouble.is_passing:
                return self._give_up(trouble.message, num_attempts)
            # A server that was never there is not waited for long.
            is_there = self._has_succeeded or trouble.status or trouble.may_be_billed
            most = self._patience.max_attempts if is_there else self._patience.max_unreached
            if num_attempts >= most:
                reason = f"{trouble.message} ({num_attempts} attempts)"
                if not is_there:
                    raise MissingResourceError(f"{reason}; OPENAI_BASE_URL names the server to ask")
                return self._give_up(reason, num_attempts)
            self._pause(num_attempts, trouble, limits)

    def _attempt(self, body: Mapping[str, Any], meter: Meter) -> Completion | Trouble:
        found: Completion | Trouble = Trouble(0, "the call broke off")
        try:
            status, headers, said = self._server.post(json.dumps(body).encode(), self._timeout)
            value: Any = said
            with suppress(ValueError, RecursionError):
                value = DECODER.decode(said.decode("utf-8", "replace"))
            completion = completion_of(value, self._secrets) if 200 <= status < 300 else None
            found = completion or trouble_of(status, headers, value, self._secrets)
        except BROKEN as exc:
            found = self._unanswered(exc)
        finally:
            if isinstance(found, Completion):
                meter.end(found.prompt_tokens, found.reply_tokens)
            else:
                meter.end(None if found.may_be_billed else 0, 0)
        return found

    def _unanswered(self, exc: Exception) -> Trouble:
        if isinstance(exc, UnreachedError):
            # A proxy's words may be among them.
            reason = plain(self._secrets.sub("…", str(exc.strerror))[:_SHOWN])
            return Trouble(0, f"no connection to {self.url} ({reason})")
        if isinstance(exc, TimeoutError):
            message = f"no reply from {self.url} within {self._timeout:g} seconds"
        elif isinstance(exc, TooLongError):
            most = self._patience.max_answer_bytes
            message = f"the answer of {self.url} is longer than {most:,} bytes"
        else:
            message = f"the connection to {self.url} broke ({type(exc).__name__})"
        return Trouble(0, message, may_be_billed=True)

    def _check_fatal(self, trouble: Trouble) -> None:
        """Raises where no other request would fare better."""
        what = _FATAL.get(trouble.status)
        if trouble.status == 429 and any(word in trouble.message for word in _QUOTA):
            what = _FATAL[402]
        if what is not None:
            raise MissingResourceError(
                f"the server {self.url}, asked for the model {self._model!r}, {what} "
                f"({trouble.message})"
            )

    def _adapt(self, dialect: Dialect, complaint: str) -> bool:
        """True if there is another way to ask the server, which is taken from now on."""
        with self._lock:
            if self._dialect is dialect:
                adapted = dialect.adapted(complaint)
                if adapted is None:
                    return False
                self._dialect = adapted
            return True

    def _give_up(self, reason: str, num_attempts: int) -> Failed:
        with self._lock:
            self._num_given_up += 1
            num_given_up = self._num_given_up
        if num_given_up >= self._patience.max_given_up:
            raise MissingResourceError(
                f"the last {num_given_up} requests to {self.url} failed, the last one because: "
                f"{reason}"
            )
        return Failed(reason, num_attempts)

    def _pause(self, num_attempts: int, trouble: Trouble, limits: Limits) -> None:
        if trouble.pause is not None:
            # All threads wait: the server's limit is the same for all.
            asked = min(trouble.pause, self._patience.longest_asked_pause)
            with self._lock:
                self._resume_at = max(self._resume_at, time.monotonic() + asked)
        pause = self._patience.first_pause * 2 ** (num_attempts - 1)
        pause = min(self._patience.longest_pause, pause) * uniform(0.5, 1.0)
        _sleep_until(time.monotonic() + pause, limits)


def _sleep_until(moment: float, limits: Limits) -> None:
    """Sleeps, but no longer than until nothing new may begin."""
    while (left := moment - time.monotonic()) > 0 and not limits.halted:
        time.sleep(min(left, _TICK))


# --- what a server accepts, and what it says against a request ----------------------------------

_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "guided", "grammar", "structured")
_SYSTEM_WORDS = ("system role", "role system", "'system'", "roles must alternate")
_LESSER: tuple[tuple[tuple[str, ...], str, Mapping[Any, Any]], ...] = (
    (("logprobs",), "has_logprobs", {True: False}),
    (_FORMAT_WORDS, "format", {"json_schema": "json_object", "json_object": "text"}),
    (("max_tokens", "max_completion_tokens"), "limit", {"max_tokens": "max_completion_tokens"}),
    (("temperature",), "has_temperature", {True: False}),
    (("seed",), "has_seed", {True: False}),
    (_SYSTEM_WORDS, "has_system", {True: False}),
)
"""The words of a complaint, the field of a dialect that it is about, and what to try instead."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server accepts.

    Attributes:
        format: how it can be held to JSON: ``json_schema``, ``json_object``, or not at all.
        limit: the name of the parameter for the length of a reply.
    """

    format: str = "json_schema"
    limit: str = "max_tokens"
    has_temperature: bool = True
    has_seed: bool = True
    has_system: bool = True
    has_logprobs: bool = True

    def body(self, model: str, request: Request) -> dict[str, Any]:
        """The body of a chat completion."""
        messages = request.messages if self.has_system else with_system_in_user(request.messages)
        body: dict[str, Any] = {
            "model": model,
            "messages": [{"role": each.role, "content": each.text} for each in messages],
            self.limit: request.max_tokens,
        }
        if self.has_temperature:
            body["temperature"] = request.temperature
        if self.has_seed:
            body["seed"] = request.seed
        if request.top_logprobs and self.has_logprobs:
            body.update(logprobs=True, top_logprobs=request.top_logprobs)
        if request.schema and self.format == "json_schema":
            named = {"name": "verdicts", "strict": True, "schema": dict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif request.schema and self.format == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def adapted(self, complaint: str) -> Dialect | None:
        """The dialect without what a server complains of; None if it is something else.

        >>> Dialect().adapted("Unsupported parameter: 'seed'").has_seed
        False
        """
        folded = complaint.casefold()
        for words, name, lesser in _LESSER:
            value = lesser.get(getattr(self, name))
            if value is not None and any(word in folded for word in words):
                return replace(self, **{name: value})
        return None


OWN, HOSTED = Dialect(), Dialect(limit="max_completion_tokens")
"""How a server that `OPENAI_BASE_URL` names is asked first, and how that of OpenAI."""

_PASSING = frozenset({0, 408, 409, 425, 429})
_CONTEXT = ("context length", "context_length", "context window", "context size", "too long")
_FILTER = ("content_filter", "content management policy")


class Trouble(NamedTuple):
    """Why an attempt brought no completion.

    Attributes:
        status: the HTTP status; 0 if there was no answer.
        pause: the seconds that the server asks to wait.
        may_be_billed: the server may have worked in vain.
    """

    status: int
    message: str
    pause: float | None = None
    may_be_billed: bool = False

    @property
    def is_passing(self) -> bool:
        """May the same request succeed later?"""
        return self.status in _PASSING or (self.status >= 500 and self.status != 501)

    @property
    def reason_of_prompt(self) -> str:
        """Why the server does not accept this prompt; empty if it would accept none."""
        folded = self.message.casefold()
        is_refused = 400 <= self.status < 500
        if self.status == 413 or (is_refused and any(word in folded for word in _CONTEXT)):
            return f"{TOO_LONG} ({self.message})"
        is_filtered = self.status in (400, 403) and any(word in folded for word in _FILTER)
        return FILTERED if is_filtered else ""


def trouble_of(
    status: int, headers: Mapping[str, str], value: Any, secrets: re.Pattern[str]
) -> Trouble:
    """What a server says that is no chat completion, without the secrets that it may repeat.

    Args:
        value: the body as JSON; as bytes if it is none.
    """
    is_good, is_json = 200 <= status < 300, not isinstance(value, bytes)
    value = value if is_json else value.decode("utf-8", "replace")
    error = value.get("error") if isinstance(value, dict) else None
    if is_good and not error:
        shown = f"not JSON: {shorten(secrets.sub('…', value), _SHOWN)}" if not is_json else ""
        reason = f"the server's reply is {shown or 'no chat completion'}"
        return Trouble(0, reason, may_be_billed=True)
    if is_good:
        code = error.get("code") if isinstance(error, dict) else 0
        status = code if type(code) is int and 400 <= code < 600 else 0
    complaint = (300 <= status < 400 and headers.get("location")) or complaint_of(value)
    said = f"the server says {status}" if status else "the server reports an error"
    message = f"{said}: {shorten(secrets.sub('…', complaint), _SHOWN)}"
    return Trouble(status, message, pause_of(headers), may_be_billed=not status)
