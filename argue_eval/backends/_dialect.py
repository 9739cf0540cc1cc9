"""How servers that speak the chat completions protocol differ in what they take.

A server that refuses a parameter says so, and is asked without it from then on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from argue_eval.backends.completion import Request, with_system_in_user

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
