"""What goes over the wire to servers of chat completions: one HTTP request, its whole answer within
so many bytes and seconds, and what that says.

All that a server sends counts: interim replies, headers, the bodies of errors, and a packed body as
it is unpacked. The standard library reads; what it reads from is bounded here. A completion or a
complaint is read without the secrets that a server may repeat.
"""

from __future__ import annotations

import io
import json
import os
import re
import socket
import ssl
import time
import zlib
from base64 import b64encode
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from importlib import import_module
from math import inf
from selectors import EVENT_READ, DefaultSelector
from sys import float_info
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from argue_eval.errors import describe
from argue_eval.judges.clients import Completion

BROKEN = (OSError, HTTPException, ValueError, zlib.error)
"""What is raised if there is no answer, or none that can be read."""

_MAX_CONNECT = 10.0
_LEAST = 0.001
_BLOCK = 1 << 16
_ANY_HEADER = 32 + zlib.MAX_WBITS
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})


class Answer(NamedTuple):
    """What a server answers; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class UnreachedError(OSError):
    """There is no connection to the server, so that it has done nothing."""


class ProxyError(ValueError):
    """The proxy that the environment names is no HTTP proxy."""


class TooLongError(HTTPException):
    """The answer has more bytes than are read."""


class Server:
    """Posts to one address. Several threads may use it; connections are kept open for them.

    Raises:
        ProxyError: the environment names a proxy of another kind.
        ValueError: the address is malformed.
    """

    def __init__(self, url: str, headers: Mapping[str, str], max_bytes: int) -> None:
        self._to = to = _checked(url, ("http", "https"))
        proxies = {} if proxy_bypass(to.hostname or "") else getproxies()
        proxy = proxies.get(to.scheme) or proxies.get("all")
        self._by = _checked_proxy(proxy) if proxy else None
        self._max_bytes = max_bytes
        self._tls = _tls() if to.scheme == "https" else None
        self._target = f"{to.path or '/'}{to.query and '?'}{to.query}"
        self._headers = {**headers, "Accept-Encoding": "identity"}
        if to.username or to.password:
            self._headers["Authorization"] = _basic(to)
        self._proxy_headers = {}
        if self._by and (self._by.username or self._by.password):
            self._proxy_headers["Proxy-Authorization"] = _basic(self._by)
        if self._by and not self._tls:
            self._target = f"http://{to.netloc.rpartition('@')[2]}{self._target}"
            self._headers.update(self._proxy_headers)
        self._idle: deque[HTTPConnection] = deque()

    def post(self, body: bytes, timeout: float) -> Answer:
        """The answer to a request.

        Raises:
            UnreachedError: there is no connection.
            TimeoutError: there was no whole answer in time.
            TooLongError: the answer is too long.
            OSError: the connection broke; so do the others of `BROKEN`.
        """
        reader = _Bounded(time.monotonic() + timeout, self._max_bytes)
        connection = self._connection(min(timeout, _MAX_CONNECT))
        connection.response_class = reader.response  # type: ignore[assignment]
        is_kept = False
        try:
            if connection.sock is None:
                try:
                    connection.connect()
                except BROKEN as exc:
                    reason = exc.strerror if isinstance(exc, OSError) else None
                    raise UnreachedError(0, reason or str(exc) or type(exc).__name__) from exc
            connection.sock.settimeout(max(_LEAST, reader.deadline - time.monotonic()))
            connection.request("POST", self._target, body, self._headers)
            with connection.getresponse() as response:
                headers = {name.lower(): value for name, value in response.getheaders()}
                # Piece by piece: a server may announce more than memory has room for.
                body = b"".join(iter(partial(response.read, _BLOCK), b""))
                if response.length:
                    raise IncompleteRead(body, response.length)
                is_kept = not response.will_close
            packing = headers.get("content-encoding", "").strip().lower()
            if packing not in ("", "identity"):
                body = _unpacked(body, packing, self._max_bytes)
            return Answer(response.status, headers, body)
        finally:
            reader.close()
            if is_kept:
                self._idle.append(connection)
            else:
                connection.close()

    def close(self) -> None:
        """Closes the connections. The next request makes new ones."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    def _connection(self, timeout: float) -> HTTPConnection:
        """A connection that was kept and is still open, or a new one that is not open yet."""
        with suppress(IndexError):
            while True:
                kept = self._idle.pop()
                with DefaultSelector() as selector:
                    selector.register(kept.sock, EVENT_READ)
                    if not selector.select(0):
                        return kept
                kept.close()  # the server has closed it, or says what was not asked for
        to = self._by or self._to
        host = to.hostname or ""
        if self._tls is None:
            return HTTPConnection(host, to.port or 80, timeout=timeout)
        port = to.port or (80 if self._by else 443)
        connection = HTTPSConnection(host, port, timeout=timeout, context=self._tls)
        if self._by:
            name = self._to.hostname or ""
            connection.set_tunnel(name, self._to.port or 443, self._proxy_headers)
        return connection


@dataclass(eq=False)
class _Bounded(io.RawIOBase):
    """What comes from a socket in answer to a request, until its time or its bytes run out."""

    deadline: float
    num_bytes: int
    sock: socket.socket | None = None
    raw: Any = None

    def response(self, sock: socket.socket, *args: Any, **named: Any) -> HTTPResponse:
        """A response of a server, or of a proxy before it, that is read through this."""
        response = HTTPResponse(sock, *args, **named)
        self.sock, self.raw = sock, response.fp.detach()
        response.fp = io.BufferedReader(self)
        return response

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self.deadline - time.monotonic()
        if left <= 0 or self.sock is None:
            raise TimeoutError
        self.sock.settimeout(left)
        number = int(self.raw.readinto(buffer) or 0)
        self.num_bytes -= number
        if self.num_bytes < 0:
            raise TooLongError
        return number

    def close(self) -> None:
        if self.raw is not None:  # what a proxy says ends before the server's answer begins
            self.raw.close()


def _unpacked(raw: bytes, packing: str, max_bytes: int) -> bytes:
    if packing not in _PACKED:
        raise HTTPException("the body is packed in an unknown way")
    unpacking = zlib.decompressobj(_ANY_HEADER)
    body = unpacking.decompress(raw, max_bytes + 1)
    if len(body) > max_bytes:
        raise TooLongError
    if not unpacking.eof:
        raise HTTPException("the packed body is broken off")
    return body


def _tls() -> ssl.SSLContext:
    """Trusts what the system trusts, and what the package certifi lists if it is installed."""
    context = ssl.create_default_context()
    if not (os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR")):
        with suppress(ImportError):  # Python on some systems finds no certificates without it
            context.load_verify_locations(import_module("certifi").where())
    return context


def _checked(url: str, schemes: tuple[str, ...]) -> SplitResult:
    parts = urlsplit(url)
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme not in schemes or not parts.hostname or not is_plain or parts.port == 0:
        raise ValueError
    return parts


def _checked_proxy(proxy: str) -> SplitResult:
    try:
        return _checked(proxy if "://" in proxy else f"http://{proxy}", ("http",))
    except ValueError:
        raise ProxyError from None


def _basic(url: SplitResult) -> str:
    """The header with the user name and password of an address."""
    said = f"{unquote(url.username or '')}:{unquote(url.password or '')}"
    return f"Basic {b64encode(said.encode()).decode()}"


# --- what an answer says ------------------------------------------------------------------------

_MAX_TOKENS = 1_000_000_000
"""No call has used more, whatever a server reports."""

_MAX_LOGPROB = 0.01
"""The logarithm of a probability is 0 at most; servers round."""

_MIN_SECRET = 6
"""A shorter key is a placeholder such as ``none``, and may be a word of any reply."""

NO_SECRETS = re.compile("(?!)")
"""Finds nothing."""


def secrets_of_environment() -> re.Pattern[str]:
    """Finds the key, and the passwords in the addresses of server and proxies, in all spellings."""
    addresses = [os.environ.get("OPENAI_BASE_URL", ""), *getproxies().values()]
    found = [os.environ.get("OPENAI_API_KEY", "")]
    for address in addresses:
        query = parse_qsl(address.partition("?")[2])
        found += [value for name, value in query if "version" not in name.lower()]
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
