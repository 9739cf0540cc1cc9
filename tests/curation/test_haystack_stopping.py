"""A haystack whose making is killed goes on where it was, and asks nothing twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.chat_server import RESET, Answer, ChatServer, Received
from tests.curation.haystack_server import (
    BROKEN,
    TOPIC,
    HaystackServer,
    Plant,
    change_number,
    first_times,
    insights,
    leak,
    leave_out,
)
from tests.curation.haystacks import HAYSTACK, check_gold, read
from tests.curation.track import once

NUM_KILLS = 10
PATIENCE = 60


def plants() -> dict[str, Plant]:
    return {
        "t-d002": leave_out(),
        "t-d005": leak(insights(1)[0]["insight"]),
        "t-d007": change_number(),
        "t-d009": first_times(BROKEN, 1, ["write"]),
        "t-d011": leave_out(until=99),
    }


class Killer:
    """A script that kills the process which asks, at a request of its choice.

    Attributes:
        pid: the process; `countdown`: requests until it is killed, or at the next if that is past.
    """

    def __init__(self, script: HaystackServer, seed: int) -> None:
        self._script = script
        self._rng = random.Random(seed)
        self._lock = threading.Lock()
        self.pid = 0
        self.countdown = 0

    def __call__(self, received: Received) -> Answer:
        answer = self._script(received)
        with self._lock:
            self.countdown -= 1
            # It may be a request of the process before, which is dead.
            pid, is_due, is_before = self.pid, self.countdown <= 0, self._rng.random() < 0.5
        if not is_due:
            return answer
        if is_before:  # while the process waits for the answer
            _kill(pid)
            return RESET
        return Answer(raw=lambda: self._sent(answer, pid))

    def _sent(self, answer: Answer, pid: int) -> Iterator[bytes]:
        """The whole answer; then it does with it whatever it gets to."""
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(answer.body)}\r\n\r\n"
        yield head.encode() + answer.body
        _kill(pid)


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(("concurrency", "num_documents"), [(1, 30), (4, 90)])
def test_ten_kills_cost_only_what_was_in_flight(
    folder: Path, concurrency: int, num_documents: int
) -> None:
    """There are so many documents that nobody is done before the last kill."""
    Path("topics.jsonl").write_text(json.dumps(TOPIC) + "\n")
    server = HaystackServer(plants())
    killer = Killer(server, seed=concurrency)
    rng = random.Random(concurrency)
    making = once(f"{HAYSTACK} --documents {num_documents} --concurrency {concurrency}")
    command = [sys.executable, "-m", "argue_eval", *making.split()]
    codes = []
    with ChatServer(killer) as chat, chat.environment():
        for number in range(NUM_KILLS + 1):
            killer.countdown = rng.randint(1, 4) if number < NUM_KILLS else sys.maxsize
            process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            killer.pid = process.pid
            _, err = process.communicate(timeout=PATIENCE)
            codes.append(process.returncode)
            assert "Traceback" not in err
            assert Path("haystack.json").exists() is (number == NUM_KILLS)
    assert codes == [-signal.SIGKILL] * NUM_KILLS + [4]
    # What was in flight at a kill is asked for again, and nothing else: no key has two replies.
    assert server.times.total() - len(server.times) <= NUM_KILLS * concurrency
    lines = [json.loads(line) for line in whole_lines("haystack.json.replies.jsonl")]
    keys = [line["key"] for line in lines if "key" in line and "unusable" not in line]
    assert len(keys) > 65
    assert len(keys) == len({*keys})
    # The result is that of a run that nobody disturbed.
    disturbed = read()
    check_gold(disturbed)
    Path("haystack.json.replies.jsonl").unlink()
    with ChatServer(HaystackServer(plants())) as chat, chat.environment():
        subprocess.run(command, stderr=subprocess.PIPE, timeout=PATIENCE)
    assert read() == disturbed


def whole_lines(path: str) -> Iterator[str]:
    """The lines of a file, without those that were broken off."""
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.endswith("}"):
            yield line
