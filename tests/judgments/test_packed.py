"""Judgments that were packed by the block say what they say one by one."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from errno import EAGAIN
from itertools import cycle
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import argue_eval as ae
from argue_eval import formats
from argue_eval.errors import ArgueEvalError, Finding, InputError
from argue_eval.formats.jsonl import JSON, Source
from argue_eval.formats.judgment_lines import Packer, Part
from argue_eval.formats.judgments import canonical
from argue_eval.formats.processes import num_usable, side_by_side
from argue_eval.judgments.index import Found, JudgmentIndex
from argue_eval.records import Kind
from benchmarks.synthetic import Track
from tests.cli.conftest import Command
from tests.documented import ROOT

Json = dict[str, Any]

_NAMED_ONE_WAY = {Kind.FIRST_INSTANCE, Kind.RELEVANT}
"""Kinds of judgments of which it makes no difference when they were said."""
_TEXTS = st.sampled_from(["one", " one", "caf\u00e9", "cafe\u0301", "two"])
_TARGETS: dict[str, Json] = {
    "support": {"doc_id": "d"},
    "answers": {"nugget_id": "n", "answer": "a"},
    "agrees": {"nugget_id": "n"},
    "covers": {"nugget_id": "n"},
    "negative": {},
    "first_instance": {},
    "relevant": {"doc_id": "d"},
}


@st.composite
def _lines(draw: st.DrawFn) -> str:
    """A judgment as it may stand in a file: mostly plain, sometimes with something unusual."""
    kind = draw(st.sampled_from(list(_TARGETS)))
    judgment: Json = {
        "topic_id": draw(st.sampled_from("tu")),
        "kind": kind,
        "verdict": draw(st.sampled_from(["yes", "no"])),
        "judge": draw(st.sampled_from("aaab")),
        **_TARGETS[kind],
    }
    place = {"run_id": "r", "sentence_index": draw(st.sampled_from([0, 1]))}
    if kind == "first_instance":
        judgment |= {**place, **draw(st.sampled_from([{}, {"sentence": "one"}]))}
    elif kind != "relevant":
        judgment |= draw(st.sampled_from([place, {"sentence": draw(_TEXTS)}]))
    if kind == "covers" and "sentence" not in judgment and draw(st.booleans()):
        del judgment["sentence_index"]
    judgment |= draw(st.sampled_from([{}, {}, {}, {"prob": 0.5}, {"rationale": "why"}]))
    if draw(st.integers(0, 20)) == 0:
        judgment["unknown"] = "key"
    return msgspec.json.encode(judgment).decode() + draw(st.sampled_from(["\n"] * 20 + ["\n\n"]))


def _state(index: JudgmentIndex) -> tuple[list[tuple[str, int]], int, dict[Any, Found]]:
    found = {subject: {**index.unpacked(each)} for subject, each in index.subjects.items()}
    for each in found.values():
        for question in each:
            if question[0] in _NAMED_ONE_WAY:
                each[question] = each[question]._replace(turn=0)
    return list(index.judges.items()), index.num_set_aside, found


def _one_by_one(*files: bytes) -> JudgmentIndex:
    sources = [Source.of_bytes("judgments", content) for content in files]
    return JudgmentIndex.of(formats.iter_judgments(sources))


@given(st.lists(st.lists(_lines(), min_size=1), min_size=1, max_size=8), st.integers(1, 3))
def test_packed_slices_say_what_their_lines_say(
    slices: Sequence[Sequence[str]], num_packers: int
) -> None:
    packers = cycle([Packer(lambda *_: True) for _ in range(num_packers)])
    index, start = JudgmentIndex(), 0
    for lines, packer in zip(slices, packers, strict=False):
        block = "".join(lines).encode()
        part = packer.pack(block, start)
        start += len(block)
        if part is not None:
            index.merge(part)
            continue
        for judgment in formats.iter_judgments(Source.of_bytes("judgments", block)):
            index.add(judgment)
    whole = "".join(line for lines in slices for line in lines).encode()
    assert _state(index) == _state(_one_by_one(whole))


@given(st.lists(st.lists(_lines(), min_size=1), min_size=1, max_size=3))
def test_packed_files_say_what_their_lines_say(files: Sequence[Sequence[str]]) -> None:
    contents = ["".join(lines).encode() for lines in files]
    index = JudgmentIndex()
    for content in contents:
        source = Source.of_bytes("judgments", content)
        _add(index, formats.iter_parts(source, start=index.next_fact))
    assert _state(index) == _state(_one_by_one(*contents))


def _add(index: JudgmentIndex, found: Any) -> None:
    for each in found:
        index.merge(each) if isinstance(each, Part) else index.add(each)


@pytest.fixture(scope="module")
def track(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A track with more judgments and sentences than one process would work on."""
    folder = tmp_path_factory.mktemp("track")
    Track().write(folder, 21)
    return folder


def _has_processors(patch: pytest.MonkeyPatch, number: int) -> None:
    """Lets so many processes work, whatever threads other tests have left."""
    patch.setattr(os, "sched_getaffinity", lambda _: range(number))
    patch.setattr(threading, "active_count", lambda: 1)
    assert num_usable() == number


def _read(
    path: Path, num_processes: int, *, is_ahead: bool = False
) -> tuple[JudgmentIndex, list[Finding]]:
    index, found = JudgmentIndex(), list[Finding]()
    source = Source(str(path))
    with pytest.MonkeyPatch.context() as patch:
        _has_processors(patch, num_processes)
        if is_ahead and source.starts_with(*JSON):
            canonical.read_ahead(source, (), num_bytes=1_000_000)
        try:
            _add(index, formats.iter_parts(source, (), found))
        except InputError as exc:
            found.extend(exc.findings)
    return index, found


def test_several_processes_read_what_one_reads(track: Path) -> None:
    lines = (track / "all.judgments.jsonl").read_bytes().splitlines(keepends=True)
    lines[5_000] = lines[5_000].replace(b'"judge":', b'"judge" :')
    lines[9_000] = b"{\n"
    lines[14_000] = lines[14_000].replace(b"made-up", b"other")
    support = next(at for at in range(20_000, 21_000) if b'"support"' in lines[at])
    lines[support] = lines[support].replace(b'"verdict"', b'"answer":"x","verdict"')
    lines[25_000:25_000] = lines[:10]
    path = track / "changed.jsonl"
    path.write_bytes(b"".join(lines))
    one = _read(path, 1)
    for other in (_read(path, 2), _read(path, 2, is_ahead=True), _read(path, 1, is_ahead=True)):
        assert _state(one[0]) == _state(other[0])
        assert one[1] == other[1]
    assert {each.line for each in one[1]} == {9_001, support + 1}
    assert len(one[0]) > 30_000


def test_no_process_is_forked_while_other_threads_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(4))
    with ThreadPoolExecutor(1) as others:
        assert others.submit(num_usable).result() == 1


def test_a_process_that_the_system_does_not_allow_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fork, numbers = os.fork, iter(range(3))

    def forked() -> int:
        if next(numbers):
            raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))
        return fork()

    monkeypatch.setattr(os, "fork", forked)
    with pytest.raises(ArgueEvalError, match="allows no further process"):
        side_by_side(range(5), str, 3)


def test_several_processes_score_as_one_does(
    argue_eval: Command, track: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(track)
    runs = [f"run-{number}.jsonl" for number in range(21)]
    command = [
        "score", *runs, "qrels.json", "--judgments", "all.judgments.jsonl", "--judge", "none",
    ]  # fmt: skip
    results = []
    for num_cores in (1, 2):
        _has_processors(monkeypatch, num_cores)
        folder = f"out-{num_cores}"
        code, out, err = argue_eval(*command, "-o", folder)
        files = {
            path.name: path.read_bytes().replace(folder.encode(), b"out")
            for path in (track / folder).iterdir()
        }
        results.append((code, out, err.replace(folder, "out"), files))
    assert results[0] == results[1]
    assert json.loads(results[0][3]["run-0.meta.json"])


def test_errors_of_runs_are_told_before_those_of_judgments_that_are_read_meanwhile(
    argue_eval: Command, track: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(track)
    _has_processors(monkeypatch, 2)
    lines = Path("all.judgments.jsonl").read_bytes().splitlines(keepends=True)
    Path("bad.judgments.jsonl").write_bytes(b"".join([*lines[:4], b"{\n", *lines[4:]]))
    Path("bad.jsonl").write_text("{}\n", encoding="utf-8")
    for runs, found, other in (
        (["run-0.jsonl", "bad.jsonl"], "bad.jsonl:1", "bad.judgments.jsonl"),
        (["run-0.jsonl", "run-1.jsonl"], "bad.judgments.jsonl:5", "bad.jsonl:1"),
    ):
        command = ["score", *runs, "qrels.json", "--judgments", "bad.judgments.jsonl"]
        ran = argue_eval(*command, "--judge", "none")
        assert (ran.code, found in ran.err, other in ran.err) == (1, True, False)


def test_an_error_of_a_run_leaves_no_process_that_reads_judgments(
    track: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(track)
    _has_processors(monkeypatch, 2)
    Path("bad.jsonl").write_text("{}\n", encoding="utf-8")
    runs = ["run-0.jsonl", "bad.jsonl"]
    with pytest.raises(InputError) as kept:  # as notebooks keep it, with all that it refers to
        ae.score(runs, "qrels.json", judgments="all.judgments.jsonl", judge="none")
    assert (kept.value.findings[0].file, multiprocessing.active_children()) == ("bad.jsonl", [])


KILLED = """
import os, signal
from argue_eval.formats.processes import side_by_side
results = side_by_side(range(4), lambda number: bytes(1_000_000), 2, is_ahead={is_ahead})
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no process is forked there")
@pytest.mark.parametrize("is_ahead", [False, True])
def test_all_processes_end_with_one_that_is_killed(is_ahead: bool) -> None:
    code = KILLED.format(is_ahead=is_ahead)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    # The output ends when all processes have ended that could write to it.
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, env=env, capture_output=True, check=False, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (-9, b"", b"")
