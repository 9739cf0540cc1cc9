"""The real command line, run in this process on the tiny track."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from argue_eval.cli import app
from tests import tiny_track
from tests.chat_server import ChatServer
from tests.oracle import oracle


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed as JSON, since nothing was wrong."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    def value(self, measure: str, topic_id: str = "all") -> str:
        """What it printed for a measure, in trec_eval's layout."""
        found = [line.split("\t") for line in self.out.splitlines()]
        return next(
            value for name, topic, value in found if name.strip() == measure and topic == topic_id
        )


Command = Callable[..., Ran]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tiny_track.Files:
    """The tiny track in the working directory."""
    tiny_track.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tiny_track.Files(
        "alpha.jsonl",
        "beta.jsonl",
        "nuggets.json",
        "requests.jsonl",
        "documents.jsonl",
        "assessors.judgments.jsonl",
    )


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Puts bytes into standard input."""
    return lambda content: monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(content)))


def exported(argue_eval: Command, store: object) -> list[str]:
    """The judgments of a store as lines in a fixed order."""
    assert argue_eval("store", "export", f"{store}", "-o", f"{store}.jsonl").code == 0
    return sorted(Path(f"{store}.jsonl").read_text("utf-8").splitlines())


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A language model that always answers the same."""
    with ChatServer(oracle) as chat_server, chat_server.environment():
        yield chat_server


@pytest.fixture
def argue_eval(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command line: options as one string, or as several."""

    def command(*args: str) -> Ran:
        words = args[0].split() if len(args) == 1 else list(args)
        code = app.run(words)
        out, err = capsys.readouterr()
        assert not re.search("\x1b|Traceback", out + err)
        return Ran(code, out, err)

    return command
