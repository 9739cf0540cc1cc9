"""A server that speaks the chat completions protocol, as OpenAI, vLLM and Ollama do."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from random import uniform
from typing import Any, NamedTuple

from argue_eval.errors import MissingResourceError, UsageError, plain, shorten
from argue_eval.judges import Settings
from argue_eval.judges.clients import Completion, Failed, Request, Result
from argue_eval.judges.completions import (
    DECODER,
    Dialect,
    Trouble,
    completion_of,
    dialect_of_server,
    secrets_of_environment,
    trouble_of,
)
from argue_eval.judges.limits import Limits, Meter
from argue_eval.judges.posting import BROKEN, ProxyError, Server, TooLongError, UnreachedError

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
_OF_OPENAI = ("OpenAI-Organization", "OpenAI-Project")
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
        key, url, *of_openai = [os.environ.get(name, "").strip() for name in _VARIABLES]
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
        headers = {"Authorization": f"Bearer {key or 'none'}", **_JSON}
        headers.update(
            (name, each) for name, each in zip(_OF_OPENAI, of_openai, strict=True) if each
        )
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
        self._dialect = dialect_of_server()
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
            is_there = self._has_succeeded or not trouble.is_unreached
            most = self._patience.max_attempts if is_there else self._patience.max_unreached
            if num_attempts >= most:
                reason = f"{trouble.message} ({num_attempts} attempts)"
                return self._give_up(reason, num_attempts, not is_there)
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

    def _give_up(self, reason: str, num_attempts: int, is_unreached: bool = False) -> Failed:
        with self._lock:
            self._num_given_up += 1
            num_given_up = self._num_given_up
        if is_unreached:
            raise MissingResourceError(f"{reason}; OPENAI_BASE_URL names the server to ask")
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
