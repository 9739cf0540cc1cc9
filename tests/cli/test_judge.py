"""``argue-eval judge``: what it would take, what it keeps, how it stops and goes on."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from argue_eval.evaluation.asking import ENDS
from argue_eval.judges.lexical.judge import LexicalJudge
from argue_eval.records import Question
from tests.cli.conftest import Command, exported

pytestmark = pytest.mark.usefixtures("files")

TRACK = "alpha.jsonl beta.jsonl nuggets.json --requests requests.jsonl --collection documents.jsonl"
JUDGE = f"judge {TRACK} --store x.store"


def _asks(argue_eval: Command, command: str = JUDGE, code: int = 0) -> dict[str, dict[str, int]]:
    ran = argue_eval(f"{command} --json")
    assert ran.code == code
    asks: dict[str, dict[str, int]] = json.loads(ran.out)["asks"]
    for ends in asks.values():
        assert ends["asked"] == sum(ends[end] for end in ENDS)
        assert ends["questions"] >= ends["asked"]
    return asks


def _total(asks: dict[str, dict[str, int]], end: str) -> int:
    return sum(ends[end] for ends in asks.values())


def _forecast(argue_eval: Command, more: str = "") -> dict[str, dict[str, Any]]:
    ran = argue_eval(f"{JUDGE} --dry-run --json {more}")
    assert ran.code == 0
    return {row["kind"]: row for row in json.loads(ran.out)["kinds"]}


def test_judge_and_score_with_the_same_store_ask_nothing_again_and_scores_are_the_same(
    argue_eval: Command,
) -> None:
    asks = _asks(argue_eval)
    assert _total(asks, "judged") > 20
    again = _asks(argue_eval)
    assert _total(again, "judged") == 0
    assert _total(again, "found") == _total(again, "asked") == _total(asks, "asked")
    alone = argue_eval(f"score {TRACK} -q")
    with_store = argue_eval(f"score {TRACK} -q --store x.store")
    assert with_store.out == alone.out
    assert ", 0 judged and kept, 0 failed" in with_store.err


@pytest.mark.parametrize("reading", ["argue", "strict"])
def test_dry_run_names_the_least_and_the_most_that_is_asked(
    argue_eval: Command, reading: str
) -> None:
    foreseen = _forecast(argue_eval, f"--reading {reading}")
    assert not Path("x.store").exists()
    judged = _asks(argue_eval, f"{JUDGE} --reading {reading}")
    assert judged.keys() <= foreseen.keys()
    for kind, row in foreseen.items():
        number = judged[kind]["judged"] if kind in judged else 0
        assert row["num_sure"] <= number <= row["num_most"], kind
    assert any(row["num_sure"] < row["num_most"] for row in foreseen.values())


def test_dry_run_of_a_full_store_has_nothing_to_ask_and_changes_nothing(
    argue_eval: Command,
) -> None:
    judged = _asks(argue_eval)
    before = Path("x.store").read_bytes()
    foreseen = _forecast(argue_eval)
    assert Path("x.store").read_bytes() == before
    for kind, row in foreseen.items():
        assert (row["num_sure"], row["num_most"]) == (0, 0)
        assert row["num_stored"] == judged[kind]["judged"]


def test_dry_run_prints_tables_and_a_probe_tells_the_time(argue_eval: Command) -> None:
    ran = argue_eval(f"{JUDGE} --dry-run --probe 3")
    assert ran.code == 0
    kinds, judges = (block.splitlines() for block in ran.out.split("\n\n"))
    assert kinds[0].split() == ["kind", "questions", "asks", "stored", "to", "ask", "at", "most"]
    assert [line.split()[0] for line in kinds[1:3]] == ["support", "answers"]
    assert judges[1].split()[0].startswith("lexical@")
    assert judges[1].endswith(" s")
    assert not Path("x.store").exists()


def test_parts_together_are_the_whole(argue_eval: Command) -> None:
    _asks(argue_eval)
    for part in (1, 2):
        ran = argue_eval(f"judge {TRACK} --store part{part}.store --shard {part}/2")
        assert f"part {part} of 2: {3 - part} of 3 topics" in ran.err
    assert argue_eval("store merge parts.store part1.store part2.store").code == 0
    assert exported(argue_eval, "parts.store") == exported(argue_eval, "x.store")


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2"])
def test_wrong_part_is_a_usage_error(argue_eval: Command, shard: str) -> None:
    ran = argue_eval(f"{JUDGE} --shard={shard}")
    assert (ran.code, ran.out) == (2, "")
    assert "I/N, part I of N" in ran.err


def _stopping_at(monkeypatch: pytest.MonkeyPatch, number: int, num_signals: int) -> list[Question]:
    """Has the user interrupt while the judge answers its n-th question; notes what is asked."""
    asked: list[Question] = []
    signals = [signal.SIGINT] * num_signals
    reason = LexicalJudge.reason

    def stopping(self: LexicalJudge, question: Question) -> str:
        asked.append(question)
        while len(asked) == number and signals:
            os.kill(os.getpid(), signals.pop())
        return reason(self, question)

    monkeypatch.setattr(LexicalJudge, "reason", stopping)
    return asked


@pytest.mark.parametrize("number", [1, 5, 20])
@pytest.mark.parametrize("num_signals", [1, 2])
def test_interrupted_work_is_kept_and_nothing_is_asked_twice(
    argue_eval: Command, monkeypatch: pytest.MonkeyPatch, number: int, num_signals: int
) -> None:
    expected = _total(_asks(argue_eval, f"judge {TRACK} --store whole.store"), "judged")
    asked = _stopping_at(monkeypatch, number, num_signals)
    ran = argue_eval(JUDGE)
    assert ran.code == 130
    assert "run the same command again" in ran.err
    num_kept = number if num_signals == 1 else number - 1
    assert len(asked) == number
    asked.clear()
    _asks(argue_eval)
    assert len(asked) == expected - num_kept
    assert exported(argue_eval, "x.store") == exported(argue_eval, "whole.store")


def test_interrupted_score_prints_no_score(
    argue_eval: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stopping_at(monkeypatch, 3, 1)
    ran = argue_eval(f"score {TRACK} --store x.store -o out")
    assert (ran.code, ran.out) == (130, "")
    assert not list(Path("out").glob("*"))


@pytest.mark.parametrize(
    "command",
    [
        "judge alpha.jsonl nuggets.json --store x.store",
        "judge alpha.jsonl nuggets.json --store x.store --dry-run",
        "judge alpha.jsonl nuggets.json --store x.store --dry-run --judge llm:m",
        "judge alpha.jsonl nuggets.json --store x.store --batch-out b --judge llm:m",
        "score alpha.jsonl nuggets.json -m sentence_precision",
        "score alpha.jsonl nuggets.json -m support",
        "explain outcome alpha.jsonl nuggets.json --topic t1 --sentence 2",
    ],
)
def test_without_document_texts_every_command_names_the_option_that_has_them(
    argue_eval: Command, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    ran = argue_eval(command)
    assert "no document text" in ran.err
    assert "fix: give the documents that are cited: --collection FILE|irds:ID" in ran.err
    assert "run the same command again to continue" not in ran.err
    assert "no document text" not in argue_eval(f"{command} --collection documents.jsonl").err


def test_what_a_judge_does_not_know_is_open_and_exit_code_4(argue_eval: Command) -> None:
    ran = argue_eval("judge alpha.jsonl nuggets.json --store x.store")
    assert ran.code == 4
    assert "x support, judge lexical@" in ran.err
    assert "To run the same command again does not help" in ran.err
    last = ran.out.splitlines()[-1].split()
    assert last[0] == "all"
    assert int(last[5]) > 0


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[model]\nprompt = 1", "expected prompt and reply"),
        ("[model]\nprompt = 1\nreply = -1", "numbers of 0 or more"),
        ("[model]\nprompt = 1\nreply = nan", "numbers of 0 or more"),
        ("[model]\nprompt = true\nreply = 1", "numbers of 0 or more"),
        ("[model]\nprompt = 1\nreply = 1\nother = 1", "expected prompt and reply"),
        ("model = 3", "expected prompt and reply"),
        ("[model", "not TOML"),
    ],
)
def test_wrong_prices_are_told(argue_eval: Command, text: str, what: str) -> None:
    Path("prices.toml").write_text(text)
    ran = argue_eval(f"{JUDGE} --max-cost 1 --prices prices.toml")
    assert (ran.code, ran.out) == (1, "")
    assert what in ran.err
    assert "prices.toml" in ran.err
    assert "fix:" in ran.err


@pytest.mark.parametrize(
    "options",
    [
        "--judge none",
        "--max-cost 3",
        "--executor ray --max-calls 3",
        "--executor cloud",
        "--prompting some",
        "--device abacus",
        "--timeout nan",
        "--repeat 3",
        "--prompting single --support-judge none",
        "--canary",
        "--prompts .",
        "--max-cost nan",
        "--shard=",
    ],
)
def test_settings_that_cannot_be_are_usage_errors(argue_eval: Command, options: str) -> None:
    ran = argue_eval(f"{JUDGE} {options}")
    assert (ran.code, ran.out) == (2, "")
    assert not Path("x.store").exists()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ("--probe 3", "--probe needs --dry-run"),
        ("--dry-run --batch-out b.jsonl", "--dry-run and --batch-out"),
        ("--batch-in r.jsonl --batch-out b.jsonl", "--batch-out and --batch-in"),
        ("--batch-out b.jsonl --max-calls 3", "--max-calls and --max-cost"),
        ("--batch-in r.jsonl --executor ray", "--executor ray"),
        ("--batch-out b.jsonl --json", "--json"),
        ("--batch-out=", "found an empty text"),
        ("--batch-out ./alpha.jsonl", "which is read"),
        ("--batch-out x.store", "which is read"),
        ("--batch-in - --judgments -", "only one input can be standard input"),
    ],
)
def test_options_that_would_do_nothing_are_usage_errors(
    argue_eval: Command, options: str, what: str
) -> None:
    ran = argue_eval(f"{JUDGE} --judge llm:model {options}")
    assert ran.code in (2, 3)
    assert what in ran.err
    assert not {"x.store", "b.jsonl"} & {path.name for path in Path().iterdir()}


def test_limits_may_stand_beside_a_dry_run(argue_eval: Command) -> None:
    assert argue_eval(f"{JUDGE} --dry-run --max-calls 3").code == 0


def test_settings_of_language_models_need_one_in_score_too(argue_eval: Command) -> None:
    ran = argue_eval(f"score {TRACK} --repeat 3 --support-judge none")
    assert (ran.code, ran.out) == (2, "")
    assert "--repeat is for judges llm:MODEL" in ran.err


def test_what_a_thread_prints_at_the_end_is_no_part_of_the_result(
    argue_eval: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the log of a cluster, which comes a while after its workers have ended."""

    def write(text: str) -> int:
        if threads:
            (thread := threads.pop()).start()
            thread.join()
        return plainly(text)

    threads = [Thread(target=print, args=["(pid=7) done"])]
    plainly = sys.stdout.write
    monkeypatch.setattr(sys.stdout, "write", write)
    ran = argue_eval(f"{JUDGE} --json")
    assert json.loads(ran.out)["asks"]
    assert "(pid=7) done" in ran.err
