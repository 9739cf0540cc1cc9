"""The commands that read a file, and what must hold whatever is in it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED
from argue_eval.formats.segmenting import PLACES
from argue_eval.validation import tracks
from tests.fuzz.commands import Ended, run

MAX_SECONDS = 20
MAX_OUTPUT = 400_000

_SCORE = "score run.jsonl bank.json"
_RUN_OPTIONS = ("", "--json", "--format github", "--strict --all", "--requests requests.jsonl")

COMMANDS: dict[str, Sequence[str]] = {
    "runs": (
        *(f"validate FILE --track {track}" for track in tracks.names()),
        *(f"validate FILE {options}" for options in _RUN_OPTIONS),
        "validate FILE --collection documents.jsonl --track ragtime26",
        "score FILE bank.json --judge lexical -q --allow-unjudged",
        "score FILE bank.json --judgments judgments.jsonl -o OUT",
        "convert FILE --to rag --lossy -o OUT",
        "convert FILE --to canonical -o OUT",
        "explain outcome FILE bank.json --topic t1 --sentence 0",
    ),
    "requests": (
        "validate run.jsonl --requests FILE",
        f"{_SCORE} --requests FILE",
        "ingest requests FILE -o OUT",
        "ingest requests FILE --json",
        "convert FILE --to rag_tsv --lossy -o OUT",
    ),
    "nuggets": (
        "score run.jsonl FILE --judge lexical --format json",
        "score run.jsonl FILE --protocol key-points --judge lexical",
        "ingest qrels FILE -o OUT",
        "ingest qrels FILE --requests requests.jsonl --collection documents.jsonl -o OUT",
        "convert FILE --to nuggetizer --lossy -o OUT",
        "curate dedupe FILE -o OUT",
    ),
    "documents": (
        f"{_SCORE} --collection FILE --judge lexical",
        "validate run.jsonl --collection FILE",
        "curate extract requests.jsonl --collection FILE --model x -o OUT --dry-run",
    ),
    "judgments": (
        f"{_SCORE} --judgments FILE -o OUT",
        "meta-eval FILE --truth judgments.jsonl --resamples 2",
        "meta-eval judgments.jsonl --truth FILE --qrels bank.json --resamples 2 --json",
        "store import OUT FILE --qrels bank.json --run run.jsonl",
    ),
    "scores": (
        "meta-eval --scores FILE --truth-scores scores.csv --resamples 2",
        "meta-eval --scores scores.csv --truth-scores FILE --resamples 2 -o OUT",
        "leaderboard FILE --force --resamples 100 --format json -o OUT",
        "leaderboard FILE --force --no-intervals",
        "compare FILE --force --resamples 100 --test wilcoxon -o OUT",
    ),
    "points": (f"{_SCORE} --protocol key-points --response-points FILE -o OUT",),
    "summhay": ("summhay table FILE", "score FILE FILE --protocol summhay"),
    "batches": ("judge run.jsonl bank.json --judge llm:x --batch-in FILE --store OUT",),
    "rules": ("validate run.jsonl --track generic --rules FILE",),
    "prices": ("judge run.jsonl bank.json --judge llm:x --prices FILE --dry-run",),
    "retrieved": (
        "curate extract requests.jsonl --collection documents.jsonl --retrieved FILE --model x "
        "-o OUT --dry-run",
    ),
    "texts": tuple(
        f"segment FILE --topic t --run-id r --citations {place} -o OUT {options}"
        for place in PLACES
        for options in ("", "--references references.txt", "--no-headings --language zh")
    ),
    "references": ("segment text.md --topic t --run-id r --references FILE -o OUT",),
}
"""By kind of file: FILE is the strange one, OUT what is written."""

WRITES = (EXIT_OK, EXIT_UNJUDGED)


def attack(folder: Path, raw: bytes, command: str) -> Ended:
    """Runs a command on a strange file, and checks all that must hold for any."""
    strange = folder / "strange"
    strange.write_bytes(raw)
    output = folder / "out"
    before = {path.name for path in folder.iterdir()}
    words = [{"FILE": "strange", "OUT": "out"}.get(word, word) for word in command.split()]
    started = time.monotonic()
    try:
        ran = run(*words)
        assert time.monotonic() - started < MAX_SECONDS
        assert ran.code == EXIT_OK or ran.out or ran.err
        assert len(ran.out) < MAX_OUTPUT
        new = {path.name for path in folder.iterdir()} - before
        assert new <= {"out", "out-wal", "out-shm"}
        assert ran.code in WRITES or not output.exists() or words[0] == "store"
        _check_written(output)
    finally:
        for path in folder.glob("out*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return ran


def _check_written(output: Path) -> None:
    """Checks that what was written is whole: every line of JSON, and a line's end at the end."""
    for path in [output, *output.rglob("*")] if output.exists() else []:
        raw = path.read_bytes() if path.is_file() else b""
        if raw and not raw.startswith(b"SQLite"):
            assert raw.endswith(b"\n")
        if path.suffix == ".jsonl":
            for line in raw.splitlines():
                json.loads(line)
