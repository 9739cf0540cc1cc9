"""Judges on a Ray cluster of two nodes on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from threading import Event
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
from tests.documented import ROOT
from tests.golden.cases import run
from tests.oracle import oracle

ray = pytest.importorskip("ray")
Call = Callable[..., Any]
_CLUSTERS: list[Any] = []
"""The cluster, in the process that started it."""
_WHEN_ASKED: dict[str, Callable[[], Any]] = {}
"""What is done once, when the server gets the next request."""
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
    if then := _WHEN_ASKED.pop("next", None):
        then()
    if request.body["model"] == "refused":
        return fails(401, "wrong key")
    return oracle(request, delay=0.5 if request.body["model"] == "slow" else 0.05)


@pytest.fixture(scope="module")
def apart(server: ChatServer) -> Iterator[Call]:
    """Calls functions in a process of its own, which is connected to a cluster of two nodes.

    From Python 3.13 on, processes that are forked later, for other tests, would die of what is
    left of the cluster: they drop what is to be done at exit, and Ray's clients along with it.
    """
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    with mock.patch.dict(os.environ, quiet), get_context("spawn").Pool(1) as process:

        def call(function: Callable[..., Any], *args: Any) -> Any:
            return process.apply_async(function, args).get(timeout=120)

        try:
            call(_start)
        except Exception as exc:
            pytest.skip(f"no Ray cluster can be started here: {exc}")
        yield call
        call(_stop)


def _start() -> None:
    """Starts two nodes that have room for one worker each, and connects Ray to them."""
    from ray.cluster_utils import Cluster

    _CLUSTERS.append(Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "num_gpus": 0}))
    ray.init(address=_add_node(), logging_level="error", log_to_driver=False)


def _add_node() -> str:
    """Adds a node that has room for one worker; the cluster's address."""
    _CLUSTERS[-1].add_node(num_cpus=1, num_gpus=0)
    return str(_CLUSTERS[-1].address)


def _stop() -> None:
    ray.shutdown()
    _CLUSTERS.pop().shutdown()


def _spread(name: str = "llm:model", model: str = "model") -> cluster.Spread:
    settings = Settings(prompting="single", concurrency=2, limits=Limits())
    return cluster.Spread(llm.create(model, (), settings), name, settings)


def _judged(*names: str) -> list[Reply]:
    return list(_spread(*names).answer(QUESTIONS))


def _judged_with_loss(lose: Callable[[cluster.Spread], None]) -> tuple[list[Reply], int]:
    """The replies, in the order of the questions, and how many workers were started."""
    spread = _spread()
    replies = []
    for number, reply in enumerate(spread.answer(QUESTIONS)):
        if number == 50:
            lose(spread)
        replies.append(reply)
    return sorted(replies), len(spread.workers)


def _lose_worker(spread: cluster.Spread) -> None:
    ray.kill(spread.workers[-1])


def _lose_node(_: cluster.Spread | None = None) -> None:
    nodes = _CLUSTERS[-1]
    nodes.remove_node(nodes.list_all_nodes()[-1], allow_graceful=False)


def _lose_node_and_hear_of_it() -> None:
    """Returns when Ray has reported to its clients, which print it, that a node is lost."""
    is_told = Event()
    with redirect_stdout(mock.Mock(write=lambda _: is_told.set())):
        _lose_node()
        assert is_told.wait(60)


def _halted() -> tuple[list[Reply], int]:
    """The replies of a judge that is halted at the first, and how many calls it made."""
    limits = Limits()
    settings = Settings(prompting="single", concurrency=2, limits=limits)
    judge = cluster.Spread(llm.create("slow", (), settings), "llm:slow", settings)
    replies = judge.answer(QUESTIONS)
    found = [next(replies)]
    limits.halt("interrupted")
    return [*found, *replies], limits.num_calls


def test_lost_workers_and_nodes_are_replaced_and_the_replies_are_those_of_one_process(
    apart: Call,
) -> None:
    alone = llm.create("model", (), Settings(prompting="single", concurrency=8))
    expected = sorted(alone.answer(QUESTIONS))
    assert all(reply.raw for reply in expected)
    assert len(expected) == len(QUESTIONS)
    assert apart(_judged_with_loss, _lose_worker) == (expected, 3)
    assert apart(_judged_with_loss, _lose_node)[0] == expected


def test_halted_workers_finish_what_is_in_flight(apart: Call) -> None:
    found, num_calls = apart(_halted)
    assert 0 < len(found) < 20  # not all of the part that a worker had begun
    assert all(reply.verdict for reply in found)
    assert num_calls == len(found)


def test_judge_that_no_worker_can_make_is_an_error(apart: Call, tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError, match="no worker can make the judge") as told:
        apart(_judged, f"llm:hf:{tmp_path}/none")
    assert "\n" not in str(told.value)
    with pytest.raises(MissingResourceError, match=r"a worker's judge is llm@.*/another/"):
        apart(_judged, "llm:another")


def test_error_of_a_worker_is_raised_as_that_of_one_process(apart: Call) -> None:
    with pytest.raises(MissingResourceError) as alone:
        list(llm.create("refused", (), Settings()).answer(QUESTIONS))
    with pytest.raises(MissingResourceError) as spread:
        apart(_judged, "llm:refused", "refused")
    assert str(spread.value) == str(alone.value)


def test_command_gives_the_same_judgments_on_a_cluster_that_loses_a_node(
    apart: Call, files: tiny_track.Files
) -> None:
    address = apart(_add_node)
    judge = (
        "judge alpha.jsonl beta.jsonl nuggets.json --requests requests.jsonl --collection "
        "documents.jsonl --judge llm:model --json"
    )
    code, alone, _ = run(f"{judge} --store one.store", Path.cwd())
    assert code == 0
    _WHEN_ASKED["next"] = partial(apart, _lose_node_and_hear_of_it)
    ran = subprocess.run(
        [sys.executable, "-m", "argue_eval", *f"{judge} --store two.store --executor ray".split()],
        env={**os.environ, "PYTHONPATH": str(ROOT), "RAY_ADDRESS": address},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    one, two = json.loads(alone), json.loads(ran.stdout)  # without what Ray says of the node
    assert one["asks"] == two["asks"]
    assert 0 < one["calls"] <= two["calls"]  # a part of the work is a topic
    for name in ("one", "two"):
        assert run(f"store export {name}.store -o {name}.jsonl", Path.cwd())[0] == 0
    one, two = (sorted(Path(f"{name}.jsonl").read_text().splitlines()) for name in ("one", "two"))
    assert one == two
