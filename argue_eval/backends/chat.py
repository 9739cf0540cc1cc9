"""A client of any server that speaks the chat completions protocol, with one retry layer.

The server is that of ``OPENAI_BASE_URL``, its key that of ``OPENAI_API_KEY``. The key is never
shown. What passes by itself is tried again with growing pauses (rate limits, errors of the server,
connections that break or stay silent); what does not is told at once.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from random import uniform
from typing import Any

from argue_eval.backends._connecting import (
    DEFAULT_URL,
    check,
    openai_package,
    shown_url,
    transport_errors,
)
from argue_eval.backends._dialect import Dialect, dialect_of_server
from argue_eval.backends._replies import (
    NO_ANSWER,
    Trouble,
    is_about_prompt,
    is_passing,
    read_completion,
    reason_of,
    trouble_of,
)
from argue_eval.backends.completion import Completion, Failed, Meter, Request, Result
from argue_eval.errors import MissingResourceError, shorten

MAX_ATTEMPTS = 7
MAX_PAUSE = 120.0
"""Seconds; a server that asks for a longer pause is asked again after this one."""

MAX_REPLY_BYTES = 4_000_000
MAX_GIVEN_UP = 10
"""So many requests in a row that came to nothing mean that the server is of no use."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_TICK = 0.2
_MAX_CONNECT = 10.0
_REASON_WIDTH = 200
_UNREACHED_ATTEMPTS = 3

_FATAL = {
    401: "refuses the key in OPENAI_API_KEY",
    402: "wants to be paid first",
    403: "does not allow this key to use the model",
    404: "has no such model, or no chat completions",
}
_QUOTA = ("insufficient_quota", "billing")


class ChatClient:
    """Asks one model of one server. May be used by several threads.

    Attributes:
        url: the server, without user name and password.
    """

    batch_size = 1

    def __init__(self, model: str, timeout: float = 120.0, concurrency: int = 8) -> None:
        self.concurrency = concurrency
        self._model = model
        self._timeout = timeout
        self._key = os.environ.get("OPENAI_API_KEY", "").strip()
        self._base_url = os.environ.get("OPENAI_BASE_URL", "").strip()
        self.url = shown_url(self._base_url or DEFAULT_URL)
        self._openai = openai_package()
        check(self._base_url, self._key)
        self._transport_errors = transport_errors()
        self._client: Any = None
        self._lock = threading.Lock()
        self._dialect = dialect_of_server()
        self._resume_at = 0.0
        self._num_given_up = 0
        self._has_succeeded = False

    def complete(self, requests: Sequence[Request]) -> list[Result]:
        """Returns one result per request, in their order.

        Raises:
            MissingResourceError: the server can't be reached, refuses the key or has no such
                model, or nothing that it was asked in a long time came to anything.
        """
        return [self._complete(request) for request in requests]

    def close(self) -> None:
        """Closes the connections. The next request makes new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connected(self) -> Any:
        """Returns the client's own client, which keeps connections open for all threads."""
        with self._lock:
            if self._client is None:
                self._client = self._openai.OpenAI(
                    api_key=self._key or "none",  # a server of one's own asks for none
                    base_url=self._base_url or DEFAULT_URL,
                    timeout=self._openai.Timeout(
                        self._timeout, connect=min(self._timeout, _MAX_CONNECT)
                    ),
                    max_retries=0,
                )
            return self._client

    def _complete(self, request: Request) -> Result:
        trouble: Trouble | None = None
        attempt = 0
        while True:
            self._keep_pause(request.meter)
            if not request.meter.begin():
                return None if trouble is None else Failed(trouble.message, attempt)
            attempt += 1
            dialect = self._dialect
            found = self._try(dialect.body(self._model, request), request.meter)
            if isinstance(found, Completion):
                self._has_succeeded, self._num_given_up = True, 0
                return found._replace(num_attempts=attempt)
            trouble = found
            self._check_fatal(trouble)
            if _is_complaint(trouble) and self._adapt(dialect, trouble.message):
                continue
            if is_about_prompt(trouble):
                return Failed(reason_of(trouble), attempt)
            if not is_passing(trouble):
                return self._give_up(trouble.message, attempt)
            if attempt >= self._max_attempts(trouble):
                return self._give_up(f"{trouble.message} ({attempt} attempts)", attempt, trouble)
            self._pause(attempt, trouble, request.meter)

    def _max_attempts(self, trouble: Trouble) -> int:
        """Returns how often to try: a server that was never there is not waited for long."""
        is_there = self._has_succeeded or not _is_unreached(trouble)
        return MAX_ATTEMPTS if is_there else _UNREACHED_ATTEMPTS

    def _try(self, body: Mapping[str, Any], meter: Meter) -> Completion | Trouble:
        """Makes one call, and tells the meter what it has used."""
        found: Completion | Trouble = Trouble(NO_ANSWER, "the call broke off")
        try:
            found = self._call(body)
        finally:
            if isinstance(found, Completion):
                meter.end(found.prompt_tokens, found.reply_tokens)
            else:
                meter.end(None if found.may_be_billed else 0, 0)
        return found

    def _call(self, body: Mapping[str, Any]) -> Completion | Trouble:
        openai = self._openai
        deadline = time.monotonic() + self._timeout
        create = self._connected().chat.completions.with_streaming_response.create
        try:
            with create(**body) as response:
                raw = _read(response, deadline)
        except openai.APIStatusError as exc:
            return trouble_of(exc.status_code, exc.body, exc.response.headers, self._redacted)
        except (openai.APIConnectionError, *self._transport_errors) as exc:
            return self._unanswered(type(exc.__cause__ or exc).__name__)
        if raw is None:
            return self._unanswered("ReadTimeout")
        return read_completion(raw, self._redacted)

    def _unanswered(self, what: str) -> Trouble:
        """Returns why there was no answer, by the name of an error of the transport."""
        if "Connect" in what:
            return Trouble(NO_ANSWER, f"no connection to {self.url} ({what})")
        if "Timeout" in what:
            message = f"no reply from {self.url} within {self._timeout:g} seconds"
        else:
            message = f"the connection to {self.url} broke ({what})"
        return Trouble(NO_ANSWER, message, may_be_billed=True)

    def _redacted(self, text: str) -> str:
        """Returns a server's words without the key, safe to be printed."""
        return shorten(text.replace(self._key, "…") if self._key else text, _REASON_WIDTH)

    def _check_fatal(self, trouble: Trouble) -> None:
        """Raises where no other request would fare better."""
        what = None if is_about_prompt(trouble) else _FATAL.get(trouble.status)
        if trouble.status == 429 and any(word in trouble.message for word in _QUOTA):
            what = _FATAL[402]
        if what is not None:
            raise MissingResourceError(
                f"the server {self.url}, asked for the model {self._model!r}, {what} "
                f"({trouble.message})"
            )

    def _adapt(self, dialect: Dialect, complaint: str) -> bool:
        """Returns whether there is another way to ask the server."""
        with self._lock:
            if self._dialect is dialect:
                adapted = dialect.adapted(complaint)
                if adapted is None:
                    return False
                self._dialect = adapted
            return True

    def _give_up(self, reason: str, num_attempts: int, trouble: Trouble | None = None) -> Failed:
        with self._lock:
            self._num_given_up += 1
            num_given_up = self._num_given_up
        if not self._has_succeeded and trouble is not None and _is_unreached(trouble):
            raise MissingResourceError(f"{reason}; OPENAI_BASE_URL names the server to ask")
        if num_given_up >= MAX_GIVEN_UP:
            raise MissingResourceError(
                f"the last {num_given_up} requests to {self.url} came to nothing, the last one "
                f"since: {reason}"
            )
        return Failed(reason, num_attempts)

    def _pause(self, attempt: int, trouble: Trouble, meter: Meter) -> None:
        if trouble.pause is not None:
            # All wait: what one is told about the rate holds for the others too.
            resume_at = time.monotonic() + min(trouble.pause, MAX_PAUSE)
            with self._lock:
                self._resume_at = max(self._resume_at, resume_at)
        pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (attempt - 1)) * uniform(0.5, 1.0)
        _sleep_until(time.monotonic() + pause, meter)

    def _keep_pause(self, meter: Meter) -> None:
        _sleep_until(self._resume_at, meter)


def _is_complaint(trouble: Trouble) -> bool:
    """Returns whether a server may be complaining of how it is asked."""
    return trouble.status in (400, 422, 501) and not is_about_prompt(trouble)


def _is_unreached(trouble: Trouble) -> bool:
    return trouble.status == NO_ANSWER and not trouble.may_be_billed


def _read(response: Any, deadline: float) -> bytes | None:
    """Returns the body of a response; None if it takes too long or does not end."""
    parts: list[bytes] = []
    size = 0
    for part in response.iter_bytes():
        parts.append(part)
        size += len(part)
        if size > MAX_REPLY_BYTES or time.monotonic() > deadline:
            return None
    return b"".join(parts)


def _sleep_until(moment: float, meter: Meter) -> None:
    """Sleeps, but not on once nothing new may begin."""
    while (left := moment - time.monotonic()) > 0 and not meter.is_halted:
        time.sleep(min(left, _TICK))
