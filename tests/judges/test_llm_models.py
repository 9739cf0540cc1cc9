"""The judge llm with a real model, by a real server and in this process.

The model is untrained: nothing that it writes is a verdict, so every question ends as a failure.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from argue_eval.judges import Settings
from argue_eval.judges.limits import Limits
from argue_eval.judges.llm.judge import create
from argue_eval.records import Reply
from tests.judges.asking import answers, covers, negative, support
from tests.tiny_models import tiny_llm

START_SECONDS = 240.0
QUESTIONS = [
    answers("When did the mill burn down?", "in 1912", "A fire took the mill in June 1912."),
    covers("The mill burned down.", "A fire took the mill in June 1912."),
    support("A fire took the mill in June 1912.", "The mill burned down in 1912."),
    negative("Nothing is known about its price."),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    return tiny_llm(tmp_path_factory.mktemp("models") / "tiny-llm")


@pytest.fixture(scope="module")
def served(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of transformers' own server with the model."""
    pytest.importorskip("fastapi", reason="FastAPI is not installed")
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    pytest.importorskip("accelerate", reason="accelerate is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("served") / "log"
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "transformers.cli.transformers", "serve", str(model), *options],
            env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
            stdout=stream,
            stderr=stream,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(url, process, log)
        yield f"{url}/v1"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(f"{url}/health", timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"the server did not start: {log.read_text('utf-8', 'replace')[-2000:]}")


def _assert_all_failed(replies: Sequence[Reply], limits: Limits) -> None:
    assert sorted(reply.index for reply in replies) == list(range(len(QUESTIONS)))
    for reply in replies:
        assert reply.verdict is None
        assert reply.reason.startswith("the reply ")
        assert reply.raw is not None  # what it said is kept
    assert limits.num_calls >= len(QUESTIONS)
    assert limits.prompt_tokens > 1000
    assert limits.reply_tokens > 0


def test_a_real_server_is_asked_and_what_it_says_is_no_verdict(
    model: Path, served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", served)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    limits = Limits()
    judge = create(str(model), (), Settings(timeout=60.0, concurrency=2, limits=limits))
    _assert_all_failed(list(judge.answer(QUESTIONS)), limits)


def test_a_model_in_this_process_is_asked_and_what_it_says_is_no_verdict(model: Path) -> None:
    limits = Limits()
    judge = create(f"hf:{model}", (), Settings(device="cpu", limits=limits))
    replies = list(judge.answer(QUESTIONS))
    _assert_all_failed(replies, limits)
    again = create(f"hf:{model}", (), Settings(device="cpu")).answer(QUESTIONS)
    first = {reply.index: _first_reply(reply.raw) for reply in replies}
    assert {reply.index: _first_reply(reply.raw) for reply in again} == first


def _first_reply(raw: str | None) -> str:
    return str(json.loads(raw or "")[0]) if (raw or "").startswith("[") else str(raw)
