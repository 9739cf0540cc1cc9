"""The files of the example track and of the paper's worked example, read for the tests.

They are scored by `tests.reference.naive`, without the package's own flowchart.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval.formats.jsonl import Source
from tests.reference import naive

ROOT = Path(__file__).parent.parent
WORKED = ROOT / "tests" / "data" / "worked_example"
RUNS = ("careful", "hallucinating", "miscited", "sparse")

Object = dict[str, Any]
Verdicts = dict[tuple[str, ...], str]


class Line(NamedTuple):
    """A report sentence with the ids of the documents that it cites."""

    run_id: str
    topic_id: str
    sentence_index: int
    text: str
    doc_ids: tuple[str, ...]

    @property
    def place(self) -> str:
        """What a judgment by place is about."""
        return f"{self.run_id}/{self.sentence_index}"


def objects(path: Path) -> list[Object]:
    source = Source(str(path))
    return [source.decode(raw, number) for number, raw in source.lines()]


@cache
def nuggets(path: Path = ROOT / "qrels/example.json") -> dict[str, list[Object]]:
    source = Source(str(path))
    value = source.decode(source.read())
    assert value["format"] == "argue-eval/nuggets/1"
    return {topic["topic_id"]: topic["nuggets"] for topic in value["topics"]}


@cache
def texts() -> dict[str, str]:
    found = objects(ROOT / "collection/example.jsonl")
    assert len({each["doc_id"] for each in found}) == len(found)
    return {each["doc_id"]: f"{each['title']} {each['text']}" for each in found}


@cache
def lines_of(path: Path) -> list[Line]:
    result = []
    for report in objects(path):
        meta, references = report["metadata"], report.get("references", [])
        for index, response in enumerate(report["responses"]):
            cited = tuple(
                references[each] if isinstance(each, int) else each
                for each in response["citations"]
            )
            place = (meta["run_id"], meta["topic_id"], index)
            result.append(Line(*place, response["text"], cited))
    return result


def all_lines() -> list[Line]:
    return [line for run in RUNS for line in lines_of(ROOT / f"runs/{run}.jsonl")]


@cache
def verdicts(path: Path = ROOT / "qrels/example.judgments.jsonl") -> Verdicts:
    """One verdict for each question; no question is judged twice."""
    result: Verdicts = {}
    for each in objects(path):
        subject = each.get("sentence") or f"{each['run_id']}/{each['sentence_index']}"
        target = [each[key] for key in ("doc_id", "nugget_id", "answer") if key in each]
        key = (each["kind"], each["topic_id"], subject, *target)
        assert key not in result
        result[key] = each["verdict"]
    return result


def is_yes(known: Verdicts, kind: str, line: Line, *target: str) -> bool:
    """The verdict on a line; a KeyError where it is missing."""
    subject = line.place if kind == "first_instance" else line.text
    question = (kind, line.topic_id, subject, *target)
    return known[question] == "yes"


def track(run: str | Path, folder: Path | None = None) -> naive.Track:
    """A run of the example track, or the one of a folder, for the reference implementation."""
    path = ROOT / f"runs/{run}.jsonl" if folder is None else folder / "run.jsonl"
    known = verdicts() if folder is None else verdicts(folder / "judgments.jsonl")
    reports: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    yes: set[tuple[Any, ...]] = set()
    for line in lines_of(path):
        report = reports.setdefault(line.topic_id, [])
        if known.get(("first_instance", line.topic_id, line.place)) == "yes":
            yes.add((line.topic_id, "first_instance", len(report)))
        report.append((line.text, line.doc_ids))
    for (kind, topic_id, *rest), verdict in known.items():
        if verdict == "yes" and kind != "first_instance":
            yes.add((topic_id, kind, *rest))
    by_topic = nuggets() if folder is None else nuggets(folder / "nuggets.json")
    return {"nuggets": by_topic, "reports": reports, "yes": yes}


def options(reading: str) -> naive.Options:
    """The defaults, with a reading."""
    weights = {"vital": 2.0, "okay": 1.0, "none": 1.0}
    return {"reading": reading, "citations": "all", "attestation": "cited-document",
            "weights": weights}  # fmt: skip


def outcomes(found: naive.Track, reading: str) -> list[int]:
    """The outcome of every sentence of a run, in its order."""
    return [
        outcome
        for topic_id, report in found["reports"].items()
        for place in range(len(report))
        for outcome in naive.sentence_ends(found, topic_id, place, options(reading))
    ]


def f1(run: str, reading: str) -> float:
    """argue_f1 of a run: the mean over all topics, a topic without a report is 0."""
    return naive.all_scores(track(run), list(nuggets()), options(reading))["argue_f1"]
