"""The chat completions protocol: how servers that speak it are asked, and what they reply."""

from __future__ import annotations

import json
import os
import re
import time
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from math import inf
from sys import float_info
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote
from urllib.request import getproxies

from argue_eval.errors import describe, shorten
from argue_eval.judges.clients import TOO_LONG, Completion, Request, with_system_in_user

FILTERED = "the provider's content filter refused the prompt"

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


def dialect_of_server() -> Dialect:
    """How the server of the environment is asked first, and in files for it."""
    is_hosted = not os.environ.get("OPENAI_BASE_URL", "").strip()
    return Dialect(limit="max_completion_tokens" if is_hosted else "max_tokens")


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
    def is_unreached(self) -> bool:
        """Was there no server?"""
        return self.status == 0 and not self.may_be_billed

    @property
    def reason_of_prompt(self) -> str:
        """Why the server does not accept this prompt; empty if it would accept none."""
        folded = self.message.casefold()
        is_refused = 400 <= self.status < 500
        if self.status == 413 or (is_refused and any(word in folded for word in _CONTEXT)):
            return f"{TOO_LONG} ({self.message})"
        is_filtered = self.status in (400, 403) and any(word in folded for word in _FILTER)
        return FILTERED if is_filtered else ""


_MAX_TOKENS = 1_000_000_000
"""No call has used more, whatever a server reports."""

_MAX_LOGPROB = 0.01
"""The logarithm of a probability is 0 at most; servers round."""

_MIN_SECRET = 6
"""A shorter key is a placeholder such as ``none``, and may be a word of any reply."""

NO_SECRETS = re.compile("(?!)")
"""Finds nothing."""

_REASON_WIDTH = 200


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
        shown = (
            f"not JSON: {shorten(secrets.sub('…', value), _REASON_WIDTH)}" if not is_json else ""
        )
        reason = f"the server's reply is {shown or 'no chat completion'}"
        return Trouble(0, reason, may_be_billed=True)
    if is_good:
        code = error.get("code") if isinstance(error, dict) else 0
        status = code if type(code) is int and 400 <= code < 600 else 0
    complaint = (300 <= status < 400 and headers.get("location")) or complaint_of(value)
    said = f"the server says {status}" if status else "the server reports an error"
    message = f"{said}: {shorten(secrets.sub('…', complaint), _REASON_WIDTH)}"
    return Trouble(status, message, pause_of(headers), may_be_billed=not status)


def secrets_of_environment() -> re.Pattern[str]:
    """Finds the key, and the passwords in the addresses of server and proxies, in all spellings."""
    addresses = [os.environ.get("OPENAI_BASE_URL", ""), *getproxies().values()]
    found = [os.environ.get("OPENAI_API_KEY", "")]
    for address in addresses:
        found += [value for _, value in parse_qsl(address.partition("?")[2])]
        private = address.rpartition("@")[0].rpartition("://")[2]
        if password := private.partition(":")[2]:
            found += [private, unquote(private), password, unquote(password)]
            found.append(b64encode(unquote(private).encode()).decode())
    # The longest first: one may be a part of another.
    secrets = sorted({each.strip() for each in found}, key=len, reverse=True)
    long = [re.escape(each) for each in secrets if len(each) >= _MIN_SECRET]
    return re.compile("|".join(long)) if long else NO_SECRETS


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key stands there twice")
    return value


DECODER = json.JSONDecoder(object_pairs_hook=_without_doubles)
"""Reads no object in which a key stands twice."""


def completion_of(value: Any, secrets: re.Pattern[str] = NO_SECRETS) -> Completion | None:
    """A chat completion from its JSON, without secrets that are in it; None if it is none.

    >>> completion_of({"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}).text
    'yes'
    """
    try:
        choice = value["choices"][0]
        message = choice["message"]
        content = message.get("content")
        words = choice.get("finish_reason"), message.get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError):
        return None
    if value.get("error"):
        return None
    if isinstance(content, list):
        # Parts of other types are thoughts, or whatever else they may be.
        parts = [each for each in content if isinstance(each, dict) and each.get("type") == "text"]
        texts = [part.get("text") or "" for part in parts]
        content = "".join(texts) if all(isinstance(text, str) for text in texts) else False
    if not isinstance(content, str | None):
        return None
    # What is no text is put into words, so that it is not taken for nothing.
    finish_reason, refusal = [
        each if isinstance(each, str) else "" if each is None else describe(each) for each in words
    ]
    usage = value.get("usage")
    used = usage if isinstance(usage, dict) else {}
    prompt_tokens, reply_tokens = [
        number if type(number := used.get(name)) is int and 0 <= number <= _MAX_TOKENS else None
        for name in ("prompt_tokens", "completion_tokens")
    ]
    return Completion(
        text=secrets.sub("…", content or ""),
        finish_reason=secrets.sub("…", finish_reason),
        refusal=secrets.sub("…", refusal),
        prompt_tokens=prompt_tokens,
        reply_tokens=reply_tokens,
        first_tokens=_first_tokens(choice, secrets) if "logprobs" in choice else (),
    )


def _first_tokens(
    choice: Mapping[str, Any], secrets: re.Pattern[str]
) -> tuple[tuple[str, float], ...]:
    """The likeliest first tokens; none at all if a number among them is no probability's."""
    try:
        listed = choice["logprobs"]["content"][0]["top_logprobs"]
        found = [(each["token"], each["logprob"]) for each in listed]
    except (KeyError, IndexError, TypeError):
        return ()
    for token, number in found:
        is_number = isinstance(token, str) and type(number) in (int, float)
        # A token that cannot come has minus infinity.
        if not is_number or not (-float_info.max <= number <= _MAX_LOGPROB or number == -inf):
            return ()
    return tuple([(secrets.sub("…", token), float(number)) for token, number in found])


def complaint_of(body: Any) -> str:
    """What a server says is wrong: in the format of OpenAI, of FastAPI, or as plain text."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return _plain(error)
    if isinstance(detail := error.get("detail"), list):
        # Without the input that FastAPI repeats: it could name anything.
        shown = [
            f"{_plain(each.get('loc'))}: {_plain(each.get('msg'))}"
            if isinstance(each, dict)
            else _plain(each)
            for each in detail
        ]
        error = {"message": "; ".join(shown)}
    words = [_plain(error.get(key)) for key in ("message", "detail", "code", "param", "type")]
    return " ".join(word for word in words if word)


def _plain(value: Any) -> str:
    """Texts and numbers as they are, also in a list; what is nested deeper is left out."""
    if isinstance(value, list):
        return ".".join(str(each) for each in value if isinstance(each, str | int))
    return str(value) if value and isinstance(value, str | int | float) else ""


def pause_of(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait, given as a number or as a date; None if neither.

    >>> pause_of({"retry-after": "1.5"}), pause_of({"retry-after": "soon"})
    (1.5, None)
    """
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (TypeError, ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None
