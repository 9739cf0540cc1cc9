"""The example track's files and the ARGUE flowchart, written a second time.

Written from the specification alone and without the package's own chart, as a reference for the
example track and the paper's worked example.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval.formats.jsonl import Source

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


def objects(path: Path) -> list[Object]:
    source = Source(path)
    return [source.decode(raw, number) for number, raw in source.lines()]


@cache
def nuggets(path: Path = ROOT / "qrels/example.json") -> dict[str, list[Object]]:
    source = Source(path)
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
    by_place = kind == "first_instance"
    subject = f"{line.run_id}/{line.sentence_index}" if by_place else line.text
    question = (kind, line.topic_id, subject, *target)
    return known[question] == "yes"


def given(known: Verdicts, line: Line, doc_id: str, topic: list[Object]) -> set[tuple[str, str]]:
    """The answers that a line gives and a document attests."""
    return {
        (nugget["nugget_id"], answer["answer"])
        for nugget in topic
        for answer in nugget["answers"]
        if doc_id in answer["doc_ids"]
        and is_yes(known, "answers", line, nugget["nugget_id"], answer["answer"])
    }


def citation_outcome(
    known: Verdicts, line: Line, doc_id: str, topic: list[Object], how: str
) -> int:
    answered = bool(given(known, line, doc_id, topic))
    supported = is_yes(known, "support", line, doc_id)
    if how == "strict" and not supported:
        return 1
    return 3 if answered else 2 if supported else 1


def outcome(known: Verdicts, line: Line, topic: list[Object], how: str) -> int:
    if line.doc_ids:
        ends = [citation_outcome(known, line, each, topic, how) for each in line.doc_ids]
        return 1 if 1 in ends else 3 if 3 in ends else 2
    if is_yes(known, "negative", line):
        absent = [each["nugget_id"] for each in topic if not each["answers"]]
        agreeing = [is_yes(known, "agrees", line, each) for each in absent]
        return 8 if any(agreeing) else 7
    if not is_yes(known, "requires_citation", line):
        return 4
    return 5 if is_yes(known, "first_instance", line) else 6


def correct(known: Verdicts, report: list[Line], topic: list[Object], how: str) -> set[str]:
    """The ids of the nuggets that a report answers."""
    credited: set[tuple[str, str]] = set()
    for line in report:
        for doc_id in line.doc_ids:
            if citation_outcome(known, line, doc_id, topic, how) == 3:
                credited |= given(known, line, doc_id, topic)
        if outcome(known, line, topic, how) == 8:
            credited |= {
                (each["nugget_id"], "")
                for each in topic
                if not each["answers"] and is_yes(known, "agrees", line, each["nugget_id"])
            }
    found = set()
    for nugget in topic:
        wanted = {(nugget["nugget_id"], each["answer"]) for each in nugget["answers"]}
        wanted = wanted or {(nugget["nugget_id"], "")}
        if wanted <= credited if nugget["aggregator"] == "AND" else wanted & credited:
            found.add(nugget["nugget_id"])
    return found


def f1(run: str, how: str) -> float:
    """argue_f1 of a run: the mean over all topics, a topic without a report is 0."""
    total = 0.0
    for topic_id, topic in nuggets().items():
        report = [
            line for line in lines_of(ROOT / f"runs/{run}.jsonl") if line.topic_id == topic_id
        ]
        counts = Counter(outcome(verdicts(), line, topic, how) for line in report)
        rewarded, penalised = counts[3] + counts[8], counts[1] + counts[5] + counts[7]
        precision = rewarded / (rewarded + penalised) if rewarded else 0.0
        recall = len(correct(verdicts(), report, topic, how)) / len(topic)
        total += 2 * precision * recall / (precision + recall) if precision * recall else 0.0
    return total / len(nuggets())
