"""Whatever a server does, a command ends in time, in little memory, and keeps no secret."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from argue_eval.errors import MissingResourceError
from argue_eval.judges import Settings
from argue_eval.judges.clients import chat
from argue_eval.judges.limits import Limits
from argue_eval.judges.llm.judge import create
from argue_eval.records import Verdict
from tests.chat_server import ChatServer
from tests.cli.conftest import Command
from tests.curation.track import claim, write, write_nuggets
from tests.fuzz.budget import is_fuzzing
from tests.fuzz.servers import (
    COMPLETION,
    GOOD,
    IN_THE_BODY,
    KEY,
    ON_THE_WIRE,
    PASSWORD,
    SECRETS,
    Behaviour,
    answered,
)
from tests.fuzz.values import damaged, spoiled_often
from tests.judges.asking import answers
from tests.tiny_track import Files

MAX_SECONDS = 20
MAX_MEGABYTES = 300
JUDGE = (
    "judge alpha.jsonl nuggets.json --requests requests.jsonl --collection documents.jsonl "
    "--judge llm:m --store judgments.store --timeout 0.5 --max-calls 6"
)
FILTER = (
    "curate filter points.json --requests questions.jsonl --model m -o kept.json "
    "--timeout 0.5 --max-calls 6"
)
BAD = {**ON_THE_WIRE, **IN_THE_BODY}


@pytest.fixture(autouse=True)
def _impatient(files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two attempts, and both tracks in the working directory."""
    patience = chat.Patience(max_attempts=2, first_pause=0.01, longest_asked_pause=0.05)
    monkeypatch.setattr(chat, "PATIENCE", patience)
    write(tmp_path)
    write_nuggets(q1=[claim("q1-p1", "fire"), claim("q1-p2", "baker")], q2=[claim("q2-p1", "rye")])


def check(argue_eval: Command, behaviour: Behaviour, command: str) -> int:
    """Runs a command and returns its exit code; everything that must hold for any server holds."""
    started, before = time.monotonic(), _peak()
    with ChatServer(behaviour) as server, pytest.MonkeyPatch.context() as patch:
        url = server.url.replace("http://", f"http://user:{PASSWORD}@")
        patch.setenv("OPENAI_BASE_URL", url)
        patch.setenv("OPENAI_API_KEY", KEY)
        ran = argue_eval(*command.split())
    assert time.monotonic() - started < MAX_SECONDS
    assert _peak() - before < MAX_MEGABYTES
    assert ran.code in (0, 1, 2, 3, 4), ran
    told = ran.out + ran.err
    assert all(line.isprintable() for line in told.replace("\t", " ").splitlines()), told
    assert len(told) < 20_000
    kept = b"".join(path.read_bytes() for path in Path().iterdir() if path.is_file())
    for secret in SECRETS:
        assert secret not in told
        assert secret.encode() not in kept
    return ran.code


def _peak() -> float:
    """The most memory of this process so far, in megabytes."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def verdicts(argue_eval: Command) -> list[str]:
    """The lines of the store, if there is one."""
    return argue_eval("store", "export", "judgments.store").out.splitlines()


def test_there_are_enough_behaviours() -> None:
    assert len(BAD) + len(GOOD) >= 60


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_answer_gives_no_verdict_and_ends(name: str, argue_eval: Command) -> None:
    assert check(argue_eval, BAD[name], JUDGE) in (3, 4)
    assert verdicts(argue_eval) == []


@pytest.mark.parametrize("name", GOOD)
def test_what_is_an_answer_is_read_whatever_else_is_odd(name: str, argue_eval: Command) -> None:
    assert check(argue_eval, GOOD[name], JUDGE) in (0, 4)
    assert verdicts(argue_eval)


# The client is that of the judge: in the tests every third bad behaviour, in `make fuzz` all.
@pytest.mark.parametrize("name", [*list(BAD)[:: 1 if is_fuzzing else 3], *GOOD])
@pytest.mark.hypothesis
def test_a_filter_keeps_what_it_could_not_ask_about(name: str, argue_eval: Command) -> None:
    code = check(argue_eval, {**BAD, **GOOD}[name], FILTER)
    assert code in (0, 3, 4)
    if name in BAD:
        assert code != 0
        assert not Path("kept.json").exists() or "score" not in Path("kept.json").read_text()


@st.composite
def any_answer(draw: st.DrawFn) -> Behaviour:
    """A completion with anything in any of its places, or damaged, sent in some way."""
    text = json.dumps(draw(spoiled_often([COMPLETION]))).encode()
    if draw(st.booleans()):
        text = draw(damaged([text]))
    return answered(
        text,
        draw(st.sampled_from([200, 200, 200, 201, 204, 304, 307, 400, 401, 413, 422, 429, 503])),
        draw(st.sampled_from(["", "", "gzip", "deflate", "br"])),
        is_chunked=draw(st.booleans()),
        claimed=draw(st.sampled_from([0, 1, 1, 1, 2])),
    )


@settings(suppress_health_check=list(HealthCheck))
@given(behaviour=any_answer())
def test_any_answer_is_a_verdict_or_a_reason(behaviour: Behaviour) -> None:
    with ChatServer(behaviour) as server, server.environment():
        judge = create("m", (), Settings(timeout=0.5, limits=Limits(max_calls=4)))
        try:
            replies = list(judge.answer([answers("When?", "in 1912", "A fire took it in 1912.")]))
        except MissingResourceError:
            return
    for reply in replies:
        assert reply.verdict is Verdict.YES or reply.reason
