"""What tests of haystacks share: a topic in the working directory, the command, what it made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import Script, says
from tests.cli.conftest import Command, Ran
from tests.curation import track
from tests.curation.haystack_server import SHAPE, TOPIC, Asked, HaystackServer, Plant, insights

HAYSTACK = f"curate haystack topics.jsonl --model m -o haystack.json {SHAPE}"
FIRST = insights(1)[0]["insight"]


def run(argue_eval: Command, server: Script, command: str = HAYSTACK) -> Ran:
    return track.run(argue_eval, server, command)[0]


def read(path: str = "haystack.json") -> dict[str, Any]:
    value: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return value


def texts(haystack: dict[str, Any]) -> dict[str, str]:
    """The insights by their ids."""
    return {
        each["insight_id"]: each["insight"]
        for theme in haystack["subtopics"]
        for each in theme["insights"]
    }


def without_first(argue_eval: Command) -> str:
    """A document that does not mention the first insight; its kept replies are forgotten."""
    run(argue_eval, HaystackServer())
    found = next(
        each["document_id"]
        for each in read()["documents"]
        if FIRST not in each["document_text"]
        and any(name in each["document_text"] for name in ("Okafor", "Sorrel"))
    )
    Path("haystack.json.replies.jsonl").unlink()
    return str(found)


def answers(reply: Any) -> Plant:
    """The same reply whatever is right."""
    return lambda asked, right: says(json.dumps(reply))


def check_gold(haystack: dict[str, Any]) -> None:
    """A document includes what its text says, by comparison of strings."""
    for each in haystack["documents"]:
        said = [key for key, text in texts(haystack).items() if text in each["document_text"]]
        assert sorted(each["insights_included"]) == sorted(said), each


def proposed(step: str, reply: Any, **wanted: str) -> Plant:
    """The reply to the first call of a step whose lines are as wanted."""
    done: list[Asked] = []

    def plant(asked: Asked, right: str) -> Any:
        is_meant = all(asked.texts(label) == [text] for label, text in wanted.items())
        if asked.step != step or done or not is_meant:
            return None
        done.append(asked)
        value = reply(json.loads(right)) if callable(reply) else reply
        return says(json.dumps(value))

    return plant


@pytest.fixture
def topics(folder: Path) -> None:
    Path("topics.jsonl").write_text(json.dumps(TOPIC) + "\n")
