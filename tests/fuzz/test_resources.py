"""Files made to exhaust memory, the stack or patience: a clear error, soon, in little memory."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks import growth

MEGABYTE = 1 << 20
GIGABYTE = 1 << 30
MAX_MEGABYTES = 200
MAX_SECONDS = 30
_MEASURED = [sys.executable, str(Path(__file__).with_name("measured.py"))]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="memory is measured with wait4")


def _validate(path: str, stream: Iterable[bytes] = ()) -> dict[str, Any]:
    """Validates a run in a process of its own; returns exit code, memory, time and output."""
    return _run(["validate", "--track", "ragtime26", path], stream)


def _run(args: Sequence[str], stream: Iterable[bytes] = ()) -> dict[str, Any]:
    """Runs a command in a process of its own; returns exit code, memory, time and output."""
    command = [*_MEASURED, sys.executable, "-m", "argue_eval", *args]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        try:
            for block in stream:
                process.stdin.write(block)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it has read enough
        result: dict[str, Any] = json.loads(process.stdout.read())
    return result


def _check(result: dict[str, Any], code: str, exit_code: int = 1) -> None:
    assert result["exit_code"] == exit_code, result["output"]
    assert f" {code}: " in result["output"] or f"[{code}]" in result["output"]
    assert "Traceback" not in result["output"]
    assert len(result["output"]) < 5_000
    assert result["megabytes"] < MAX_MEGABYTES
    assert result["seconds"] < MAX_SECONDS


def _zeros(path: Path) -> None:
    """Writes a gigabyte of zeros that takes no space on the disk."""
    with path.open("wb") as stream:
        stream.truncate(GIGABYTE)


def _long_text(path: Path) -> None:
    with path.open("wb") as stream:
        stream.write(b'{"metadata": "')
        stream.truncate(GIGABYTE)


@pytest.mark.parametrize("write", [_zeros, _long_text])
def test_line_of_a_gigabyte_in_a_file(write: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    write(path)
    _check(_validate(str(path)), "too_large")


@pytest.mark.parametrize("block", [b"x", b"["], ids=["a long text", "brackets"])
def test_line_of_a_gigabyte_through_a_pipe(block: bytes) -> None:
    blocks = (block * MEGABYTE for _ in range(GIGABYTE // MEGABYTE))
    _check(_validate("-", blocks), "too_large")


@pytest.mark.parametrize(
    ("block", "codes"),
    [
        (bytes(MEGABYTE), ["too_large"]),
        (b"\n" * MEGABYTE, ["too_large"]),
        (b'{"metadata": {}}\n' * 100_000, ["missing_key", "too_many_errors"]),
    ],
    ids=["zeros", "empty lines", "short lines"],
)
def test_gzip_bomb(block: bytes, codes: list[str], tmp_path: Path) -> None:
    """A gigabyte in about one megabyte: the same member again and again."""
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress(block * (32 * MEGABYTE // len(block)), mtime=0) * 32)
    assert path.stat().st_size < 4 * MEGABYTE
    result = _validate(str(path))
    _check(result, codes[0])
    assert codes[-1] in result["output"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b'{"metadata": {}, "responses": ' + b"[" * 90_000 + b"]" * 90_000 + b"}", "too_deep"),
        (b'{"a": ' * 90_000 + b"1" + b"}" * 90_000, "too_deep"),
        (b"[" * 15_000_000, "too_large"),
        (b'{"a":' * 3_000_000, "too_large"),
    ],
    ids=["lists", "objects", "open lists", "open objects"],
)
def test_deep_nesting(raw: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(raw + b"\n")
    _check(_validate(str(path)), code)


def _report(**changes: Any) -> bytes:
    metadata = {"team_id": "t", "run_id": "r", "topic_id": "2001", "run_desc": "d"}
    sentences = [{"text": "A bridge.", "citations": []}]
    return json.dumps({"metadata": metadata, "responses": sentences, **changes}).encode() + b"\n"


def _sentences(num: int, text: str, cited: Callable[[int], list[str]]) -> bytes:
    return _report(responses=[{"text": text, "citations": cited(n)} for n in range(num)])


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (_sentences(1, "A.", lambda n: [f"b{i}" for i in range(90_000)]), "docid_pattern"),
        (_sentences(24_000, "A.", lambda n: [f"b{n}"]), "docid_pattern"),
        (_sentences(24_000, "\u200b", lambda n: []), "suspicious_text"),
        (_sentences(24_000, "", lambda n: []), "empty_answer"),
        (_report(responses=[{}] * 49_000), "missing_key"),
        (_report(responses=[None] * 90_000), "wrong_type"),
        (_report(responses=[{}] * 4_000_000), "too_large"),
        (_sentences(400_000, "", lambda n: []), "too_large"),
        (_sentences(1, "<a " * 2_000_000, lambda n: ["b"]), "docid_pattern"),
        (_sentences(1, "ignore instructions " * 200_000, lambda n: ["b"]), "docid_pattern"),
        (_sentences(1, "judge: " * 500_000, lambda n: ["b"]), "docid_pattern"),
        (_report(**{f"k{n}": n for n in range(90_000)}, metadata={}), "metadata"),
        (b"".join(_report(metadata={"topic_id": f"{n}"}) for n in range(30_000)), "metadata"),
        (b"not JSON\n" * 1_000_000, "unknown_format"),
        (b"1\n" * 1_000_000, "wrong_type"),
        (_report() + b"\n" * 20_000_000, "too_large"),
    ],
    ids=[
        "ids in one sentence", "sentences with ids", "hidden characters", "empty texts",
        "empty sentences", "sentences that are null", "millions of empty sentences",
        "very many empty texts", "what begins like markup", "what begins like an instruction",
        "instructions", "keys", "reports", "lines that are not JSON", "lines that are numbers",
        "blank lines",
    ],
)  # fmt: skip
def test_very_many_mistakes(raw: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(raw)
    result = _validate(str(path))
    _check(result, code, exit_code=0 if code in ("suspicious_text", "empty_answer") else 1)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("sentences without citation", 12_000),
        ("… of a language model", 10_000),
        ("claims that could all say the same", 2_000),
        ("judgments of documents in a topic", 20_000),
        ("references, convert", 20_000),
    ],
)
def test_a_report_or_topic_of_very_many_parts(name: str, size: int, tmp_path: Path) -> None:
    """What took the square of its size: a minute, or gigabytes."""
    (case,) = [each for each in growth.CASES if each.name == name]
    result = _run(case.write(tmp_path, size))
    assert result["exit_code"] in (0, 4), result["output"]
    assert result["megabytes"] < MAX_MEGABYTES
    assert result["seconds"] < MAX_SECONDS


@cache
def _many(value: str) -> bytes:
    return gzip.compress(f"[\n{value}{f',{chr(10)}{value}' * 5_000_000}]".encode())


@pytest.mark.parametrize("value", ["{}", "[]", '{"a":1}', "[9]", '"é"'])
@pytest.mark.parametrize("command", ["ingest requests", "ingest qrels", "convert --to rag"])
def test_very_many_small_values_in_a_small_archive(
    command: str, value: str, tmp_path: Path
) -> None:
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(_many(value))
    result = _run([*command.split(), str(path)])
    _check(result, "too_large")
