"""Judges on a Ray cluster of two nodes on this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from argue_eval.errors import MissingResourceError
from argue_eval.judges import Settings, cluster
from argue_eval.judges.limits import Limits
from argue_eval.judges.llm import judge as llm
from argue_eval.records import Kind, Question, Reply
from tests import tiny_track
from tests.chat_server import Answer, ChatServer, Received, fails
from tests.golden.cases import run
from tests.oracle import oracle

ray = pytest.importorskip("ray")
NAME = "llm:model"
QUESTIONS = [
    Question(
        kind=Kind.NEGATIVE,
        topic_id=f"t{topic}",
        text=f"Nothing is known of house {number} in street {topic}.",
    )
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
    return cluster.Spread(llm.create("model", (), settings), NAME, settings)


def _alone() -> dict[int, Reply]:
    judge = llm.create("model", (), Settings(prompting="single", concurrency=8))
    return {reply.index: reply for reply in judge.answer(QUESTIONS)}


def _replies(replies: Iterator[Reply]) -> dict[int, Reply]:
    found: dict[int, Reply] = {}
    for reply in replies:
        assert reply.index not in found, "answered twice"
        assert reply.raw
        found[reply.index] = reply
    return found


def _losing(replies: Iterator[Reply], lose: Callable[[], None]) -> Iterator[Reply]:
    for number, reply in enumerate(replies):
        if number == 50:
            lose()
        yield reply


def test_lost_workers_and_nodes_are_replaced_and_the_replies_are_those_of_one_process(
    two_nodes: Any,
) -> None:
    expected = _alone()
    assert len(expected) == len(QUESTIONS)
    spread = _spread()
    lose_worker = _losing(spread.answer(QUESTIONS), lambda: ray.kill(spread.workers[-1]))
    assert _replies(lose_worker) == expected
    assert len(spread.workers) == 3
    other = two_nodes.list_all_nodes()[-1]
    lose_node = partial(two_nodes.remove_node, other, allow_graceful=False)
    assert _replies(_losing(_spread().answer(QUESTIONS), lose_node)) == expected


def test_halted_workers_finish_what_is_in_flight(two_nodes: Any) -> None:
    limits = Limits()
    settings = Settings(prompting="single", concurrency=2, limits=limits)
    judge = cluster.Spread(llm.create("slow", (), settings), "llm:slow", settings)
    replies = judge.answer(QUESTIONS)
    found = [next(replies)]
    limits.halt("interrupted")
    found += replies
    assert 0 < len(found) < 20  # not all of the part that a worker had begun
    assert all(reply.verdict for reply in found)
    assert limits.num_calls == len(found)


def test_judge_that_no_worker_can_make_is_an_error(two_nodes: Any, tmp_path: Path) -> None:
    settings = Settings()
    judge = llm.create("model", (), settings)
    there_is_none = cluster.Spread(judge, f"llm:hf:{tmp_path}/none", settings)
    with pytest.raises(MissingResourceError, match="no worker can make the judge") as told:
        list(there_is_none.answer(QUESTIONS))
    assert "\n" not in str(told.value)
    other = cluster.Spread(judge, "llm:another", settings)
    with pytest.raises(MissingResourceError, match=r"a worker's judge is llm@.*/another/"):
        list(other.answer(QUESTIONS))


def test_error_of_a_worker_is_raised_as_that_of_one_process(two_nodes: Any) -> None:
    settings = Settings()
    judge = llm.create("refused", (), settings)
    with pytest.raises(MissingResourceError) as alone:
        list(judge.answer(QUESTIONS))
    with pytest.raises(MissingResourceError) as spread:
        list(cluster.Spread(judge, "llm:refused", settings).answer(QUESTIONS))
    assert str(spread.value) == str(alone.value)


def test_command_gives_the_same_judgments_with_and_without_a_cluster(
    two_nodes: Any, files: tiny_track.Files
) -> None:
    # What the nodes log is in stderr too.
    judge = (
        "judge alpha.jsonl beta.jsonl nuggets.json --requests requests.jsonl --collection "
        "documents.jsonl --judge llm:model --json"
    )
    told = []
    for name, executor in (("one", "local"), ("two", "ray")):
        command = f"{judge} --store {name}.store --executor {executor}"
        code, out, _ = run(command, Path.cwd())
        assert code == 0
        told.append(json.loads(out))
        assert run(f"store export {name}.store -o {name}.jsonl", Path.cwd())[0] == 0
    assert told[0]["asks"] == told[1]["asks"]
    assert 0 < told[0]["calls"] <= told[1]["calls"]  # a part of the work is a topic
    one, two = (sorted(Path(f"{name}.jsonl").read_text().splitlines()) for name in ("one", "two"))
    assert one == two
