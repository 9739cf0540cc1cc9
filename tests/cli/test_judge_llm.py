"""Judging with a language model behind a server, from the command line."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import ChatServer, Received, says
from tests.cli.conftest import Command, exported
from tests.documented import ROOT
from tests.oracle import oracle
from tests.tiny_track import read_lines, write_lines

pytestmark = pytest.mark.usefixtures("files")

TRACK = "alpha.jsonl beta.jsonl nuggets.json --requests requests.jsonl --collection documents.jsonl"
JUDGE = f"judge {TRACK} --judge llm:model"


def test_judged_once_and_scored_from_the_store_without_a_call(
    argue_eval: Command, server: ChatServer
) -> None:
    assert argue_eval(f"{JUDGE} --store x.store").code == 0
    num_calls = len(server.received)
    assert 0 < num_calls < 25
    scored = argue_eval(f"score {TRACK} --judge llm:model --store x.store -q")
    assert (scored.code, len(server.received)) == (0, num_calls)
    assert "support:llm@" in scored.err
    alone = argue_eval(f"score {TRACK} --judge llm:model --store y.store -q")
    assert alone.out == scored.out
    assert exported(argue_eval, "x.store") == exported(argue_eval, "y.store")


@pytest.mark.parametrize("nugget_judge", ["llm:model", "none"])
@pytest.mark.parametrize("options", ["", "--reading strict", "--attestation any-document"])
def test_judge_and_score_count_open_questions_alike(
    argue_eval: Command, nugget_judge: str, options: str
) -> None:
    """Documents that attest the same answer, cited by one sentence, make one question of it."""
    files = ("runs/careful.jsonl", "qrels/example.json", "--collection", "collection/example.jsonl")
    inputs = " ".join(str(ROOT / each) if "/" in each else each for each in files)
    judges = f"--support-judge llm:model --nugget-judge {nugget_judge} --sentence-judge none"
    told = []
    with ChatServer(lambda _: says("nonsense")) as server, server.environment():
        for command in ("judge", "score"):
            ran = argue_eval(f"{command} {inputs} {judges} {options} --store x.store")
            assert ran.code == 4
            told.append([line for line in ran.err.splitlines() if " x " in line])
    assert told[0] == told[1]
    assert any("x answers" in line for line in told[0])


def test_costly_judge_has_a_store_by_default(argue_eval: Command, server: ChatServer) -> None:
    assert argue_eval(f"score {TRACK} --judge llm:model").code == 0
    assert Path("judgments.store").exists()
    assert argue_eval(f"score {TRACK} --judge llm:model -o deep/out").code == 3
    Path("deep").mkdir()
    num_calls = len(server.received)
    assert argue_eval(f"score {TRACK} --judge llm:model -o deep/out").code == 0
    assert Path("deep/judgments.store").exists()
    assert len(server.received) == 2 * num_calls


def _forecast(argue_eval: Command, more: str = "") -> dict[str, Any]:
    ran = argue_eval(f"{JUDGE} --store x.store --dry-run --json {more}")
    assert ran.code == 0
    (row,) = json.loads(ran.out)["judges"]
    found: dict[str, Any] = row
    return found


@pytest.mark.parametrize("prompting", ["batched", "single"])
def test_dry_run_foresees_the_calls(
    argue_eval: Command, server: ChatServer, prompting: str
) -> None:
    row = _forecast(argue_eval, f"--prompting {prompting}")
    assert not server.received
    argue_eval(f"{JUDGE} --store x.store --prompting {prompting}")
    assert row["sure"]["num_calls"] <= len(server.received) <= row["most"]["num_calls"]
    assert _forecast(argue_eval, f"--prompting {prompting}")["sure"]["num_calls"] == 0


def test_dry_run_tells_the_price_and_with_a_probe_the_time(
    argue_eval: Command, server: ChatServer
) -> None:
    Path("prices.toml").write_text("[model]\nprompt = 1000\nreply = 2000\n")
    row = _forecast(argue_eval, "--prices prices.toml --probe 2")
    load = row["sure"]
    price = (load["prompt_tokens"] * 1000 + load["reply_tokens"] * 2000) / 1e6
    assert row["cost"][0] == pytest.approx(price)
    assert row["seconds"][0] > 0
    assert len(server.received) <= 2


def test_no_more_calls_than_allowed_and_the_rest_another_time(
    argue_eval: Command, server: ChatServer
) -> None:
    ran = argue_eval(f"{JUDGE} --store x.store --max-calls 5 --json")
    told = json.loads(ran.out)
    assert (ran.code, len(server.received), told["calls"]) == (4, 5, 5)
    assert told["halted"] == "--max-calls 5 reached"
    assert sum(ends["skipped"] for ends in told["asks"].values()) > 0
    assert all(ends["failed"] == 0 for ends in told["asks"].values())
    assert argue_eval(f"{JUDGE} --store x.store").code == 0
    argue_eval(f"{JUDGE} --store whole.store")
    assert exported(argue_eval, "x.store") == exported(argue_eval, "whole.store")


def test_score_tells_what_it_skipped_and_what_its_calls_took(
    argue_eval: Command, server: ChatServer
) -> None:
    ran = argue_eval(f"score {TRACK} --judge llm:model --store x.store --max-calls 3")
    assert ran.code == 4
    (found,) = re.findall(r"store x.store: 0 found, (\d+) judged.*, 0 failed, (\d+) skip", ran.err)
    assert min(map(int, found)) > 0
    assert "\n3 calls, " in ran.err


def test_no_more_money_than_allowed(argue_eval: Command, server: ChatServer) -> None:
    Path("prices.toml").write_text("[model]\nprompt = 10000\nreply = 1000\n")
    money = "--max-cost 12 --prices prices.toml --concurrency 1"
    told = json.loads(argue_eval(f"{JUDGE} --store x.store {money} --json").out)
    assert told["halted"] == "--max-cost 12 reached"
    tokens = sum(len(request.prompt) // 6 for request in server.received)
    assert told["cost"] == pytest.approx((tokens * 10000 + len(server.received) * 10 * 1000) / 1e6)
    assert 0 < told["cost"] <= 12


def test_max_cost_without_the_price_of_the_model_is_refused_before_any_call(
    argue_eval: Command, server: ChatServer
) -> None:
    Path("prices.toml").write_text("[other]\nprompt = 1\nreply = 2\n")
    ran = argue_eval(f"{JUDGE} --store x.store --max-cost 6 --prices prices.toml")
    assert (ran.code, len(server.received)) == (2, 0)
    assert "model" in ran.err


def _result(line: dict[str, Any], number: int) -> dict[str, Any]:
    """What a batch would say to a line."""
    answer = oracle(Received(number, line["body"], {}))
    body = json.loads(answer.body)
    response = {"status_code": 200, "request_id": f"r{number}", "body": body}
    return {"id": f"b{number}", "custom_id": line["custom_id"], "response": response, "error": None}


def _run_batch(number: int, keep: float = 1.0) -> str:
    """Answers a batch file in another order, perhaps only a part; returns the results' name."""
    lines = read_lines(f"b{number}.jsonl")
    results = [_result(line, at) for at, line in enumerate(lines)]
    random.Random(number).shuffle(results)
    kept = results[: int(len(results) * keep)]
    write_lines(f"r{number}.jsonl", kept)
    return f"r{number}.jsonl"


@pytest.mark.parametrize(
    "judges",
    [
        "--judge llm:model",
        "--nugget-judge llm:model",
        "--support-judge llm:model -m argue_f1",  # asked where the judge lexical finds no answer
        "--sentence-judge llm:model",
    ],
)
def test_batch_files_lead_to_the_same_judgments_as_a_server(
    argue_eval: Command, server: ChatServer, judges: str
) -> None:
    judge = f"judge {TRACK} {judges}"
    argue_eval(f"{judge} --store live.store")
    num_calls = len(server.received)
    assert num_calls
    codes = []
    for number in range(6):
        out = argue_eval(f"{judge} --store x.store --batch-out b{number}.jsonl")
        assert out.code == 0
        if out.err.startswith("0 calls") or not Path(f"b{number}.jsonl").read_text():
            break
        # The first batch comes back in two parts.
        results = _run_batch(number, 0.5 if number == 0 else 1.0)
        codes.append(argue_eval(f"{judge} --store x.store --batch-in {results}").code)
    assert (codes[0], codes[-1]) == (4, 0)
    assert 2 <= len(codes) < 6
    assert len(server.received) == num_calls
    assert exported(argue_eval, "x.store") == exported(argue_eval, "live.store")


def test_batch_results_of_nobody_are_told(argue_eval: Command, server: ChatServer) -> None:
    argue_eval(f"{JUDGE} --store x.store --batch-out b0.jsonl")
    lines = Path(_run_batch(0)).read_text().splitlines()
    stray = json.dumps({**json.loads(lines[0]), "custom_id": "argue-eval-0"})
    failed = json.loads(lines[1])
    failed.update(response=None, error={"code": "batch_expired", "message": "too late"})
    Path("r0.jsonl").write_text("\n".join([stray, json.dumps(failed), "3", *lines[2:]]))
    ran = argue_eval(f"{JUDGE} --store x.store --batch-in r0.jsonl --json")
    told = json.loads(ran.out)
    assert ran.code == 4
    assert "[unknown_batch_line] 1 replies" in ran.err
    assert "r0.jsonl:3: warning [wrong_batch_line]" in ran.err
    reasons = {each["reason"] for each in told["open"]}
    assert any("too late" in reason for reason in reasons)
    assert any("no reply in r0.jsonl" in reason for reason in reasons)


@pytest.mark.parametrize("judge", ["lexical", "none"])
def test_batch_files_need_a_model_behind_a_server(argue_eval: Command, judge: str) -> None:
    ran = argue_eval(f"judge {TRACK} --judge {judge} --store x.store --batch-out b.jsonl")
    assert (ran.code, ran.out) == (2, "")
    assert not Path("b.jsonl").exists()


def test_runs_of_one_id_are_scored_alike_alone_and_together(
    argue_eval: Command, server: ChatServer
) -> None:
    reports = read_lines("alpha.jsonl")
    for report in reports:
        report["responses"].reverse()
    write_lines("again.jsonl", reports)
    claims = json.loads(Path("nuggets.json").read_text())
    for topic in claims["topics"]:
        topic["nuggets"] = [{**each, "question": None} for each in topic["nuggets"][:1]]
        topic["nuggets"][0]["answers"] = topic["nuggets"][0]["answers"][:1]
    Path("claims.json").write_text(json.dumps(claims))
    more = "claims.json --judge llm:model -m nuggetizer --format json -q"

    def printed(runs: str, store: str) -> list[Any]:
        ran = argue_eval(f"score {runs} {more} --store {store}.store")
        assert ran.code == 0
        scores: list[Any] = json.loads(ran.out)
        return scores

    both = printed("alpha.jsonl again.jsonl", "both")
    assert both == printed("alpha.jsonl", "alone") + printed("again.jsonl", "alone")
    assert both[0] != both[1]


EXAMPLE = (
    "judge runs/careful.jsonl runs/miscited.jsonl qrels/example.json --requests "
    "topics/example.jsonl --collection collection/example.jsonl --judge llm:model --concurrency 2"
)
LOGGING = """
import sys
from argue_eval.cli import app
from argue_eval.judges.llm.judge import LlmJudge
from argue_eval.judgments.content import content_of

answer = LlmJudge.answer

def logged(self, questions):
    with open(sys.argv[1], "a") as log:
        for question in questions:
            log.write(content_of(question, self.signature).key.hex() + "\\n")
    yield from answer(self, questions)

LlmJudge.answer = logged
raise SystemExit(app.run(sys.argv[2:]))
"""
"""The command, with the keys of all that the judge is asked in a log."""


def _started(log: Path, store: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", LOGGING, str(log), *EXAMPLE.split(), "--store", str(store)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _committed(store: Path) -> set[str]:
    connection = sqlite3.connect(store)
    try:
        return {key.hex() for (key,) in connection.execute("SELECT key FROM judgments")}
    finally:
        connection.close()


def _logged(log: Path) -> set[str]:
    return set(log.read_text().split()) if log.exists() else set()


NUM_KILLS = 20


def test_killed_at_any_moment_it_goes_on_and_ends_with_the_same_judgments(
    argue_eval: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = random.Random(20)
    store, whole = tmp_path / "x.store", tmp_path / "whole.store"
    with ChatServer(partial(oracle, delay=0.15)) as server, server.environment():
        committed: set[str] = set()
        num_stopped = 0
        for turn in range(NUM_KILLS):
            log = tmp_path / f"{turn}.log"
            before = len(server.received)
            process = _started(log, store)
            wanted = before + draw.randint(1, 8)
            give_up = time.monotonic() + 60
            while process.poll() is None and len(server.received) < wanted:
                assert time.monotonic() < give_up
                time.sleep(0.002)
            time.sleep(draw.random() * 0.7)  # a commit comes every half second
            num_stopped += process.poll() is None
            process.kill()
            process.wait(timeout=60)
            assert _logged(log).isdisjoint(committed), "asked again"
            assert committed <= _committed(store), "lost"
            committed = _committed(store)
        last = _started(tmp_path / "last.log", store)
        assert last.wait(timeout=120) in (0, 4)
        assert _logged(tmp_path / "last.log").isdisjoint(committed)
        assert _started(tmp_path / "whole.log", whole).wait(timeout=120) in (0, 4)
    capsys.readouterr()  # the server tells whose connection broke
    assert num_stopped == NUM_KILLS
    assert len(committed) > 0
    texts = [exported(argue_eval, each) for each in (store, whole)]
    assert texts[0] == texts[1]
    assert len(texts[0]) > 300
    assert argue_eval(f"store verify {store}").code == 0
