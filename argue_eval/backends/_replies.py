"""What servers that speak the chat completions protocol reply: completions, and complaints."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from argue_eval.backends.completion import Completion

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
