"""Judges on a Ray cluster of two nodes on this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from argue_eval.cli import app
from argue_eval.errors import MissingResourceError
from argue_eval.judges import Reply, Settings, cluster
from argue_eval.judges.limits import Limits
from argue_eval.judges.llm import judge as llm
from argue_eval.records import Ask, JudgeFailure, Kind
from tests import tiny_track
from tests.chat_server import Answer, ChatServer, Received, fails
from tests.oracle import oracle

ray = pytest.importorskip("ray")
NAME = "llm:model"
ASKS = [
    Ask(Kind.NEGATIVE, f"t{topic}", f"Nothing is known of house {number} in street {topic}.")
    for topic in range(8)
    for number in range(20)
]


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(_answer) as chat_server, chat_server.environment():
        yield chat_server


def _answer(request: Received) -> Answer:
    if request.body["model"] == "refused":
        return fails(401, "wrong key")
    return oracle(request, delay=0.5 if request.body["model"] == "slow" else 0.05)


@pytest.fixture(scope="module")
def two_nodes(server: ChatServer) -> Iterator[Any]:
    """A cluster of two nodes that have room for one worker each."""
    from ray.cluster_utils import Cluster

    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    with mock.patch.dict(os.environ, quiet):
        try:
            nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "num_gpus": 0})
        except Exception as exc:
            pytest.skip(f"no Ray cluster can be started here: {exc}")
        try:
            nodes.add_node(num_cpus=1, num_gpus=0)
            ray.init(address=nodes.address, logging_level="error", log_to_driver=False)
            yield nodes
        finally:
            ray.shutdown()
            nodes.shutdown()


def _spread(settings: Settings | None = None) -> cluster.Spread:
    settings = settings or Settings(prompting="single", concurrency=2)
    return cluster.spread(llm.create("model", (), settings), NAME, settings)


def _alone() -> dict[int, Any]:
    judge = llm.create("model", (), Settings(prompting="single", concurrency=8))
    return {reply.ask_index: reply.answer for reply in judge.judge(ASKS)}


def _answers(replies: Iterator[Reply]) -> dict[int, Any]:
    answers: dict[int, Any] = {}
    for reply in replies:
        assert reply.ask_index not in answers, "answered twice"
        assert reply.raw
        answers[reply.ask_index] = reply.answer
    return answers


def test_lost_workers_and_nodes_are_replaced_and_the_judgments_are_those_of_one_process(
    two_nodes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers: list[Any] = []
    make = cluster._Work._worker

    def made(work: cluster._Work) -> Any:
        workers.append(make(work))
        return workers[-1]

    monkeypatch.setattr(cluster._Work, "_worker", made)
    expected = _alone()
    assert len(expected) == len(ASKS)

    def losing(replies: Iterator[Reply], lose: Any) -> Iterator[Reply]:
        for number, reply in enumerate(replies):
            if number == 50:
                lose()
            yield reply

    assert _answers(losing(_spread().judge(ASKS), lambda: ray.kill(workers[-1]))) == expected
    assert len(workers) == 3
    workers.clear()

    other = two_nodes.list_all_nodes()[-1]

    lose = partial(two_nodes.remove_node, other, allow_graceful=False)
    assert _answers(losing(_spread().judge(ASKS), lose)) == expected


def test_halted_workers_finish_what_is_in_flight(two_nodes: Any) -> None:
    limits = Limits()
    settings = Settings(prompting="single", concurrency=2, limits=limits)
    judge = cluster.spread(llm.create("slow", (), settings), "llm:slow", settings)
    replies = judge.judge(ASKS)
    answers = dict([next(replies)[:2]])
    limits.halt("interrupted")
    answers.update(reply[:2] for reply in replies)
    assert 0 < len(answers) < 20  # not all of the part that a worker had begun
    assert not [each for each in answers.values() if isinstance(each, JudgeFailure)]
    assert limits.num_calls == len(answers)


def test_judge_that_no_worker_can_make_is_told(two_nodes: Any, tmp_path: Path) -> None:
    settings = Settings()
    judge = llm.create("model", (), settings)
    there_is_none = cluster.spread(judge, f"llm:hf:{tmp_path}/none", settings)
    with pytest.raises(MissingResourceError, match="no worker can make the judge") as told:
        list(there_is_none.judge(ASKS))
    assert "\n" not in str(told.value)
    other = cluster.spread(judge, "llm:another", settings)
    with pytest.raises(MissingResourceError, match=r"a worker's judge is llm@.*/another/"):
        list(other.judge(ASKS))


def test_error_of_a_worker_is_told_as_that_of_one_process(two_nodes: Any) -> None:
    settings = Settings()
    judge = llm.create("refused", (), settings)
    with pytest.raises(MissingResourceError) as alone:
        list(judge.judge(ASKS))
    with pytest.raises(MissingResourceError) as spread:
        list(cluster.spread(judge, "llm:refused", settings).judge(ASKS))
    assert str(spread.value) == str(alone.value)


def test_command_gives_the_same_judgments_with_and_without_a_cluster(
    two_nodes: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tiny_track.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    judge = (
        "judge alpha.jsonl beta.jsonl nuggets.json --requests requests.jsonl --collection "
        "documents.jsonl --judge llm:model --json"
    )
    told = []
    for name, executor in (("one", "local"), ("two", "ray")):
        more = f" --store {name}.store --executor {executor}"
        capsys.readouterr()
        assert app.run((judge + more).split()) == 0
        told.append(json.loads(capsys.readouterr().out))
        assert app.run(f"store export {name}.store -o {name}.jsonl".split()) == 0
    assert told[0]["asks"] == told[1]["asks"]
    assert 0 < told[0]["calls"] <= told[1]["calls"]  # a part of the work is a topic
    one, two = (sorted(Path(f"{name}.jsonl").read_text().splitlines()) for name in ("one", "two"))
    assert one == two
