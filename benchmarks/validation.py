"""Validation: a large run beside autojudge-base's check, a normal one beside ``--help``.

The large run repeats a real one, with topic ids, document ids and a few letters of its own in every
report.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measuring import (
    DATA,
    argue_eval,
    in_turns,
    is_at_hand,
    print_table,
    print_title,
    run_process,
    verdict,
)

RUN = DATA / "ragtime26" / "T1_run_1.jsonl"
TRACK = "ragtime26"
LIMIT = 5000

MEGABYTES = 200

RAG_RUN_VALIDATOR = 4.5
"""MB/s, measured on a machine of the same kind; it is not on PyPI and can't be run beside."""

LEAST_RATIO, AIM_RATIO = 6.0, 10.0
LEAST_SPEED = 25 * RAG_RUN_VALIDATOR
MOST_MB = 100.0
MOST_OF_HELP = 1.5


def reports(num_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Yields (topic_id, line) until the lines have so many bytes."""
    lines = RUN.read_bytes().splitlines(keepends=True)
    templates = [_template(line) for line in lines]
    number = written = 0
    while written < num_bytes:
        topic_id = str(2000 + number)
        line = templates[number % len(templates)]
        line = line.replace(b"@TOPIC@", topic_id.encode())
        # An id has 36 characters and a number behind them: eight of these are made unique.
        line = line.replace(b"@@@@@@@@", b"%08x" % number)
        yield topic_id, line
        number += 1
        written += len(line)


def _template(line: bytes) -> bytes:
    report: dict[str, Any] = json.loads(line)
    report["metadata"]["topic_id"] = "@TOPIC@"
    for sentence in report["responses"]:
        sentence["citations"] = {
            f"@@@@@@@@{doc_id[8:]}": score for doc_id, score in sentence["citations"].items()
        }
    first = report["responses"][0]
    first["text"] = f"@@@@@@@@{first['text'][8:]}"
    report["references"] = [f"@@@@@@@@{doc_id[8:]}" for doc_id in report["references"]]
    return json.dumps(report, ensure_ascii=b"\\u" in line).encode() + b"\n"


def write(folder: Path, megabytes: float) -> tuple[Path, Path]:
    """Writes a run of a size, and the requests for its topics; returns where."""
    run, requests = folder / "run.jsonl", folder / "requests.jsonl"
    with run.open("wb") as stream, requests.open("w", encoding="utf-8") as asked:
        for topic_id, line in reports(int(megabytes * 1e6)):
            stream.write(line)
            request = {"request_id": topic_id, "title": "t", "background": "b",
                       "problem_statement": "p", "limit": LIMIT}  # fmt: skip
            asked.write(json.dumps(request) + "\n")
    return run, requests


def large(folder: Path) -> None:
    """Prints throughput and memory on a large run, beside autojudge-base's own check."""
    run, requests = write(folder, MEGABYTES)
    size = run.stat().st_size / 1e6
    against = ["--track", TRACK, "--requests", str(requests)]
    commands = {
        "argue-eval validate": argue_eval("validate", str(run), *against),
        "autojudge-base check": [
            *(sys.executable, "-m", "autojudge_base.report_tool", "check", str(run)),
            *("--spec", TRACK, "--topics", str(requests)),
        ],
    }
    peaks: dict[str, float] = {}
    found = in_turns(
        {name: partial(_clean, name, command, peaks) for name, command in commands.items()}, 3
    )
    print_title(f"validation: a run of {size:.0f} MB against {TRACK}")
    rows = [
        [name, f"{seconds:.2f}", f"{size / seconds:.1f}", f"{peaks[name]:.0f}"]
        for name, seconds in found.items()
    ]
    rows.append(["rag-run-validator (quoted)", "", f"{RAG_RUN_VALIDATOR}", "22"])
    print_table(["tool", "s", "MB/s", "peak MB"], rows)
    own, other = found.values()
    print(f"\n{other / own:.1f} x autojudge-base, >= {LEAST_RATIO:g}:", end=" ")
    print(f"{verdict(other / own >= LEAST_RATIO)}; >= {AIM_RATIO:g}:", end=" ")
    print(verdict(other / own >= AIM_RATIO))
    print(f"{size / own:.0f} MB/s, >= {LEAST_SPEED:g}: {verdict(size / own >= LEAST_SPEED)}")
    peak = peaks["argue-eval validate"]
    print(f"peak {peak:.0f} MB, <= {MOST_MB:g}: {verdict(peak <= MOST_MB)}")


def _clean(name: str, command: list[str], peaks: dict[str, float]) -> float:
    """Returns how long a check takes that must find nothing."""
    found = run_process(command)
    peaks[name] = max(found.peak_mb, peaks.get(name, 0.0))
    return found.seconds


def small(folder: Path) -> None:
    """Prints the time of a normal run, beside that of --help."""
    requests = folder / "small.jsonl"
    with requests.open("w", encoding="utf-8") as stream:
        for line in RUN.read_bytes().splitlines():
            topic_id = json.loads(line)["metadata"]["topic_id"]
            stream.write(json.dumps({"topic_id": topic_id, "title": "t", "limit": LIMIT}) + "\n")
    checked = argue_eval("validate", str(RUN), "--track", TRACK)
    commands = {
        "--help": argue_eval("--help"),
        "validate --track": checked,
        "… --requests": [*checked, "--requests", str(requests)],
        "… --segmentation": [*checked, "--segmentation"],
    }
    for command in commands.values():
        run_process(command)  # compiles the modules
    found = in_turns({name: partial(_seconds, each) for name, each in commands.items()}, 15)
    bare = found["--help"]
    print_title(f"validation: a normal run ({RUN.stat().st_size / 1e6:.2f} MB)")
    rows = []
    for name, seconds in found.items():
        is_promised = name not in ("--help", "… --segmentation")
        met = verdict(seconds <= MOST_OF_HELP * bare) if is_promised else ""
        rows.append([name, f"{1000 * seconds:.0f}", f"{seconds / bare:.2f}", met])
    print_table(["command", "ms", "/ --help", f"<= {MOST_OF_HELP:g}"], rows)


def _seconds(command: list[str]) -> float:
    return run_process(command).seconds


def hostile(folder: Path) -> None:
    """Prints what is done with files that are made to exhaust memory: exit code 1 is right."""
    rows = []
    for path in _hostile_files(folder):
        command = argue_eval("validate", str(path), "--track", TRACK)
        found = run_process(command, codes=range(-64, 256))  # those of signals are negative
        met = verdict(found.code == 1 and found.peak_mb <= MOST_MB)
        rows.append([path.name, f"{found.seconds:.2f}", f"{found.peak_mb:.0f}", met])
    print_title("validation: files that are made to exhaust memory, refused with exit code 1")
    print_table(["file", "s", "peak MB", f"<= {MOST_MB:g}"], rows)


def _hostile_files(folder: Path) -> Iterator[Path]:
    line, nested, bomb = folder / "line.jsonl", folder / "nested.jsonl", folder / "bomb.jsonl.gz"
    with line.open("wb") as stream:
        stream.write(b'{"metadata": {"run_id": "')
        stream.seek(1_000_000_000)
        stream.write(b'"}}\n')
    yield line
    nested.write_bytes(b'{"metadata": ' + b"[" * 10_000_000 + b"\n")
    yield nested
    with gzip.open(bomb, "wb", compresslevel=9) as packed:
        for _ in range(1000):
            packed.write(b" " * 999_999 + b"\n")
    yield bomb


def _prepare(folder: Path) -> None:
    """Lets autojudge-base be imported: it asks for a list of stop words, which it needs elsewhere.

    And lets Python keep what it compiles, as it does for users.
    """
    words = folder / "nltk" / "corpora" / "stopwords" / "english"
    words.parent.mkdir(parents=True)
    words.write_text("the\n", encoding="utf-8")
    (folder / "nltk" / "tokenizers" / "punkt").mkdir(parents=True)
    os.environ["NLTK_DATA"] = str(folder / "nltk")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def main() -> None:
    """Measures and prints."""
    if not is_at_hand("validation", RUN):
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _prepare(folder)
        small(folder)
        hostile(folder)
        large(folder)


if __name__ == "__main__":
    main()
