"""Steps that are stopped, politely or not, go on where they were."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from argue_eval.cli import app
from tests.chat_server import Answer, ChatServer, Received
from tests.curation.test_extract import EXTRACT
from tests.curation.track import READER, claims

PATIENCE = 20.0


def slow(received: Received) -> Answer:
    answer: Answer = READER(received)
    return answer._replace(delay=0.4)


def stopped(server: ChatServer, sent: signal.Signals) -> tuple[int, str]:
    """Starts the step, sends it a signal when two replies are kept, and returns how it ended."""
    command = [sys.executable, "-m", "argue_eval", *EXTRACT.split(), "--concurrency", "1"]
    with server.environment():
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    deadline = time.monotonic() + PATIENCE
    while num_kept() < 2 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(sent)
    _, err = process.communicate(timeout=PATIENCE)
    return process.returncode, err


def num_kept() -> int:
    path = Path("points.json.replies.jsonl")
    return path.read_text().count('"key"') if path.exists() else 0


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_what_was_replied_before_a_signal_is_not_asked_again(sent: signal.Signals) -> None:
    with ChatServer(slow) as server:
        code, err = stopped(server, sent)
        assert code == (-signal.SIGKILL if sent is signal.SIGKILL else 130), err
        assert not Path("points.json").exists()
        assert "Traceback" not in err
        num_before = num_kept()
        assert 2 <= num_before < 4
        if sent is signal.SIGINT:
            assert "points.json.replies.jsonl: run the same command again" in err
        num_asked = len(server.received)
        with server.environment():
            assert app.run(EXTRACT.split()) == 0
        assert len(server.received) - num_asked == 4 - num_before
    assert len(claims()["q1"]) == 3
    lines = Path("points.json.replies.jsonl").read_text().splitlines()
    assert len({json.loads(line)["key"] for line in lines[1:]}) == 4
