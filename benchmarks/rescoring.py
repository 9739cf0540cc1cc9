"""Re-scoring from judgments: no judge is asked, everything was judged before."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from argue_eval.evaluation import inputs, pipeline, scoring
from argue_eval.evaluation.asking import RunWalk
from argue_eval.evaluation.runs import without_garbage_collection
from benchmarks.measuring import in_turns, print_table, print_title, verdict
from benchmarks.synthetic import Files, Track

NUM_RUNS = 40
ROUNDS = 5
TARGET, AIM = 50_000, 200_000
NO_JUDGES = inputs.JudgeNames("none", "none", "none")


def main() -> None:
    """Measures and prints."""
    print_title("rescoring: sentence outcomes per second of one core, from complete judgments")
    with tempfile.TemporaryDirectory() as folder:
        files = Track().write(Path(folder), NUM_RUNS)
        print(
            f"{NUM_RUNS} runs x 50 topics x 10 sentences, {files.num_sentences} sentences, "
            f"{files.num_judgments} judgments\n"
        )
        known, keys = _floor_read(files)
        measured: dict[str, Callable[[], object]] = {
            "floor of a: a dict lookup per judgment": lambda: _floor_look_up(known, keys),
            "a, loaded, -m argue": _loaded(files, ["argue"]),
            "a, loaded, all default measures": _loaded(files, []),
            "floor of b: msgspec into dicts, a lookup each": lambda: _floor(files),
            "b, files to scores, -m argue": lambda: _from_files(files, ["argue"]),
            "b, files to scores, all default measures": lambda: _from_files(files, []),
        }
        found = in_turns({name: _timer(each) for name, each in measured.items()}, ROUNDS)
    rows = []
    floor = 0.0
    for name, seconds in found.items():
        floor = seconds if name.startswith("floor") else floor
        rate = files.num_sentences / seconds
        ends = (
            ["", ""]
            if name.startswith("floor")
            else [verdict(rate >= TARGET), verdict(rate >= AIM)]
        )
        rows.append([name, f"{rate:,.0f}", f"{seconds / floor:.1f}", *ends])
    print_table(["what", "sentences/s", "x floor's time", f">= {TARGET:,}", f">= {AIM:,}"], rows)


def _timer(function: Callable[[], object]) -> Callable[[], float]:
    """A function that measures a call in seconds of one core, whoever else uses it."""

    def seconds() -> float:
        started = time.process_time()
        function()
        return time.process_time() - started

    return seconds


def _job(files: Files, names: Sequence[str]) -> inputs.Job:
    runs = [str(path) for path in files.runs]
    judgments = [str(files.judgments)]
    return inputs.Job(runs, str(files.qrels), judgments=judgments, judges=NO_JUDGES, measures=names)


def _from_files(files: Files, names: Sequence[str]) -> None:
    for scores in pipeline.evaluate(_job(files, names)):
        _check(scores.table.counts["num_unjudged"])


def _loaded(files: Files, names: Sequence[str]) -> Callable[[], None]:
    """A function that scores all runs from what is in memory already."""
    prepared = pipeline.prepare(_job(files, names), [])
    found = prepared.found
    topics = list(found.topics.values())
    runs = [found.reports_of(run) for run in found.runs]

    @without_garbage_collection()  # as the pipeline does
    def score() -> None:
        for reports in runs:
            evidence = RunWalk(topics, reports, found.judgments).evidence()
            table = scoring.score("run", "", "", evidence, prepared.families)
            _check(table.counts["num_unjudged"])

    return score


def _check(num_unjudged: int) -> None:
    if num_unjudged:
        raise SystemExit(f"{num_unjudged} sentences are unjudged; the judgments are not complete")


Key = tuple[Any, ...]

_KEYS = (
    "topic_id",
    "kind",
    "sentence",
    "run_id",
    "sentence_index",
    "doc_id",
    "nugget_id",
    "answer",
)


def _floor_read(files: Files) -> tuple[dict[Key, str], list[Key]]:
    """All verdicts by question, read with as little as a program can do."""
    decode = msgspec.json.decode
    known: dict[Key, str] = {}
    with files.judgments.open("rb") as stream:
        for line in stream:
            get = decode(line).get
            known[tuple(get(name) for name in _KEYS)] = get("verdict")
    return known, list(known)


def _floor_look_up(known: dict[Key, str], keys: list[Key]) -> int:
    return sum(known[key] == "yes" for key in keys)


def _floor(files: Files) -> None:
    decode = msgspec.json.decode
    for path in files.runs:
        with path.open("rb") as stream:
            for line in stream:
                decode(line)
    _floor_look_up(*_floor_read(files))
