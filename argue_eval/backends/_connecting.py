"""What is needed to reach a server: the package, an address, a key."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from argue_eval.errors import MissingResourceError, UsageError, shorten

DEFAULT_URL = "https://api.openai.com/v1"

_NO_SERVER = (
    "asking a language model takes a server: set OPENAI_BASE_URL to one of your own "
    f"(http://localhost:8000/v1), or OPENAI_API_KEY to a key for {DEFAULT_URL}"
)


def openai_package() -> Any:
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
