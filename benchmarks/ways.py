"""How far one unit travels through the package: functions, files, and changes of file.

    python -m benchmarks.ways                 all ways, beside their targets
    python -m benchmarks.ways --list c        the functions of a way, in order of first call
    python -m benchmarks.ways --tree FOLDER   the ways through the package in another source tree

What is counted: each way is one command, run once, in a fresh process. Every call of a function
of the package counts, in all threads, from the parsing of the command line to the end, and so
does what imports call on their way. A function is a code object; lambdas are functions,
comprehensions, generator expressions and the bodies of modules and classes are not. A change of
file is a call in another file than that of the call before, whoever called; returns are not
counted. Only the way `d` is counted in part: while the store of judgments is open, that is from
the first call of `sqlite3.connect` to the last closing of such a connection, which leaves out what
reads the input and what prints.

`REFERENCE` has the figures from before the package was restructured, on CPython 3.11.
An earlier count, on slightly different input, gave 211 functions, 45 files and 255 changes of file
for `a`; 286, 58 and 410 for `c`; 151 functions in 27 files for `d`; and 113 in 27 for `e-wrong`.
"""

from __future__ import annotations

import argparse
import inspect
import io
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from benchmarks.measuring import REPOSITORY, print_table, print_title, verdict
from tests.chat_server import Answer, ChatServer, Received, verdicts

Json = Mapping[str, Any]

_DOC_ID = "123e4567-e89b-12d3-a456-426614174000_1"
_TEXT = "The mill was built in 1784."
_NOT_FUNCTIONS = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "<module>"})
_JUDGED = "score run.jsonl nuggets.json --judgments judgments.jsonl --judge none -m nugget_recall"


class Target(NamedTuple):
    """The most that a way may take; None where nothing is demanded."""

    functions: int
    files: int
    changes: int | None = None


class Way(NamedTuple):
    """A command, and what of it is counted.

    Attributes:
        is_in_store: only what happens while the store is open.
        exit_code: how the command must end.
    """

    what: str
    command: str
    target: Target | None = None
    is_in_store: bool = False
    exit_code: int = 0


WAYS = {
    "a": Way("one sentence, one measure, judged in a file", _JUDGED, Target(120, 28, 130)),
    "b": Way("the same, with documents", f"{_JUDGED} --collection documents.jsonl"),
    "c": Way(
        "documents and the lexical judge",
        "score run.jsonl nuggets.json --collection documents.jsonl -m nugget_recall",
    ),
    "d": Way(
        "one question to a language model",
        "judge run.jsonl nuggets.json --collection documents.jsonl --support-judge llm:test-model "
        "--nugget-judge none --sentence-judge none -m citation_support_micro --store judged.store",
        Target(90, 18),
        is_in_store=True,
    ),
    "e": Way(
        "one clean report, validated",
        "validate clean.jsonl --track ragtime26",
        Target(80, 18),
    ),
    "e-json": Way(
        "the same, as JSON",
        "validate clean.jsonl --track ragtime26 --json",
        Target(80, 18),
    ),
    "e-wrong": Way(
        "one report with an error and a warning",
        "validate run.jsonl --track ragtime26",
        Target(80, 18),
        exit_code=1,
    ),
}

REFERENCE = {
    "a": (212, 44, 265),
    "b": (217, 45, 297),
    "c": (296, 60, 431),
    "d": (154, 27, 103),
    "e": (100, 25, 66),
    "e-json": (95, 24, 63),
    "e-wrong": (112, 27, 92),
}
"""Functions, files and changes of file before the restructuring."""


class Call(NamedTuple):
    """A call of a function of the package."""

    file: str
    name: str
    line: int


def main(args: Sequence[str] = ()) -> None:
    """Walks and prints."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ways")
    parser.add_argument("--list", choices=WAYS, metavar="WAY", help="print a way's functions")
    parser.add_argument("--walk", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--tree", type=Path, default=REPOSITORY, metavar="FOLDER")
    options = parser.parse_args(args)
    if options.walk:
        print(json.dumps(_walk(WAYS[options.walk], options.tree.resolve())))
    elif options.list:
        _print_functions(_walked(options.list, options.tree))
    else:
        print_title("ways: how far one unit travels through the package")
        _print_ways(options.tree)


def _print_ways(tree: Path) -> None:
    rows = []
    for name, way in WAYS.items():
        found = _figures(_walked(name, tree))
        rows.append([f"{name}: {way.what}", *map(_with_before, found, REFERENCE[name])])
        rows[-1] += [_demanded(way.target), _met(found, way.target)]
    head = ["way", "functions", "files", "changes of file", "at most", "target"]
    print_table(head, rows)
    print("\nin brackets: before the package was restructured")


def _with_before(found: int, before: int) -> str:
    return f"{found} ({before})"


def _demanded(target: Target | None) -> str:
    return " / ".join(str(most) for most in target if most is not None) if target else ""


def _met(found: Sequence[int], target: Target | None) -> str:
    if target is None:
        return ""
    pairs = zip(found, target, strict=True)
    return verdict(all(most is None or number <= most for number, most in pairs))


def _figures(calls: Sequence[Call]) -> tuple[int, int, int]:
    """Returns the numbers of functions, of files, and of changes of file."""
    files = [call.file for call in calls]
    changes = sum(file != before for before, file in pairwise(files))
    return len(set(calls)), len(set(files)), changes


def _print_functions(calls: Sequence[Call]) -> None:
    rows = [
        [call.name, f"{call.file}:{call.line}", str(times)]
        for call, times in Counter(calls).items()
    ]
    print_table(["function", "file", "calls"], rows)
    print("\n{} functions, {} files, {} changes of file".format(*_figures(calls)))


def _walked(name: str, tree: Path) -> list[Call]:
    """Returns the calls of a way, walked in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.ways", "--walk", name, "--tree", str(tree)]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, check=True)
    return [Call(*each) for each in json.loads(done.stdout)]


class _Profile:
    """What is called, in all threads.

    Args:
        package: the folder whose functions count.
        is_in_store: whether only calls while an SQLite connection is open count.
    """

    def __init__(self, package: Path, is_in_store: bool) -> None:
        self._prefix = f"{package}{os.sep}"
        self._is_in_store = is_in_store
        self._calls: list[Call] = []
        self._start: int | None = None
        self._end = 0

    @property
    def calls(self) -> list[Call]:
        """Returns the calls that count."""
        return self._calls[self._start : self._end] if self._is_in_store else self._calls

    @contextmanager
    def running(self) -> Iterator[None]:
        """Takes note of calls."""
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "call" and self._is_counted(frame.f_code):
            code = frame.f_code
            name = getattr(code, "co_qualname", code.co_name)  # Python 3.10 has no co_qualname
            file = code.co_filename[len(self._prefix) :]
            self._calls.append(Call(file, name, code.co_firstlineno))
        elif event == "c_call" and arg is sqlite3.connect and self._start is None:
            self._start = len(self._calls)
        elif event == "c_call" and arg.__name__ == "close" and _is_of_connection(arg):
            self._end = len(self._calls)

    def _is_counted(self, code: CodeType) -> bool:
        is_body = not code.co_flags & inspect.CO_NEWLOCALS  # of a class or of a module
        is_ours = code.co_filename.startswith(self._prefix)
        return is_ours and not is_body and code.co_name not in _NOT_FUNCTIONS


def _is_of_connection(method: Any) -> bool:
    return isinstance(getattr(method, "__self__", None), sqlite3.Connection)


def _walk(way: Way, tree: Path) -> list[Call]:
    """Returns the calls of a way, which is run in this process."""
    sys.path.insert(0, str(tree))
    from argue_eval.cli import app

    profile = _Profile(tree / "argue_eval", way.is_in_store)
    with tempfile.TemporaryDirectory() as folder, ChatServer(_yes) as server, server.environment():
        _write_input(Path(folder))
        os.chdir(folder)
        stdout, stderr = io.StringIO(), io.StringIO()
        with redirect_stdout(stdout), redirect_stderr(stderr), profile.running():
            code = app.run(way.command.split())
        os.chdir(REPOSITORY)
        num_asked = len(server.received)
    if code != way.exit_code or num_asked != way.is_in_store:
        raise SystemExit(f"{way.command}: exit code {code}, {num_asked} asked\n{stderr.getvalue()}")
    return profile.calls


def _yes(request: Received) -> Answer:
    return verdicts(request.labels, "yes")


def _write_input(folder: Path) -> None:
    """Writes one nugget, one report of one cited sentence, a document, and the judgments."""
    answer = {"answer": "1784", "doc_ids": ["d1"]}
    nugget = {
        "nugget_id": "n1",
        "question": "When was the mill built?",
        "aggregator": "OR",
        "importance": "vital",
        "answers": [answer],
    }
    topic = {"topic_id": "t1", "nuggets": [nugget]}
    nuggets = {"format": "argue-eval/nuggets/1", "topics": [topic]}
    story = "The old mill at Harrow was built in 1784 by the brothers Lund."
    contents: dict[str, Sequence[Json]] = {
        "nuggets.json": [nuggets],
        "run.jsonl": [_report({}, ["d1"])],
        "clean.jsonl": [_report({"run_desc": "one report"}, {_DOC_ID: 0.5})],
        "documents.jsonl": [{"doc_id": "d1", "title": "The mill", "text": story}],
        "judgments.jsonl": [
            _judgment("answers", nugget_id="n1", answer="1784"),
            _judgment("support", doc_id="d1"),
        ],
    }
    for name, lines in contents.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")


def _report(metadata: Json, citations: Sequence[str] | Mapping[str, float]) -> Json:
    return {
        "metadata": {"team_id": "team", "run_id": "run", "topic_id": "t1", **metadata},
        "responses": [{"text": _TEXT, "citations": citations}],
        "references": list(citations),
    }


def _judgment(kind: str, **target: str) -> Json:
    judge = {"verdict": "yes", "judge": "assessor:A1"}
    return {"topic_id": "t1", "kind": kind, "sentence": _TEXT, **target, **judge}


if __name__ == "__main__":
    main(sys.argv[1:])
