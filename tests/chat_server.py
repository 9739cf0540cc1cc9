"""A chat completions server on loopback whose replies a test writes.

    with ChatServer(says('{"1":"yes"}')) as server, server.environment():
        …

A script is one answer for all requests, a list of answers for one request after the other (the last
one stays), or a function of the request.
"""

from __future__ import annotations

import json
import os
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

_LONGEST_HANG = 20.0


class Received(NamedTuple):
    """A request, with its number from 0."""

    number: int
    body: dict[str, Any]
    headers: Mapping[str, str]
    path: str = ""

    @property
    def labels(self) -> list[str]:
        """The keys that are asked for, by the schema or by the end of the prompt."""
        form = self.body.get("response_format", {})
        if form.get("type") == "json_schema":
            return list(form["json_schema"]["schema"]["required"])
        keys = self.prompt.rpartition("Keys: ")[2]
        if "…" in keys:
            return [str(number + 1) for number in range(int(keys.split('"')[-2]))]
        return keys.replace('"', "").split(", ")

    @property
    def prompt(self) -> str:
        """What the user says first."""
        texts = [each["content"] for each in self.body["messages"] if each["role"] == "user"]
        return str(texts[0])


class Answer(NamedTuple):
    """What the server does about a request.

    Attributes:
        delay: seconds before the answer.
        is_reset: break the connection instead.
        is_cut: break the connection in the middle of the body.
        pace: seconds between the bytes of the body, or between the parts of `raw`.
        raw: what is written instead of a whole answer: status line, headers and all.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = {}
    delay: float = 0.0
    is_reset: bool = False
    is_cut: bool = False
    pace: float = 0.0
    raw: Callable[[], Iterable[bytes]] | None = None


Script = Answer | Sequence[Answer] | Callable[[Received], Answer]


def says(
    text: str | None,
    finish_reason: str | None = "stop",
    *,
    refusal: str | None = None,
    usage: Mapping[str, Any] | None = None,
    delay: float = 0.0,
) -> Answer:
    """A chat completion."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    value: dict[str, Any] = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": dict(usage) if usage is not None else None,
    }
    return Answer(body=json.dumps(value).encode(), delay=delay)


def verdicts(labels: Sequence[str], verdict: str = "no", **changed: str) -> Answer:
    """A completion with the same verdict on all labels, or another on some."""
    return says(json.dumps({label: changed.get(label, verdict) for label in labels}))


def fails(status: int, message: str = "", **headers: str) -> Answer:
    """An error in the format of OpenAI. Headers: ``retry_after="1"``."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": None}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, body, named)


RESET = Answer(is_reset=True)
CUT = says('{"1":"yes"}')._replace(is_cut=True)
HANG = Answer(delay=_LONGEST_HANG)


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # a connection that finds no place is tried again a second later

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keeps quiet: clients break off as they like."""


class ChatServer:
    """The server. It ends with its `with` block, and with it whatever hangs.

    Attributes:
        received: all requests so far.
        num_connections: how many were opened.
        most_in_flight: how many it had to do with at the same time, at most.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self.received: list[Received] = []
        self.num_connections = 0
        self.most_in_flight = 0
        self._in_flight = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> ChatServer:
        serve = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        serve.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def secure(self, certificate: Path) -> None:
        """From now on speaks TLS with a certificate, whose key is beside it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate.with_name("key.pem"))
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    @contextmanager
    def environment(self, key: str = "") -> Iterator[None]:
        """Makes it the server that judges ask, with this key or none."""
        names = {"OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": key}
        with mock.patch.dict(os.environ, names):
            yield

    def _answer(self, body: dict[str, Any], headers: Mapping[str, str], path: str) -> Answer:
        with self._lock:
            request = Received(len(self.received), body, headers, path)
            self.received.append(request)
        if callable(self._script):
            return self._script(request)
        if isinstance(self._script, Answer):
            return self._script
        return self._script[min(request.number, len(self._script) - 1)]

    def _count(self, change: int) -> None:
        with self._lock:
            self._in_flight += change
            self.most_in_flight = max(self.most_in_flight, self._in_flight)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else a body waits 40 ms for the headers to arrive

            def setup(self) -> None:
                super().setup()
                with server._lock:
                    server.num_connections += 1

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                server._count(1)
                try:
                    answer = server._answer(json.loads(raw), headers, self.path)
                    server._closing.wait(answer.delay) if answer.delay else None
                finally:
                    server._count(-1)
                self._send(answer)

            def _send(self, answer: Answer) -> None:
                if answer.is_reset or server._closing.is_set():
                    self._break()
                    return
                if answer.raw:
                    self.close_connection = True
                    self._write(answer.raw(), answer.pace)
                    return
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                if answer.is_cut:
                    self.wfile.write(answer.body[: len(answer.body) // 2])
                    self.wfile.flush()
                    self._break()
                    return
                step = 1 if answer.pace else max(1, len(answer.body))
                places = range(0, len(answer.body), step)
                self._write((answer.body[at : at + step] for at in places), answer.pace)

            def _write(self, parts: Iterable[bytes], pace: float) -> None:
                try:
                    for part in parts:
                        self.wfile.write(part)
                        if server._closing.wait(pace):
                            break
                except OSError:
                    self.close_connection = True  # nobody reads on

            def _break(self) -> None:
                self.close_connection = True
                linger = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.connection.close()

            def log_message(self, format: str, *args: object) -> None:
                """Keeps quiet."""

        return Handler
