"""Several processes use one store, and some of them are killed."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from argue_eval.judgments import verifying
from argue_eval.judgments.store import JudgmentStore, opened
from tests.judgments.asking import JUDGE, numbered

ROOT = Path(__file__).parents[2]

# Four processes judge overlapping parts of the same questions, and each finds what it wrote.
SHARING = """
import sys
from argue_eval.judgments.store import opened
from tests.judgments.asking import JUDGE, numbered, replied
start = int(sys.argv[2])
with opened(sys.argv[1]) as store:
    for first in range(start, start + 600, 30):
        questions = [numbered(number) for number in range(first, first + 30)]
        for question, found in zip(questions, store.find(questions, JUDGE)):
            if found is None:
                store.add(question, JUDGE, replied())
        if first % 90 == 0:
            store.flush()
        assert None not in store.find(questions, JUDGE)
"""

# Says after every commit how far it is: what it said must be there whenever it is killed.
KILLED = """
import sys
from argue_eval.judgments.store import opened
from tests.judgments.asking import JUDGE, numbered, replied
with opened(sys.argv[1]) as store:
    for number in range(10**9):
        store.add(numbered(f"{sys.argv[2]}-{number}"), JUDGE, replied())
        if number % 7 == 6:
            store.flush()
            print(number, flush=True)
"""


def _start(code: str, *args: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_four_processes_make_and_fill_one_store_together(tmp_path: Path) -> None:
    path = tmp_path / "shared.store"
    for process in [_start(SHARING, path, start) for start in (0, 300, 300, 600)]:
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
    assert verifying.verify(path).findings == []
    assert verifying.info(path).num_judgments == 1200
    with opened(path) as store:
        assert None not in store.find([numbered(number) for number in range(1200)], JUDGE)


def test_store_that_several_make_at_once_is_made_once(tmp_path: Path) -> None:
    start = Barrier(4)

    def make(number: int) -> None:
        start.wait()
        JudgmentStore(tmp_path / f"{number}.store").close()

    with ThreadPoolExecutor(4) as pool:
        for number in range(40):
            list(pool.map(make, [number] * 4))


def test_nothing_committed_is_lost_when_a_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "killed.store"
    moments = random.Random(7)
    for turn in range(6):
        process = _start(KILLED, path, turn)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        time.sleep(moments.uniform(0, 0.2))
        process.send_signal(signal.SIGKILL)
        reported = [6, *map(int, process.stdout.read().split("\n")[:-1])]
        process.wait(timeout=20)
        process.stdout.close()
        process.stderr.close()
        assert verifying.verify(path).findings == []
        with opened(path) as store:
            committed = [numbered(f"{turn}-{number}") for number in range(reported[-1] + 1)]
            assert None not in store.find(committed, JUDGE)
