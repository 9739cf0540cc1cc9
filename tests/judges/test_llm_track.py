"""The example track judged by a server that fails in every way, until all is judged."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from argue_eval.judges.clients import chat
from tests.chat_server import CUT, HANG, RESET, Answer, ChatServer, Received, fails, says
from tests.cli.conftest import Command, Ran
from tests.oracle import oracle

ROOT = Path(__file__).parents[2]
TRACK = [
    str(ROOT / name) for name in ("runs/careful.jsonl", "runs/sparse.jsonl", "qrels/example.json")
]
TEXTS = [
    *("--requests", str(ROOT / "topics" / "example.jsonl")),
    *("--collection", str(ROOT / "collection" / "example.jsonl")),
]


def _whole(answer: Answer) -> str:
    return str(json.loads(answer.body)["choices"][0]["message"]["content"])


FAULTS: list[Callable[[Answer], Answer]] = [
    lambda right: fails(429, "slow down", retry_after="0.01"),
    lambda right: fails(500, "broken"),
    lambda right: RESET,
    lambda right: HANG,
    lambda right: CUT,
    lambda right: fails(400, "maximum context length exceeded"),
    lambda right: says(_whole(right)[: len(_whole(right)) // 2]),
    lambda right: says(""),
    lambda right: says(None, refusal="I can't."),
    lambda right: says(_whole(right), "length"),
    lambda right: says(_whole(right), "content_filter"),
    lambda right: says(re.sub("yes|no", "maybe", _whole(right))),
    lambda right: says(_whole(right).replace('"1"', '"77"')),
    lambda right: says(f"[{_whole(right)}, {_whole(right)}]"),
    lambda right: says("All of them are fine: yes."),
    lambda right: says(f"As you wish:\n```json\n{_whole(right)}\n```"),  # a right reply, dressed up
]


def _exported(store: Path, argue_eval: Command) -> dict[tuple[str, ...], str]:
    """The verdicts in a store, by what they are about."""
    ran = argue_eval("store", "export", str(store))
    assert ran.code == 0
    names = (
        *("topic_id", "kind", "sentence", "run_id"),
        *("sentence_index", "doc_id", "nugget_id", "answer"),
    )
    lines = map(json.loads, ran.out.splitlines())
    return {tuple(str(line.get(name)) for name in names): line["verdict"] for line in lines}


def test_whatever_fails_no_verdict_is_wrong_and_all_are_made_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argue_eval: Command
) -> None:
    def judge(store: Path, timeout: str) -> Ran:
        options = ["--judge", "llm:m", "--store", str(store), "--timeout", timeout]
        return argue_eval("judge", *TRACK, *TEXTS, *options)

    monkeypatch.setattr(chat, "PATIENCE", chat.Patience(first_pause=0.005, max_attempts=2))
    with ChatServer(oracle) as server, server.environment():
        assert judge(tmp_path / "calm.store", "60").code == 0
        num_calls = len(server.received)
    right = _exported(tmp_path / "calm.store", argue_eval)

    drawn = Random(4)
    plan = [drawn.choice(FAULTS) if drawn.random() < 0.5 else None for _ in range(2000)]

    def failing(received: Received) -> Answer:
        fault = plan[received.number]
        return oracle(received) if fault is None else fault(oracle(received))

    store = tmp_path / "stormy.store"
    with ChatServer(failing) as server, server.environment():
        table = judge(store, "0.5")
        codes = [table.code]
        first = _exported(store, argue_eval)
        assert first.items() <= right.items(), "no fault became a verdict"
        assert 0 < len(first) < len(right)
        while codes[-1] == 4 and len(codes) < 12:
            codes.append(judge(store, "0.5").code)
    assert codes[0] == 4
    assert codes[-1] == 0
    assert _exported(store, argue_eval) == right
    assert num_calls > 30
    numbers = next(line for line in table.out.splitlines() if line.startswith("all")).split()
    _, _, asked, *ends = numbers
    assert int(asked) == sum(map(int, ends)), "asked = found + judged + failed + skipped"
    assert int(ends[2]) > 0
    assert "x " in table.err, "why asks are open is told"


@pytest.mark.parametrize("command", ["judge", "score"])
def test_a_key_that_is_refused_stops_a_command_with_one_error_and_what_is_judged_is_kept(
    command: str, tmp_path: Path, argue_eval: Command
) -> None:
    def expiring(received: Received) -> Answer:
        return oracle(received) if received.number < 5 else fails(401, "expired")

    store = tmp_path / "judgments.store"
    options = ["--judge", "llm:m", "--store", str(store), "--concurrency", "1"]
    with ChatServer(expiring) as server, server.environment("sk-secret"):
        told = argue_eval(command, *TRACK, *TEXTS, *options)
        assert (told.code, len(server.received)) == (3, 6)
    assert told.err.count("refuses the key in OPENAI_API_KEY") == 1
    assert "sk-secret" not in told.err
    assert told.out == ""
    assert len(_exported(store, argue_eval)) >= 5
