"""The chat completions protocol: how servers that speak it are asked, and what they reply."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

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

    @classmethod
    def of(cls, status: int, complaint: str, headers: Mapping[str, str]) -> Trouble:
        """An answer that is an error."""
        return cls(status, f"the server says {status}: {complaint}", pause_of(headers))

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


def completion_of(value: Any) -> Completion | None:
    """A chat completion from its JSON; None if it is none.

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
        # Parts of other types are thoughts, or whatever else they may be.
        parts = [each for each in content if isinstance(each, dict) and each.get("type") == "text"]
        content = "".join(str(part.get("text") or "") for part in parts)
    if not isinstance(content, str | None):
        return None
    usage = value.get("usage")
    used = usage if isinstance(usage, dict) else {}
    prompt_tokens, reply_tokens = [
        number if type(number := used.get(name)) is int and number >= 0 else None
        for name in ("prompt_tokens", "completion_tokens")
    ]
    return Completion(
        text=content or "",
        finish_reason=finish_reason if isinstance(finish_reason, str) else "",
        refusal=refusal if isinstance(refusal, str) else "",
        prompt_tokens=prompt_tokens,
        reply_tokens=reply_tokens,
        first_tokens=_first_tokens(choice) if choice.get("logprobs") else (),
    )


def _first_tokens(choice: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    try:
        listed = choice["logprobs"]["content"][0]["top_logprobs"]
        return tuple([(str(each["token"]), float(each["logprob"])) for each in listed])
    except (KeyError, IndexError, TypeError, ValueError):
        return ()


def complaint_of(body: Any) -> str:
    """What a server says is wrong: in the format of OpenAI, of FastAPI, or as plain text."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return str(error or "")
    if isinstance(detail := error.get("detail"), list):
        # Without the input that FastAPI repeats: it could name anything.
        shown = [
            f"{each.get('loc')}: {each.get('msg')}" if isinstance(each, dict) else str(each)
            for each in detail
        ]
        error = {"message": "; ".join(shown)}
    words = [error.get(key) for key in ("message", "detail", "code", "param", "type")]
    return " ".join(str(word) for word in words if word)


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
