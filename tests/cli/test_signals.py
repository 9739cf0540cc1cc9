"""A command that is stopped leaves nothing half-done, and ends with the code of the signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.documented import ROOT
from tests.judgments.asking import fill, numbered, replied

pytestmark = [
    pytest.mark.usefixtures("files"),
    pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals"),
]

# Sends itself a signal as soon as a module is looked for, and as soon as a file is complete and is
# to take its place.
STOPPED = """
import os, pathlib, signal, sys
number, module, *words = sys.argv[1:]
# nohup ignores the one, and a shell in the background the other.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
class Finder:
    def find_spec(self, name, *_):
        if name == module:
            os.kill(os.getpid(), int(number))
sys.meta_path.insert(0, Finder())
if module == "swallowed":
    import typer, weakref
    class Any: pass
    old, one = typer.Typer.__call__, Any()
    def call(self, *args, **named):
        gone = weakref.ref(one, lambda _: os.kill(os.getpid(), int(number)))
        globals().pop("one")
        for _ in iter(int, 1):
            pass
    typer.Typer.__call__ = call
if module == "-":
    pathlib.Path.chmod = lambda *_: os.kill(os.getpid(), int(number))
sys.argv = ["argue-eval", *words]
from argue_eval.__main__ import main
main()
"""


def _stopped(number: int, module: str, command: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", STOPPED, str(int(number)), module, *command.split()]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done


@pytest.mark.parametrize("module", ["argue_eval.cli.app", "typer", "argue_eval.cli.console"])
def test_interrupt_while_a_command_is_loaded_shows_no_traceback(module: str) -> None:
    done = _stopped(signal.SIGINT, module, "validate alpha.jsonl")
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_in_a_callback_is_not_lost(number: signal.Signals) -> None:
    done = _stopped(number, "swallowed", "validate alpha.jsonl")
    word = "interrupted" if number is signal.SIGINT else "terminated"
    assert (done.returncode, done.stderr) == (128 + number, f"argue-eval: {word}\n")


WRITING = [
    "convert alpha.jsonl --to rag --lossy -o out/new",
    "ingest qrels nuggets.json -o out/new",
    "segment text.md --topic t1 -o out/new",
    "store export x.store -o out/new.gz",
    "store verify x.store --repair out/new",
    "score alpha.jsonl nuggets.json --requests requests.jsonl --judge none -o out",
    "curate dedupe nuggets.json -o out/new",
]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("command", WRITING)
def test_stopped_command_leaves_no_file_and_says_why_it_ended(
    command: str, number: signal.Signals
) -> None:
    Path("text.md").write_text("It fell [d1].")
    fill("x.store", (numbered(1), replied()))
    Path("out").mkdir()
    done = _stopped(number, "-", command)
    assert done.returncode == 128 + number
    word = "interrupted" if number is signal.SIGINT else "terminated"
    assert done.stderr.splitlines()[-1] == f"argue-eval: {word}"
    assert list(Path("out").iterdir()) == []


@pytest.mark.parametrize("command", WRITING)
def test_killed_command_leaves_no_file_that_is_half_written(command: str) -> None:
    Path("text.md").write_text("It fell [d1].")
    fill("x.store", (numbered(1), replied()))
    Path("out").mkdir()
    assert _stopped(signal.SIGKILL, "-", command).returncode == -signal.SIGKILL
    assert [path.name for path in Path("out").iterdir() if path.name[0] != "."] == []


@pytest.mark.parametrize(
    "command", ["validate FILE", "score FILE nuggets.json", "convert FILE --to rag -o out"]
)
def test_input_that_cannot_be_read_is_named(argue_eval: Command, command: str) -> None:
    path = "/proc/self/mem"  # opens, and fails as soon as it is read
    if not Path(path).exists():
        pytest.skip("there is no such file here")
    ran = argue_eval(command.replace("FILE", path))
    assert (ran.code, f"{path}: cannot be read: Input/output error" in ran.err) == (3, True)
    assert not Path("out").exists()


@pytest.mark.parametrize("command", ["validate out", "leaderboard out", "report out -o x.html"])
def test_a_folder_that_cannot_be_read_is_named(
    argue_eval: Command, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    Path("out").mkdir()
    monkeypatch.setattr(Path, "iterdir", refuse)
    ran = argue_eval(command)
    assert (ran.code, "out: cannot be read: Permission denied" in ran.err) == (3, True)
