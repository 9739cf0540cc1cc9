"""Runs cases with one source tree, in one process: ``benchmarks.unchanged.worker TREE INPUTS``.

The commands of a case are a JSON line on standard input, its outcome is one on standard output.
Each case has a fresh folder with the inputs, and its commands run in that folder.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.unchanged.model import answer, answer_batch
from tests.chat_server import ChatServer

Run = Callable[[list[str]], int]

STORE_ENDINGS = (".store", ".store-wal", ".store-shm")
_CODE = re.compile(r"(<<<\w+ )[0-9a-f]{10}>>>")
"""A delimiter in a prompt, with a code that nobody can guess."""

_TIME = re.compile(r'^(first\t| "first": "|last\t| "last": ")[0-9-]+T[0-9:]+Z', re.MULTILINE)
"""When the first or the last judgment of a store was made, in `store info`."""

_TERMINAL = {"COLUMNS": "100", "LINES": "30"}


class Step(NamedTuple):
    """What one command did; `end` is the exit code, or the exception that came out."""

    command: str
    end: str
    stdout: str
    stderr: str


def main() -> None:
    """Runs all cases on standard input."""
    tree, inputs = (Path(each).resolve() for each in sys.argv[1:])
    sys.path.insert(0, str(tree))
    from argue_eval.cli import app

    if not str(Path(app.__file__).resolve()).startswith(f"{tree}{os.sep}"):
        raise SystemExit(f"{app.__file__} is not from {tree}")
    out = sys.stdout
    with tempfile.TemporaryDirectory() as name, ChatServer(answer) as server, server.environment():
        base = Path(name).resolve()
        os.environ.update(_TERMINAL)
        replaced = {
            str(base / "case"): "<folder>",
            str(inputs): "<inputs>",
            str(tree): "<sources>",
            server.url: "<server>",
        }
        for line in sys.stdin:
            outcome = _outcome(app.run, json.loads(line), base / "case", inputs)
            out.write(_without_places(json.dumps(outcome), replaced) + "\n")
            out.flush()


def _without_places(text: str, replaced: Mapping[str, str]) -> str:
    """Returns an outcome without the paths and the port that differ between any two processes."""
    for place, name in replaced.items():
        text = text.replace(place, name)
    return text


def _outcome(run: Run, commands: list[str], folder: Path, inputs: Path) -> dict[str, Any]:
    """Returns what the commands of a case printed and wrote."""
    folder.mkdir()
    for each in inputs.iterdir():
        (folder / each.name).symlink_to(each)
    os.chdir(folder)
    try:
        steps = [_step(run, command) for command in commands]
        stores = sorted(path.relative_to(folder) for path in _written(folder, (".store",)))
        for store in stores:
            # Its bytes depend on when it was written; what it says does not.
            steps += [_step(run, f"store {what} {store}") for what in ("info", "export")]
        files = {str(path.relative_to(folder)): _content(path) for path in _written(folder)}
    finally:
        os.chdir(inputs)
        shutil.rmtree(folder)
    return {"steps": steps, "files": files}


def _written(folder: Path, endings: tuple[str, ...] = ()) -> Iterator[Path]:
    """Yields the files with these endings; by default, all that are not of a store."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            is_meant = name.endswith(endings) if endings else not name.endswith(STORE_ENDINGS)
            if is_meant:
                yield Path(parent) / name


def _content(path: Path) -> str:
    """Returns a file's content, unpacked: the head of a packed one has the time of packing."""
    import gzip

    raw = path.read_bytes()
    return _text(gzip.decompress(raw) if path.suffix == ".gz" else raw)


def _text(raw: bytes) -> str:
    """Returns a text without the random codes of prompts."""
    return _CODE.sub(r"\1code>>>", raw.decode("utf-8", "backslashreplace"))


def _step(run: Run, command: str) -> Step:
    """Returns what one command does. `< FILE` at its end is its standard input.

    `answer-batch CALLS REPLIES` is no command of the program: the scripted model answers a batch.
    """
    if command.startswith("answer-batch "):
        _, calls, replies = command.split()
        answer_batch(Path(calls), Path(replies))
        return Step(command, "0", "", "")
    line, _, source = command.partition(" < ")
    stdin = io.BytesIO(Path(source).read_bytes() if source else b"")
    stdout, stderr = io.BytesIO(), io.BytesIO()
    kept = sys.stdin, sys.stdout, sys.stderr
    streams = (
        io.TextIOWrapper(stdin, "utf-8"),
        io.TextIOWrapper(stdout, "utf-8", newline="", write_through=True),
        io.TextIOWrapper(stderr, "utf-8", "backslashreplace", "", write_through=True),
    )
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        with warnings.catch_warnings():
            end = str(run(shlex.split(line)))
    except Exception as exc:
        end = f"{type(exc).__name__}: {exc}"
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
        for stream in streams:
            stream.detach()  # or it would close what it wrote to
    printed = _text(stdout.getvalue())
    if line.startswith("store info"):
        printed = _TIME.sub(r"\1<time>", printed)
    return Step(command, end, printed, _text(stderr.getvalue()))


if __name__ == "__main__":
    main()
