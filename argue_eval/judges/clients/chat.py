"""What is needed to reach a server: the package, an address, a key."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from random import uniform
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from argue_eval.errors import MissingResourceError, UsageError, shorten
from argue_eval.judges.clients.completion import (
    Completion,
    Failed,
    Meter,
    Request,
    Result,
    with_system_in_user,
)

DEFAULT_URL = "https://api.openai.com/v1"

_NO_SERVER = (
    "asking a language model takes a server: set OPENAI_BASE_URL to one of your own "
    f"(http://localhost:8000/v1), or OPENAI_API_KEY to a key for {DEFAULT_URL}"
)


def openai_package() -> Any:
    """Returns the openai package."""
    try:
        return import_module("openai")
    except ImportError:
        raise MissingResourceError(
            "asking a language model takes the package openai: pip install 'argue-eval[llm]'"
        ) from None


def check(base_url: str, key: str) -> None:
    """Checks what the environment says, which no request could do without."""
    if not key and not base_url:
        raise MissingResourceError(_NO_SERVER)
    if base_url and shown_url(base_url).partition("://")[0] not in ("http", "https"):
        raise UsageError(
            f"OPENAI_BASE_URL: expected http://HOST:PORT/v1, found {shorten(shown_url(base_url))}"
        )
    if not (key.isascii() and key.isprintable()):
        raise UsageError("OPENAI_API_KEY: expected plain ASCII, found other characters")


def transport_errors() -> tuple[type[Exception], ...]:
    """Returns what the client's own client raises while a reply is read."""
    loaded = [sys.modules[name] for name in ("httpx2", "httpx") if name in sys.modules]
    return (OSError, *(module.HTTPError for module in loaded))


def shown_url(url: str) -> str:
    """Returns a URL without user name, password and query.

    >>> shown_url("http://me:secret@localhost:8000/v1?key=1")
    'http://localhost:8000/v1'
    """
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "OPENAI_BASE_URL"
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


# --- How servers that speak the chat completions protocol differ in what they take ---


_FORMATS = ("json_schema", "json_object", "text")
_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "guided", "grammar", "structured")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server takes.

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
        """Returns the body of a chat completion."""
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
        if not request.schema:
            return body
        if self.format == "json_schema":
            named = {"name": "verdicts", "strict": True, "schema": dict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif self.format == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def adapted(self, complaint: str) -> Dialect | None:
        """Returns the dialect without what a server complains of; None if it is something else.

        >>> Dialect().adapted("Unsupported parameter: 'seed'").has_seed
        False
        """
        said = complaint.casefold()
        return next((each for words, each in self._lesser() if any(w in said for w in words)), None)

    def _lesser(self) -> Iterator[tuple[tuple[str, ...], Dialect]]:
        """Yields what a complaint may name, and the dialect that does without it."""
        if self.has_logprobs:
            yield ("logprobs",), replace(self, has_logprobs=False)
        if self.format != _FORMATS[-1]:
            following = _FORMATS[_FORMATS.index(self.format) + 1]
            yield _FORMAT_WORDS, replace(self, format=following)
        if self.limit == "max_tokens":
            yield (
                ("max_tokens", "max_completion_tokens"),
                replace(self, limit="max_completion_tokens"),
            )
        if self.has_temperature:
            yield ("temperature",), replace(self, has_temperature=False)
        if self.has_seed:
            yield ("seed",), replace(self, has_seed=False)
        if self.has_system:
            yield (
                ("system role", "role system", "'system'", "roles must alternate"),
                replace(self, has_system=False),
            )


def dialect_of_server() -> Dialect:
    """Returns how the server of the environment is asked first, and in files for it."""
    is_hosted = not os.environ.get("OPENAI_BASE_URL", "").strip()
    return Dialect(limit="max_completion_tokens" if is_hosted else "max_tokens")


# --- What servers that speak the chat completions protocol reply: completions, and complaints ---


NO_ANSWER = 0
TOO_LONG = "the prompt is longer than the model's context"
FILTERED = "the provider's content filter refused the prompt"

_PASSING = frozenset({NO_ANSWER, 408, 409, 425, 429})
_CONTEXT = ("context length", "context_length", "context window", "context size", "too long")
_FILTER = ("content_filter", "content management policy")


class Trouble(NamedTuple):
    """Why an attempt brought no completion.

    Attributes:
        status: the HTTP status, 0 if there was no answer.
        pause: the seconds that the server asks to wait.
        may_be_billed: the server may have worked in vain.
    """

    status: int
    message: str
    pause: float | None = None
    may_be_billed: bool = False


def completion_of(value: Any) -> Completion | None:
    """Returns what a chat completion says; None if it is none.

    >>> completion_of({"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}).text
    'yes'
    """
    try:
        choice = value["choices"][0]
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
        finish_reason = choice.get("finish_reason")
    except (KeyError, IndexError, TypeError, AttributeError):
        return None
    if isinstance(content, list):
        content = "".join(_text_of(part) for part in content)
    if not isinstance(content, str | None):
        return None
    usage = value.get("usage")
    tokens = usage if isinstance(usage, dict) else {}
    return Completion(
        content or "",
        finish_reason if isinstance(finish_reason, str) else "",
        refusal if isinstance(refusal, str) else "",
        _number(tokens.get("prompt_tokens")),
        _number(tokens.get("completion_tokens")),
        first_tokens=_first_tokens(choice),
    )


def _text_of(part: Any) -> str:
    """Returns the text of a part of a reply; empty for thoughts and whatever else it may be."""
    is_text = isinstance(part, dict) and part.get("type") == "text"
    return str(part.get("text") or "") if is_text else ""


def _first_tokens(choice: Any) -> tuple[tuple[str, float], ...]:
    """Returns the likeliest first tokens with their log-probabilities, if a choice has them.

    >>> _first_tokens({"logprobs": {"content": [{"top_logprobs": [{"token": "a", "logprob": 0}]}]}})
    (('a', 0.0),)
    """
    try:
        listed = choice["logprobs"]["content"][0]["top_logprobs"]
        return tuple([(str(each["token"]), float(each["logprob"])) for each in listed])
    except (KeyError, IndexError, TypeError, ValueError):
        return ()


def complaint_of(body: Any) -> str:
    """Returns what a server says is wrong: OpenAI's form of it, FastAPI's, or a plain text."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        if isinstance(detail := error.get("detail"), list):
            error = {"message": "; ".join(_detail(each) for each in detail)}
        words = [error.get(key) for key in ("message", "detail", "code", "param", "type")]
        return " ".join(str(word) for word in words if word)
    return str(error or "")


def _detail(value: Any) -> str:
    """Returns a complaint of FastAPI's without the input that it is about."""
    if not isinstance(value, dict):
        return str(value)
    return f"{value.get('loc')}: {value.get('msg')}"


def read_completion(raw: bytes, redacted: Callable[[str], str]) -> Completion | Trouble:
    """Returns the read completion."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        shown = redacted(raw.decode("utf-8", "replace"))
        return Trouble(NO_ANSWER, f"the server's reply is no JSON: {shown}", may_be_billed=True)
    completion = completion_of(value)
    if completion is not None:
        return completion
    if isinstance(value, dict) and value.get("error"):
        code = value["error"].get("code") if isinstance(value["error"], dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else NO_ANSWER
        return trouble_of(status, value, {}, redacted)
    return Trouble(NO_ANSWER, "the server's reply is no chat completion", may_be_billed=True)


def trouble_of(
    status: int, body: Any, headers: Mapping[str, str], redacted: Callable[[str], str]
) -> Trouble:
    """Returns the trouble of."""
    complaint = redacted(complaint_of(body))
    return Trouble(status, f"the server says {status}: {complaint}", _pause_of(headers))


def _pause_of(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds that a server asks to wait, which it gives as such or as a date.

    >>> _pause_of({"retry-after": "1.5"}), _pause_of({"retry-after": "soon"})
    (1.5, None)
    """
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        from email.utils import parsedate_to_datetime

        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (TypeError, ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None


def is_passing(trouble: Trouble) -> bool:
    """Returns the is passing."""
    return trouble.status in _PASSING or (trouble.status >= 500 and trouble.status != 501)


def is_about_prompt(trouble: Trouble) -> bool:
    """Returns whether it is this prompt that the server does not take, and not any."""
    return _is_too_long(trouble) or _is_filtered(trouble)


def reason_of(trouble: Trouble) -> str:
    """Returns why a server does not take a prompt."""
    return f"{TOO_LONG} ({trouble.message})" if _is_too_long(trouble) else FILTERED


def _is_too_long(trouble: Trouble) -> bool:
    said = trouble.message.casefold()
    is_refused = 400 <= trouble.status < 500
    return trouble.status == 413 or (is_refused and any(word in said for word in _CONTEXT))


def _is_filtered(trouble: Trouble) -> bool:
    said = trouble.message.casefold()
    return trouble.status in (400, 403) and any(word in said for word in _FILTER)


def _number(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and value >= 0 else None


# --- A client of any server that speaks the chat completions protocol, with one retry layer ---


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
