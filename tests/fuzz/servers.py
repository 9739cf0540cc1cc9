"""What servers of models do: by mistake, out of order, or to do harm. Every answer is made up."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, repeat
from typing import Any

from tests.chat_server import CUT, HANG, RESET, Answer, Received, fails, says, verdicts

KEY = "sk-very-secret-0123456789"
PASSWORD = "pass-word-9876"
SECRETS = (KEY, PASSWORD)

Behaviour = Callable[[Received], Answer]

MEGABYTE = bytes(1 << 20)
_DIGITS = "9" * 400
_FENCE = "\n> "
_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_BAD = b"HTTP/1.1 500 Broken\r\n"
_CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


def raw(*parts: bytes, then: Iterable[bytes] = (), pace: float = 0.0) -> Behaviour:
    """Writes bytes as they are; `then` may have no end."""
    answer = Answer(raw=lambda: chain(parts, then), pace=pace)
    return lambda received: answer


def slowly(text: bytes, again: bytes) -> Behaviour:
    """Writes a text, and then something again and again, byte by byte."""

    def parts() -> Iterator[bytes]:
        return (bytes([each]) for each in chain(text, chain.from_iterable(repeat(again))))

    return lambda received: Answer(raw=parts, pace=0.02)


def body(text: str | bytes, status: int = 200, **headers: str) -> Behaviour:
    """Answers with a body."""
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda received: Answer(status, content, named)


def right(received: Received) -> str:
    """A reply that says yes to all that is asked."""
    return json.dumps(dict.fromkeys(_labels(received), "yes"))


def _labels(received: Received) -> list[str]:
    return received.labels if "response_format" in received.body else ["1"]


def content(make: Callable[[Received], Any], **message: Any) -> Behaviour:
    """A completion whose content depends on the request."""

    def script(received: Received) -> Answer:
        return says(make(received), **message)

    return script


def envelope(change: Callable[[dict[str, Any]], Any]) -> Behaviour:
    """A right completion, changed."""

    def script(received: Received) -> Answer:
        value = json.loads(says(right(received)).body)
        return Answer(body=json.dumps(change(value)).encode())

    return script


def choice(**changed: Any) -> Behaviour:
    """A right completion with other values in its choice."""
    return envelope(lambda value: {**value, "choices": [{**value["choices"][0], **changed}]})


def message(**changed: Any) -> Behaviour:
    """A right completion with other values in its message."""

    def change(value: dict[str, Any]) -> dict[str, Any]:
        said = {**value["choices"][0]["message"], **changed}
        return {**value, "choices": [{**value["choices"][0], "message": said}]}

    return envelope(change)


def packed(pack: Callable[[bytes], bytes], encoding: str, status: int = 200) -> Behaviour:
    """A right completion in another encoding."""

    def script(received: Received) -> Answer:
        named = {"Content-Encoding": encoding}
        return Answer(status, pack(says(right(received)).body), named)

    return script


def _bomb(text: bytes) -> bytes:
    return gzip.compress(MEGABYTE * 32, mtime=0) * 8


def _told(received: Received, *roles: str) -> str:
    return "\n\n".join(
        str(each["content"]) for each in received.body["messages"] if each["role"] in roles
    )


def _examples(received: Received) -> str:
    """The lines of the prompt that show how to reply."""
    told = _told(received, "system").splitlines()
    return "\n".join(line for line in told if line.startswith("Example"))


def _sent(received: Received) -> str:
    """What a server knows that was sent for it alone."""
    return f"{received.headers['authorization']} {KEY} {PASSWORD}"


def _logprobs(number: Any) -> Behaviour:
    top = [{"token": "YES", "logprob": number}, {"token": "NO", "logprob": -0.1}]
    return choice(logprobs={"content": [{"token": "YES", "top_logprobs": top}]})


def _twice(inner: str) -> Behaviour:
    return lambda received: Answer(
        body=says(right(received)).body.replace(
            b'"%s":' % inner.encode(), b'"%s": null, "%s":' % (inner.encode(), inner.encode()), 1
        )
    )


def _headers(number: int) -> Iterator[bytes]:
    return (b"X-%d: %s\r\n" % (each, b"y" * 200) for each in range(number))


ON_THE_WIRE: Mapping[str, Behaviour] = {
    "body without end": raw(_OK, b"\r\n", then=repeat(MEGABYTE)),
    "error without end": raw(_BAD, b"\r\n", then=repeat(MEGABYTE)),
    "refusal of the key without end": raw(b"HTTP/1.1 401 No\r\n\r\n", then=repeat(MEGABYTE)),
    "chunks without end": raw(_OK, _CHUNKED, then=repeat(b"100000\r\n" + MEGABYTE + b"\r\n")),
    "chunks of an error without end": raw(_BAD, _CHUNKED, then=repeat(b"1\r\nx\r\n" * 10_000)),
    "trailers without end": raw(_OK, _CHUNKED, b"0\r\n", then=repeat(b"X: y\r\n" * 10_000)),
    "headers without end": raw(_OK, then=repeat(b"X: y\r\n" * 1000)),
    "header without end": raw(_OK, b"X: ", then=repeat(MEGABYTE)),
    "90 long headers": raw(_OK, *_headers(90), b"\r\n{}"),
    "status without end": raw(b"HTTP/1.1 200 ", then=repeat(MEGABYTE)),
    "interim replies without end": raw(then=repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)),
    "interim replies now and then": raw(then=repeat(b"HTTP/1.1 100 C\r\n\r\n"), pace=0.05),
    "early hints without end": raw(then=repeat(b"HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" * 100)),
    "dripped status": slowly(b"", b"H"),
    "dripped headers": slowly(_OK, b"X: y\r\n"),
    "dripped body": slowly(_OK + b"\r\n", b" "),
    "dripped error": slowly(_BAD + b"\r\n", b"broken "),
    "dripped chunks": slowly(_OK + _CHUNKED, b"1\r\nx\r\n"),
    "length of a terabyte": raw(_OK, b"Content-Length: 1000000000000\r\n\r\n", b"{}"),
    "negative length": raw(_OK, b"Content-Length: -5\r\n\r\n", b"{}"),
    "length of 5,000 digits": raw(_OK, b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}"),
    "length that is no number": raw(_OK, b"Content-Length: \xc2\xb2\r\n\r\n{}"),
    "two lengths": raw(_OK, b"Content-Length: 2\r\nContent-Length: 9\r\n\r\n{}"),
    "negative chunk": raw(_OK, _CHUNKED, b"-5\r\n{}\r\n0\r\n\r\n"),
    "endless negative chunk": raw(_OK, _CHUNKED, b"-1\r\n", then=repeat(MEGABYTE)),
    "chunk of a terabyte": raw(_OK, _CHUNKED, b"e8d4a51000\r\n{}"),
    "chunk that is no number": raw(_OK, _CHUNKED, b"zzz\r\n{}\r\n"),
    "no status line": raw(b"{}\r\n\r\n"),
    "another protocol": raw(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "bytes": raw(bytes(range(256)) * 100),
    "nothing": raw(),
    "status that is no number": raw(b"HTTP/1.1 abc\r\n\r\n"),
    "status 999": raw(b"HTTP/1.1 999 Odd\r\n\r\n{}"),
    "no content": raw(b"HTTP/1.1 204 None\r\n\r\n"),
    "not modified": raw(b"HTTP/1.1 304 Same\r\n\r\n"),
    "header with control characters": raw(_OK, b"X: \x1b[31m\x00\r\n\r\n{}"),
    "header without a colon": raw(_OK, b"nonsense\r\n\r\n{}"),
    "reset": lambda received: RESET,
    "cut": lambda received: CUT,
    "silence": lambda received: HANG,
    "packed bomb": packed(_bomb, "gzip"),
    "packed bomb as an error": packed(_bomb, "gzip", 500),
    "packed bomb of bombs": packed(lambda text: gzip.compress(_bomb(text)), "gzip, gzip"),
    "packed and cut": packed(lambda text: gzip.compress(text)[:30], "gzip"),
    "packed in no way": packed(lambda text: text, "gzip"),
    "unknown packing": packed(lambda text: text, "br"),
    "redirect to itself": body("", 307, Location="/v1/chat/completions"),
    "redirect to a file": body("", 302, Location="file:///etc/passwd"),
    "pause for ever": body("{}", 429, Retry_After="1e999"),
    "pause that is no number": body("{}", 429, Retry_After="nan"),
    "pause until the end of time": body("{}", 503, Retry_After="Fri, 31 Dec 9999 23:59:59 GMT"),
}
"""None of them is an answer."""

IN_THE_BODY: Mapping[str, Behaviour] = {
    "empty": body(""),
    "null": body("null"),
    "deep lists": body("[" * 100_000),
    "deep error": body('{"error": {"message": ' + "[" * 900 + "]" * 900 + "}}"),
    "deep complaint": body('{"detail": [' + "[" * 900 + "]" * 900 + "]}", 422),
    "error as text": body('{"error": "out of memory"}'),
    "error as a list": body('{"error": [1, {"a": 2}]}'),
    "error as true": body('{"error": true}'),
    "error beside a reply": envelope(lambda value: {**value, "error": {"message": "overloaded"}}),
    "error with an odd code": body('{"error": {"code": ' + _DIGITS + ', "message": "x"}}'),
    "error that hides a key": body('{"error": {"message": {"key": "x"}, "type": 5}}', 400),
    "web page": body("<html>\x1b[31mBad gateway</html>", 502),
    "web page that is good": body("<html>Welcome</html>"),
    "events": body('data: {"choices": []}\n\ndata: [DONE]\n\n'),
    "byte order mark": body("\ufeff{}"),
    "UTF-16": body('{"choices": []}'.encode("utf-16")),
    "no UTF-8": body(b'{"choices": [{"message": {"content": "\xff"}}'),
    "no choices": envelope(lambda value: {**value, "choices": []}),
    "choices by name": envelope(lambda value: {**value, "choices": {"0": value["choices"][0]}}),
    "choice that is a list": envelope(lambda value: {**value, "choices": [value["choices"]]}),
    "choices twice": _twice("choices"),
    "content twice": _twice("content"),
    "content as a number": message(content=1),
    "content as an object": message(content={"1": "yes"}),
    "content in odd parts": message(content=[{"type": "text", "text": {"1": "yes"}}]),
    "finish reason as a number": choice(finish_reason=5),
    "finish reason as a list": choice(finish_reason=["stop"]),
    "finish reason as false": choice(finish_reason=False),
    "content filter": choice(finish_reason="content_filter"),
    "finish reason with signs": choice(finish_reason="\x1b]0;x\x07\u202e"),
    "refusal as true": message(refusal=True),
    "refusal as an object": message(refusal={"reason": "no"}),
    "refusal with signs": message(refusal="\x1b[2J\u202eNo.\ud800"),
    "key in the content": content(_sent),
    "key in the refusal": message(refusal=f"Bearer {KEY} {PASSWORD}"),
    "key in the finish reason": choice(finish_reason=KEY),
    "key in an error": lambda received: fails(500, _sent(received)),
    "key in what is no JSON": lambda received: Answer(body=_sent(received).encode()),
    "key in a redirect": body("", 301, Location=f"http://{KEY}@evil.example/"),
    "key refused": lambda received: fails(401, f"Incorrect key: {_sent(received)}"),
    "echo of the request": content(lambda received: json.dumps(received.body)),
    "echo of the prompt": content(lambda received: _told(received, "system", "user")),
    "echo of the rules": content(lambda received: _told(received, "system")),
    "echo of the call": content(lambda received: _told(received, "user")),
    "echo of the example": content(_examples),
    "echo in capitals": content(lambda received: _told(received, "system").upper()),
    "echo as a quotation": content(
        lambda received: "You say:\n> " + _told(received, "system").replace("\n", _FENCE)
    ),
    "long s": content(lambda received: right(received).replace("yes", "ye\u017f")),
    "separator before": content(lambda received: right(received).replace("yes", "\\u001cyes")),
    "every key twice": content(lambda received: right(received)[:-1] + ", " + right(received)[1:]),
    "contradiction after many braces": content(
        lambda received: right(received) + "{ " * 1000 + right(received).replace("yes", "no")
    ),
    "numbers for words": content(lambda received: right(received).replace('"yes"', _DIGITS)),
    "millions of objects": content(lambda received: "{}" * 1_000_000),
    "millions of braces": content(lambda received: "{" * 1_000_000),
}
"""None of them says anything, either."""

GOOD: Mapping[str, Behaviour] = {
    "plain": content(right),
    "packed": packed(gzip.compress, "gzip"),
    "deflated": packed(zlib.compress, "deflate"),
    "created": lambda received: says(right(received))._replace(status=201),
    "usage of 400 digits": envelope(
        lambda value: {**value, "usage": {"prompt_tokens": int(_DIGITS), "completion_tokens": -1}}
    ),
    "half a character beside": content(lambda received: f"\ud800 {right(received)}"),
    "signs beside": content(lambda received: f"\x1b[31m\u202e{right(received)}"),
    "probability of 400 digits": _logprobs(int(_DIGITS)),
    "probability that is none": _logprobs("x"),
    "probability that is infinite": _logprobs(float("inf")),
    "probability without a number": _logprobs(float("nan")),
    "right verdicts": lambda received: verdicts(_labels(received)),
}
"""All of them answer."""


COMPLETION: dict[str, Any] = {
    **json.loads(says('{"1":"yes"}', refusal="").body),
    "usage": {"prompt_tokens": 5, "completion_tokens": 2},
    "error": {},
}
COMPLETION["choices"][0]["logprobs"] = {
    "content": [{"token": "YES", "top_logprobs": [{"token": "YES", "logprob": -0.1}]}]
}

_PACKINGS: Mapping[str, Callable[[bytes], bytes]] = {
    "": lambda text: text,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda text: text,
}


def answered(text: bytes, status: int, packing: str, is_chunked: bool, claimed: int) -> Behaviour:
    """A body under some status, packed in some way, whole or in chunks, its length right or not."""
    text = _PACKINGS[packing](text)
    head = [f"HTTP/1.1 {status} X", f"Content-Encoding: {packing}" if packing else "X: y"]
    if is_chunked:
        head.append("Transfer-Encoding: chunked")
        parts = [b"%x\r\n%s\r\n" % (len(text[at : at + 99]), text[at : at + 99])
                 for at in range(0, len(text), 99)]  # fmt: skip
        text = b"".join(parts) + b"0\r\n\r\n"
    elif claimed:
        head.append(f"Content-Length: {len(text) + claimed - 1}")
    return raw("\r\n".join([*head, "", ""]).encode(), text)
