"""The chat client against a server on loopback that does what servers do."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any

import pytest
from argue_eval.judges.clients.completion import Completion, Failed, Message, Request, Result

from argue_eval.errors import MissingResourceError, UsageError
from argue_eval.judges.clients import chat
from argue_eval.judges.clients.chat import ChatClient
from tests.chat_server import CUT, HANG, RESET, Answer, ChatServer, Received, Script, fails, says

USAGE = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "required": []}


class Meter:
    """Lets so many calls begin, and writes down what they used."""

    def __init__(self, allowed: int = 100) -> None:
        self.allowed = allowed
        self.used: list[tuple[int | None, int | None]] = []

    @property
    def is_halted(self) -> bool:
        return self.allowed <= 0

    def begin(self) -> bool:
        self.allowed -= 1
        return self.allowed >= 0

    def end(self, prompt_tokens: int | None, reply_tokens: int | None) -> None:
        self.used.append((prompt_tokens, reply_tokens))


def request(meter: Meter | None = None, text: str = "Is it?") -> Request:
    messages = (Message("system", "Judge."), Message("user", text))
    return Request(messages, 20, SCHEMA, meter or Meter())


def client_of() -> closing[ChatClient]:
    return closing(ChatClient("m", 5.0))


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "_FIRST_PAUSE", 0.01)


def asked(
    script: Script, meter: Meter | None = None, timeout: float = 5.0, key: str = ""
) -> tuple[Result, list[Received]]:
    """Returns what comes of one request, and all that the server received."""
    with ChatServer(script) as server, server.environment(key):
        with closing(ChatClient("m", timeout)) as client:
            (result,) = client.complete([request(meter)])
        return result, server.received


def completed(script: Script) -> Completion:
    result, _ = asked(script)
    assert isinstance(result, Completion), result
    return result


def failed(script: Script, timeout: float = 5.0) -> Failed:
    result, _ = asked(script, timeout=timeout)
    assert isinstance(result, Failed), result
    return result


def test_a_completion_has_the_text_the_finish_reason_and_the_tokens() -> None:
    meter = Meter()
    result, received = asked(says("yes", usage=USAGE), meter)
    assert result == Completion("yes", "stop", "", 12, 3, 1)
    assert meter.used == [(12, 3)]
    assert [each.number for each in received] == [0]
    body = received[0].body
    assert (body["model"], body["temperature"], body["seed"]) == ("m", 0.0, 0)
    assert body["max_tokens"] == 20
    assert body["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize("content", [None, ""])
def test_an_empty_reply_is_an_empty_text(content: str | None) -> None:
    assert completed(says(content)).text == ""


def test_a_reply_in_parts_is_the_text_of_its_parts() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "no"}]},
        {"type": "text", "text": "ye"},
        {"type": "text", "text": "s"},
        "no",
    ]
    body = {"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]}
    assert completed(Answer(body=json.dumps(body).encode())).text == "yes"


def test_a_refusal_is_told_apart_from_a_reply() -> None:
    assert completed(says(None, refusal="I will not.")).refusal == "I will not."


def test_a_server_of_ones_own_needs_no_key_and_a_key_is_sent_as_it_is() -> None:
    _, received = asked(says("yes"))
    assert received[0].headers["authorization"] == "Bearer none"
    _, received = asked(says("yes"), key="sk-secret")
    assert received[0].headers["authorization"] == "Bearer sk-secret"


@pytest.mark.parametrize(
    "trouble",
    [fails(408), fails(409), fails(429), fails(500), fails(503), RESET, CUT, Answer(200, b"{")],
    ids=["408", "409", "429", "500", "503", "reset", "cut", "broken body"],
)
def test_what_passes_by_itself_is_tried_again(trouble: Answer) -> None:
    result = completed([trouble, trouble, says("yes")])
    assert (result.text, result.num_attempts) == ("yes", 3)


def test_a_server_that_stays_silent_is_given_up_in_time() -> None:
    started = time.monotonic()
    result, _ = asked([HANG, says("yes")], timeout=1.5)
    assert isinstance(result, Completion)
    assert result.num_attempts == 2
    assert time.monotonic() - started < 10


def test_a_reply_that_trickles_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit holds for the whole call, not from one byte to the next."""

    class Trickle:
        def iter_bytes(self) -> Iterator[bytes]:
            while True:
                time.sleep(0.02)
                yield b" "

    assert chat._read(Trickle(), time.monotonic() + 0.1) is None
    monkeypatch.setattr(chat, "MAX_REPLY_BYTES", 3)  # nor does one that never ends fill the memory
    assert chat._read(Trickle(), time.monotonic() + 60) is None


def test_what_does_not_pass_is_a_failure_with_the_servers_words() -> None:
    result = failed(fails(500, "out of memory"))
    assert "out of memory" in result.reason
    assert result.num_attempts == chat.MAX_ATTEMPTS
    assert "500" in result.reason


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_the_pause_that_a_server_asks_for_is_kept(form: str) -> None:
    soon = datetime.now(timezone.utc) + timedelta(seconds=2)
    value = "0.6" if form == "seconds" else format_datetime(soon, usegmt=True)
    started = time.monotonic()
    completed([fails(429, retry_after=value), says("yes")])
    assert 0.5 < time.monotonic() - started < 6


def test_a_pause_that_is_too_long_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "MAX_PAUSE", 0.05)
    started = time.monotonic()
    completed([fails(429, retry_after="3600"), says("yes")])
    assert time.monotonic() - started < 5


def test_a_pause_holds_for_all_threads() -> None:
    script = [fails(429, retry_after="0.5"), says("yes")]
    with ChatServer(script) as server, server.environment(), client_of() as client:
        first = threading.Thread(target=client.complete, args=([request()],))
        first.start()
        while len(server.received) < 1:
            time.sleep(0.005)
        time.sleep(0.1)
        started = time.monotonic()
        client.complete([request()])
        assert time.monotonic() - started > 0.2
        first.join()


def test_no_pause_outlasts_a_halt() -> None:
    meter = Meter(allowed=1)
    started = time.monotonic()
    result, _ = asked(fails(429, "slow down", retry_after="60"), meter)
    assert isinstance(result, Failed)
    assert "slow down" in result.reason
    assert time.monotonic() - started < 5


def test_every_attempt_is_a_call_and_those_that_fail_cost_nothing() -> None:
    meter = Meter()
    asked([fails(500), fails(429), says("yes", usage=USAGE)], meter)
    assert 100 - meter.allowed == 3
    assert meter.used == [(0, 0), (0, 0), (12, 3)]


def test_a_call_that_was_waited_for_in_vain_may_have_cost_its_prompt() -> None:
    meter = Meter()
    asked([HANG, says("yes")], meter, timeout=1.5)
    assert meter.used[0] == (None, 0)


def test_nothing_begins_that_the_meter_does_not_let() -> None:
    result, received = asked(says("yes"), Meter(allowed=0))
    assert result is None
    assert received == []


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "refuses the key"), (403, "does not allow"), (404, "no such model"), (402, "paid")],
)
def test_what_no_request_would_fare_better_with_is_told_at_once(status: int, words: str) -> None:
    with ChatServer(fails(status, "no")) as server, server.environment("sk-secret"):
        with pytest.raises(MissingResourceError, match=words) as caught, client_of() as client:
            client.complete([request()])
        assert len(server.received) == 1
    assert "sk-secret" not in str(caught.value)


def test_an_exhausted_quota_is_not_waited_for() -> None:
    with pytest.raises(MissingResourceError, match="paid"):
        asked(fails(429, "insufficient_quota: check your plan"))


def test_a_key_is_never_shown() -> None:
    with pytest.raises(MissingResourceError) as caught:
        asked(fails(401, "Incorrect key sk-secret-1 given"), key="sk-secret-1")
    assert "sk-secret-1" not in str(caught.value)


def test_a_prompt_that_is_too_long_fails_alone() -> None:
    message = "This model's maximum context length is 4096 tokens, max_tokens 20"
    with ChatServer(fails(400, message)) as server, server.environment(), client_of() as client:
        for _ in range(chat.MAX_GIVEN_UP + 1):
            (result,) = client.complete([request()])
            assert isinstance(result, Failed)
            assert result.reason.startswith("the prompt is longer than the model's context")
        assert len(server.received) == chat.MAX_GIVEN_UP + 1


def test_a_prompt_that_a_filter_refuses_fails_alone() -> None:
    assert "content filter" in failed(fails(400, "content_filter triggered")).reason


def test_a_server_that_takes_no_schema_is_asked_without_it_from_then_on() -> None:
    def script(received: Received) -> Answer:
        form = received.body.get("response_format", {}).get("type", "text")
        return says("yes") if form == "text" else fails(400, f"response_format {form} unknown")

    with ChatServer(script) as server, server.environment(), client_of() as client:
        for _ in range(2):
            (result,) = client.complete([request()])
            assert isinstance(result, Completion)
        forms = [each.body.get("response_format", {}).get("type") for each in server.received]
    assert forms == ["json_schema", "json_object", None, None]


def test_a_server_that_takes_other_parameters_is_asked_with_them() -> None:
    def script(received: Received) -> Answer:
        body = received.body
        for name in ("max_tokens", "temperature", "seed"):
            if name in body:
                return fails(400, f"Unsupported parameter: '{name}'")
        if body["messages"][0]["role"] == "system":
            return fails(400, "System role not supported")
        return says(body["messages"][0]["content"])

    result, received = asked(script)
    assert isinstance(result, Completion)
    assert result.text == "Judge.\n\nIs it?"
    assert received[-1].body["max_completion_tokens"] == 20


def test_a_complaint_in_the_form_of_fastapi_is_understood() -> None:
    detail = b'{"detail": [{"loc": ["body", "seed"], "msg": "extra", "input": "temperature"}]}'
    result, received = asked([Answer(422, detail), says("yes")])
    assert isinstance(result, Completion)
    assert "seed" not in received[1].body
    assert "temperature" in received[1].body


def test_a_server_that_fails_always_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "MAX_ATTEMPTS", 1)
    with ChatServer(fails(500, "broken")) as server, server.environment(), client_of() as client:
        for _ in range(chat.MAX_GIVEN_UP - 1):
            client.complete([request()])
        with pytest.raises(MissingResourceError, match="came to nothing"):
            client.complete([request()])


def test_a_server_that_is_not_there_is_told_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(says("yes")) as server:
        url = server.url
    monkeypatch.setenv("OPENAI_BASE_URL", url.replace("http://", "http://me:secret@"))
    with pytest.raises(MissingResourceError, match="BASE_URL") as caught, client_of() as client:
        client.complete([request()])
    assert "secret" not in str(caught.value)


def test_without_server_and_key_it_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(MissingResourceError, match="OPENAI_BASE_URL"):
        ChatClient("m")


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", "http//host", "http://[bad"])
def test_an_address_that_is_none_is_told(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(UsageError, match="OPENAI_BASE_URL"):
        ChatClient("m")


def test_a_key_that_is_none_is_told_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-“secret”")
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as caught:
        ChatClient("m")
    assert "secret" not in str(caught.value)


def test_without_the_package_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingResourceError, match=r"argue-eval\[llm\]"):
        ChatClient("m")


def test_an_error_in_the_body_of_a_good_status_is_an_error() -> None:
    body = b'{"error": {"message": "upstream is down", "code": 502}}'
    assert completed([Answer(200, body), says("yes")]).num_attempts == 2


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"choices": []}', b'{"choices": [{}]}', b"null"])
def test_what_is_no_chat_completion_is_no_reply(
    body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat, "MAX_ATTEMPTS", 2)
    assert "no chat completion" in failed(Answer(200, body)).reason
