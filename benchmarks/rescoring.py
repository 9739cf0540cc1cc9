"""Re-scoring from judgments: no judge is asked, everything was judged before."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from argue_eval.evaluation import inputs, pipeline, scoring
from argue_eval.evaluation.judging import JudgeNames
from argue_eval.evaluation.pipeline import without_garbage_collection
from argue_eval.evaluation.results import RunScores
from argue_eval.evaluation.walking import RunWalk
from benchmarks.measuring import in_turns, print_table, print_title, seconds_of, verdict
from benchmarks.synthetic import Files, Track

NUM_RUNS = 100
ROUNDS = 3
FROM_MEMORY = (80_000, 200_000)
FROM_FILES = (40_000, 100_000)
"""The target and the aim, in sentences a second."""
NO_JUDGES = JudgeNames("none", "none", "none")


def main() -> None:
    """Measures and prints."""
    print_title("rescoring: sentence outcomes per second, from complete judgments")
    with tempfile.TemporaryDirectory() as folder:
        files = Track().write(Path(folder), NUM_RUNS)
        print(
            f"{NUM_RUNS} runs x 50 topics x 10 sentences, {files.num_sentences} sentences, "
            f"{files.num_judgments} judgments\n"
        )
        known, keys = _floor_read(files)
        argue, every = (lambda: _from_files(files, ["argue"])), (lambda: _from_files(files, []))
        measured: dict[str, Callable[[], float]] = {
            "floor of a: a dict lookup per judgment": _one_core(
                lambda: _floor_look_up(known, keys)
            ),
            "a, loaded, -m argue": _one_core(_loaded(files, ["argue"])),
            "a, loaded, all default measures": _one_core(_loaded(files, [])),
            "floor of b: msgspec into dicts, a lookup each": _one_core(lambda: _floor(files)),
            "b, files to scores, -m argue, per core": _one_core(argue),
            "b, files to scores, all default measures, per core": _one_core(every),
            "b, with all that -o writes of units, per core": _one_core(
                lambda: _from_files(files, [], _everything)
            ),
            "b, files to scores, -m argue": partial(seconds_of, argue),
            "b, files to scores, all default measures": partial(seconds_of, every),
        }
        found = in_turns(measured, ROUNDS)
    rows = []
    floor = 0.0
    for name, seconds in found.items():
        floor = seconds if name.startswith("floor") else floor
        rate = files.num_sentences / seconds
        ends: list[str] = []
        if not name.startswith("floor") and not name.endswith("per core"):
            for least in FROM_MEMORY if name.startswith("a") else FROM_FILES:
                ends.append(f"{verdict(rate >= least)} (>= {least:,})")
        rows.append([name, f"{rate:,.0f}", f"{seconds / floor:.1f}", *(ends or ["", ""])])
    print_table(["what", "sentences/s", "x floor's time", "target", "aim"], rows)


def _one_core(function: Callable[[], object]) -> Callable[[], float]:
    """A function that measures a call in seconds of one core, whoever else uses it: the time of all
    processes together.
    """

    def seconds() -> float:
        started = sum(os.times()[:4])
        function()
        return sum(os.times()[:4]) - started

    return seconds


def _job(files: Files, names: Sequence[str]) -> inputs.Job:
    runs = [str(path) for path in files.runs]
    judgments = [str(files.judgments)]
    return inputs.Job(runs, str(files.qrels), judgments=judgments, judges=NO_JUDGES, measures=names)


def _num_unjudged(_: int, scores: RunScores) -> int:
    return scores.table.counts["num_unjudged"]


def _everything(number: int, scores: RunScores) -> int:
    """The same, with every value, outcome and judgment that is made when it is asked for."""
    for each in (scores.outcome_records(), scores.nugget_records(), scores.used_judgments()):
        for _ in each:
            pass
    _check(not list(scores.table.rows))
    return _num_unjudged(number, scores)


def _from_files(
    files: Files, names: Sequence[str], finish: Callable[[int, RunScores], int] = _num_unjudged
) -> None:
    prepared = pipeline.prepare(_job(files, names), [])
    for num_unjudged in pipeline.each_run(prepared, finish):
        _check(num_unjudged)


def _loaded(files: Files, names: Sequence[str]) -> Callable[[], None]:
    """A function that scores all runs from what is in memory already."""
    prepared = pipeline.prepare(_job(files, names), [])
    found = prepared.found
    topics = list(found.topics.values())
    together = [list(map(found.reports_of, runs)) for runs in found.judged_together()]

    @without_garbage_collection()  # as the pipeline does
    def score() -> None:
        for runs in together:
            for walk in RunWalk.side_by_side(topics, runs, found.judgments):
                table = scoring.score("run", "", "", walk.evidence, prepared.families)
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
