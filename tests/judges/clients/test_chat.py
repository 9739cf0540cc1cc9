"""The chat client against a server on loopback that does what servers do."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any

import pytest

from argue_eval.errors import ArgueEvalError, MissingResourceError, UsageError
from argue_eval.judges.clients import Completion, Failed, Message, Request, Result
from argue_eval.judges.clients.chat import ChatClient, Patience
from argue_eval.judges.limits import Limits, Meter
from tests.chat_server import CUT, HANG, RESET, Answer, ChatServer, Received, Script, fails, says

USAGE = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
SHORT = Patience(first_pause=0.01)
PROMPT_TOKENS = 1000


def request(limits: Limits | None = None) -> Request:
    messages = (Message("system", "Judge."), Message("user", "Is it?"))
    meter = Meter(limits or Limits(), None, PROMPT_TOKENS, 20)
    return Request(messages=messages, max_tokens=20, schema=SCHEMA, meter=meter)


@contextmanager
def client_of(
    script: Script,
    patience: Patience = SHORT,
    timeout: float = 5.0,
    key: str = "",
    address: Callable[[str], str] = str,
) -> Iterator[tuple[ChatClient, ChatServer]]:
    """A client and its server, which may have another address."""
    with ChatServer(script) as server:
        server.url = address(server.url)
        with (
            server.environment(key),
            closing(ChatClient("m", timeout, patience=patience)) as client,
        ):
            yield client, server


def asked(script: Script, limits: Limits | None = None, **settings: Any) -> Result:
    """What comes of one request."""
    with client_of(script, **settings) as (client, _):
        (result,) = client.complete([request(limits)])
        return result


def completed(script: Script, **settings: Any) -> Completion:
    result = asked(script, **settings)
    assert isinstance(result, Completion), result
    return result


def failed(script: Script, **settings: Any) -> Failed:
    result = asked(script, **settings)
    assert isinstance(result, Failed), result
    return result


def used(limits: Limits) -> tuple[int, int, int]:
    return limits.num_calls, limits.prompt_tokens, limits.reply_tokens


def test_a_completion_has_the_text_the_finish_reason_and_the_tokens() -> None:
    limits = Limits()
    with client_of(says("yes", usage=USAGE)) as (client, server):
        (result,) = client.complete([request(limits)])
    assert result == Completion("yes", "stop", "", 12, 3, 1)
    assert used(limits) == (1, 12, 3)
    (received,) = server.received
    body = received.body
    assert (body["model"], body["temperature"], body["seed"]) == ("m", 0.0, 0)
    assert body["max_tokens"] == 20
    assert body["response_format"]["json_schema"]["strict"] is True


PARTS = [
    {"type": "thinking", "thinking": [{"type": "text", "text": "no"}]},
    {"type": "text", "text": "ye"},
    {"type": "text", "text": "s"},
    "no",
]


@pytest.mark.parametrize(
    ("content", "text"), [(None, ""), ("", ""), ("yes", "yes"), (PARTS, "yes")]
)
def test_the_text_of_a_reply_is_that_of_its_parts(content: Any, text: str) -> None:
    body = {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
    assert completed(Answer(body=json.dumps(body).encode())).text == text


def test_a_redirect_is_reported_and_the_key_sent_nowhere_else() -> None:
    with ChatServer(says("yes")) as other:
        away = Answer(307, headers={"Location": f"{other.url}/chat/completions"})
        with (
            client_of(away, key="sk-secret") as (client, _),
            pytest.raises(MissingResourceError, match=f"sends elsewhere; .*{other.url}"),
        ):
            client.complete([request()])
        assert other.received == []


@pytest.mark.parametrize("key", ["sk-secret", "none", "x"])
def test_a_secret_that_a_server_repeats_is_left_out_and_a_word_is_not(key: str) -> None:
    shown = "…" if len(key) > 5 else key
    assert completed(says(f"Is it {key}?"), key=key).text == f"Is it {shown}?"
    assert completed(says(None, refusal=f"{key}!"), key=key).refusal == f"{shown}!"
    assert completed(says("yes", f"a {key}"), key=key).finish_reason == f"a {shown}"


@pytest.mark.parametrize("value", ["", "secret-word", "me:secret-word", "bWU6c2VjcmV0LXdvcmQ="])
def test_a_password_in_an_address_is_left_out_however_it_is_repeated(
    value: str,
) -> None:
    def address(url: str) -> str:
        return url.replace("http://", "http://me:secret%2Dword@")

    with client_of(says(f"[{value}]"), address=address) as (client, server):
        (result,) = client.complete([request()])
    assert isinstance(result, Completion)
    assert result.text == ("[…]" if value else "[]")
    assert server.received[0].headers["authorization"] == "Basic bWU6c2VjcmV0LXdvcmQ="


def test_what_follows_a_question_mark_in_an_address_is_sent_and_never_kept() -> None:
    query = "key=key-0123&api-version=preview"
    script = says("The preview says key-0123.")
    with client_of(script, address=lambda url: f"{url}/?{query}") as (client, server):
        (result,) = client.complete([request()])
    assert server.received[0].path == f"/v1/chat/completions?{query}"
    assert isinstance(result, Completion)
    assert result.text == "The preview says …."  # a version is no secret
    assert "key" not in client.url


def test_an_error_under_a_good_status_is_that_error() -> None:
    body = json.loads(says("yes").body)
    for error, told in (
        ({"message": "overloaded", "code": 503}, "the server says 503: 'overloaded"),
        ("overloaded", "the server reports an error: 'overloaded'"),
        (["overloaded"], "the server reports an error: 'overloaded'"),
    ):
        answer = Answer(body=json.dumps({**body, "error": error}).encode())
        assert told in failed(answer, patience=SHORT._replace(max_attempts=1)).reason


@pytest.mark.parametrize(("key", "sent"), [("", "none"), ("sk-secret", "sk-secret")])
def test_a_server_of_ones_own_needs_no_key_and_a_key_is_sent_as_it_is(key: str, sent: str) -> None:
    with client_of(says("yes"), key=key) as (client, server):
        client.complete([request()])
    assert server.received[0].headers["authorization"] == f"Bearer {sent}"


PASSING = {
    **{str(status): fails(status) for status in (408, 409, 425, 429, 500, 503)},
    "reset": RESET,
    "cut": CUT,
    "broken body": Answer(200, b"{"),
    "error in a good body": Answer(200, b'{"error": {"message": "upstream", "code": 502}}'),
}


@pytest.mark.parametrize("name", PASSING)
def test_what_passes_by_itself_is_tried_again(name: str) -> None:
    result = completed([PASSING[name], PASSING[name], says("yes")])
    assert (result.text, result.num_attempts) == ("yes", 3)


def test_a_server_that_stays_silent_is_given_up_in_time_and_may_have_cost_the_prompt() -> None:
    limits = Limits()
    started = time.monotonic()
    script = [HANG, says("yes", usage=USAGE)]
    assert completed(script, limits=limits, timeout=1.5).num_attempts == 2
    assert time.monotonic() - started < 10
    assert used(limits) == (2, PROMPT_TOKENS + 12, 3)


def test_a_reply_that_trickles_is_given_up_in_time() -> None:
    """The limit holds for the whole call, not from one byte to the next."""
    trickle = says("yes" * 100)._replace(pace=0.02)
    started = time.monotonic()
    result = failed(trickle, timeout=0.3, patience=Patience(max_attempts=1))
    assert "within 0.3 seconds" in result.reason
    assert time.monotonic() - started < 3


def test_a_reply_that_does_not_end_does_not_fill_the_memory() -> None:
    patience = Patience(max_attempts=1, max_answer_bytes=100)
    assert "longer than 100 bytes" in failed(says("yes" * 100), patience=patience).reason


def test_what_does_not_pass_is_a_failure_with_the_servers_words() -> None:
    result = failed(fails(500, "out of memory"))
    assert result.num_attempts == Patience().max_attempts
    assert "the server says 500: 'out of memory" in result.reason


@pytest.mark.parametrize("is_date", [False, True])
def test_the_pause_that_a_server_asks_for_is_kept(is_date: bool) -> None:
    soon = datetime.now(timezone.utc) + timedelta(seconds=2)
    value = format_datetime(soon, usegmt=True) if is_date else "0.6"
    started = time.monotonic()
    completed([fails(429, retry_after=value), says("yes")])
    assert 0.5 < time.monotonic() - started < 6


def test_a_pause_that_is_too_long_is_cut_short() -> None:
    started = time.monotonic()
    patience = SHORT._replace(longest_asked_pause=0.05)
    completed([fails(429, retry_after="3600"), says("yes")], patience=patience)
    assert time.monotonic() - started < 5


def test_a_pause_holds_for_all_threads() -> None:
    with client_of([fails(429, retry_after="0.5"), says("yes")]) as (client, server):
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
    limits = Limits()
    threading.Timer(0.2, limits.halt, ("stopped",)).start()
    started = time.monotonic()
    result = asked(fails(429, "slow down", retry_after="60"), limits)
    assert isinstance(result, Failed)
    assert "slow down" in result.reason
    assert time.monotonic() - started < 5


def test_every_attempt_is_a_call_and_those_that_fail_cost_nothing() -> None:
    limits = Limits()
    asked([fails(500), fails(429), says("yes", usage=USAGE)], limits)
    assert used(limits) == (3, 12, 3)


def test_nothing_begins_that_the_limits_do_not_allow() -> None:
    with client_of(says("yes")) as (client, server):
        assert client.complete([request(Limits(max_calls=0))]) == [None]
    assert server.received == []


@pytest.mark.parametrize(
    ("status", "message", "words"),
    [
        (401, "Incorrect key sk-secret", "refuses the key"),
        (402, "no", "requires payment"),
        (403, "no", "does not allow"),
        (404, "no", "no such model"),
        (429, "insufficient_quota: check your plan", "requires payment"),
    ],
)
def test_what_fails_for_every_request_is_reported_at_once_without_the_key(
    status: int, message: str, words: str
) -> None:
    with client_of(fails(status, message), key="sk-secret") as (client, server):
        with pytest.raises(MissingResourceError, match=words) as caught:
            client.complete([request()])
        assert len(server.received) == 1
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            fails(400, "This model's maximum context length is 4096 tokens, max_tokens 20"),
            "the prompt is longer than the model's context",
        ),
        (fails(413), "the prompt is longer than the model's context"),
        (fails(400, "content_filter triggered"), "the provider's content filter refused"),
    ],
)
def test_a_prompt_that_is_not_accepted_fails_alone(answer: Answer, words: str) -> None:
    num_requests = Patience().max_given_up + 1
    with client_of(answer) as (client, server):
        for _ in range(num_requests):
            (result,) = client.complete([request()])
            assert isinstance(result, Failed)
            assert result.reason.startswith(words)
        assert len(server.received) == num_requests


def test_a_server_that_takes_no_schema_is_asked_without_it_from_then_on() -> None:
    def script(received: Received) -> Answer:
        kind = received.body.get("response_format", {}).get("type", "text")
        return says("yes") if kind == "text" else fails(400, f"response_format {kind} unknown")

    with client_of(script) as (client, server):
        for _ in range(2):
            (result,) = client.complete([request()])
            assert isinstance(result, Completion)
        kinds = [each.body.get("response_format", {}).get("type") for each in server.received]
    assert kinds == ["json_schema", "json_object", None, None]


def test_a_server_that_takes_other_parameters_is_asked_with_them() -> None:
    def script(received: Received) -> Answer:
        body = received.body
        for name in ("max_tokens", "temperature", "seed"):
            if name in body:
                return fails(400, f"Unsupported parameter: '{name}'")
        if body["messages"][0]["role"] == "system":
            return fails(400, "System role not supported")
        return says(f"{body['messages'][0]['content']} {body['max_completion_tokens']}")

    assert completed(script).text == "Judge.\n\nIs it? 20"


def test_a_complaint_in_the_format_of_fastapi_is_understood() -> None:
    detail = b'{"detail": [{"loc": ["body", "seed"], "msg": "extra", "input": "temperature"}]}'
    with client_of([Answer(422, detail), says("yes")]) as (client, server):
        (result,) = client.complete([request()])
    assert isinstance(result, Completion)
    assert "seed" not in server.received[1].body
    assert "temperature" in server.received[1].body


def test_a_server_that_always_fails_is_given_up() -> None:
    patience = Patience(max_attempts=1, max_given_up=3)
    with client_of(fails(500, "broken"), patience) as (client, _):
        for _ in range(patience.max_given_up - 1):
            client.complete([request()])
        with pytest.raises(MissingResourceError, match=r"the last 3 requests to .* failed"):
            client.complete([request()])


def test_a_server_that_is_not_there_is_reported_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(says("yes")) as server:
        url = server.url
    monkeypatch.setenv("OPENAI_BASE_URL", url.replace("http://", "http://me:secret@"))
    client = ChatClient("m", patience=SHORT)
    with pytest.raises(MissingResourceError, match="BASE_URL") as caught:
        client.complete([request()])
    client.close()
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "key", "error", "words"),
    [
        ("", "", MissingResourceError, "OPENAI_BASE_URL"),
        ("localhost:8000", "", UsageError, "OPENAI_BASE_URL"),
        ("ftp://host/v1", "", UsageError, "OPENAI_BASE_URL"),
        ("me:secret@localhost:8000/v1", "", UsageError, "found 'localhost:8000/v1'"),
        ("//me:secret@localhost/v1", "", UsageError, "found 'localhost/v1'"),
        ("http:/me:secret@localhost/v1", "", UsageError, "OPENAI_BASE_URL"),
        ("http://me:secret@local host/v1", "", UsageError, "OPENAI_BASE_URL"),
        ("http://me:secret@/v1", "", UsageError, "OPENAI_BASE_URL"),
        ("http://me:secret@localhost:port/v1", "", UsageError, "OPENAI_BASE_URL"),
        ("http//host", "", UsageError, "OPENAI_BASE_URL"),
        ("http://[bad", "", UsageError, "OPENAI_BASE_URL"),
        ("", "sk-“secret”", UsageError, "OPENAI_API_KEY"),
    ],
)
def test_an_environment_with_which_no_request_can_be_made_is_an_error(
    url: str, key: str, error: type[ArgueEvalError], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(error, match=words) as caught:
        ChatClient("m")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"choices": []}', b'{"choices": [{}]}', b"null"])
def test_what_is_no_chat_completion_is_no_reply(body: bytes) -> None:
    patience = SHORT._replace(max_attempts=2)
    assert "no chat completion" in failed(Answer(200, body), patience=patience).reason
