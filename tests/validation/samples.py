"""A small valid run for every track, from which tests break one thing at a time."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from argue_eval.errors import Finding
from argue_eval.validation import validate
from tests.tiny_track import write_lines

Json = dict[str, Any]
Break = Callable[[list[Json]], None]

UUID = "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e{:02d}"
SEGMENT = "msmarco_v2.1_doc_12_34567{:02d}#4_567"
NARRATIVES = ["Which bridges were rebuilt, and when?", "Who paid for the harbour?"]
TEXTS = [
    ["The old bridge was rebuilt in 1998.", "The new one opened two years later."],
    ["The town paid a third of the costs.", "A fund paid the rest.", "No loan was taken."],
]


def _sentences(shape: str, doc_id: str) -> list[list[Json]]:
    """Sentences of two reports; each cites a document or two, the last one none."""
    found = []
    for texts in TEXTS:
        sentences = []
        for place, text in enumerate(texts):
            numbers = [] if place == 2 else [0, 1][: place + 1]
            cited: Any = [doc_id.format(number) for number in numbers]
            if shape == "indexes":
                cited = numbers
            elif shape == "scores":
                cited = dict.fromkeys(cited, 0.5)
            sentences.append({"text": text, "citations": cited})
        found.append(sentences)
    return found


def run_of(track: str) -> list[Json]:
    """The two reports of a valid run."""
    made = copy.deepcopy(_RUNS[track]())
    assert len(made) == 2
    return made


def _ragtime(*extra: str) -> list[Json]:
    metadata = [
        {"team_id": "team", "run_id": "run-1", "topic_id": topic_id, **dict.fromkeys(extra, "x")}
        for topic_id in ("2001", "2002")
    ]
    references = [(UUID + "_12345").format(number) for number in (0, 1)]
    return [
        {"metadata": each, "responses": sentences, "references": list(references)}
        for each, sentences in zip(metadata, _sentences("scores", UUID + "_12345"), strict=True)
    ]


def _rag(track: str) -> list[Json]:
    doc_id = "shard_00{:02d}_617" if track == "rag26" else SEGMENT
    reports = []
    for number, sentences in enumerate(_sentences("indexes", doc_id)):
        topic_id = f"rag2026-{number + 1}" if track == "rag26" else str(number + 1)
        metadata = {
            "team_id": "team",
            "run_id": "run-1",
            "type": "automatic",
            "run_desc": "made by hand",
            "narrative_id": topic_id,
            "narrative": NARRATIVES[number],
        }
        references = [doc_id.format(each) for each in (0, 1)]
        reports.append({"metadata": metadata, "references": references, "answer": sentences})
    return reports


def _rag24() -> list[Json]:
    return [
        {
            "run_id": "run-1",
            "topic_id": f"2024-{number + 1}",
            "topic": NARRATIVES[number],
            "response_length": sum(len(each["text"].split()) for each in sentences),
            "references": [SEGMENT.format(each) for each in (0, 1)],
            "answer": sentences,
        }
        for number, sentences in enumerate(_sentences("indexes", SEGMENT))
    ]


def _neuclir() -> list[Json]:
    return [
        {"request_id": str(number + 1), "run_id": "run-1", "sentences": sentences}
        for number, sentences in enumerate(_sentences("doc_ids", UUID))
    ]


def _dragun() -> list[Json]:
    return [
        {
            "metadata": {
                "team_id": "team",
                "run_id": "run-1",
                "topic_id": f"msmarco_v2.1_doc_0{number}_123",
                "type": "automatic",
                "use_starter_kit": 0,
            },
            "responses": sentences,
        }
        for number, sentences in enumerate(_sentences("doc_ids", SEGMENT))
    ]


def _generic() -> list[Json]:
    return [
        {"metadata": {"team_id": "t", "run_id": "r", "topic_id": f"t{number}"}, "responses": each}
        for number, each in enumerate(_sentences("doc_ids", "doc {}"))
    ]


_RUNS: dict[str, Callable[[], list[Json]]] = {
    "ragtime26": lambda: _ragtime("run_desc"),
    "ragtime25": lambda: _ragtime("task"),
    "rag26": lambda: _rag("rag26"),
    "rag25": lambda: _rag("rag25"),
    "rag24": _rag24,
    "neuclir24": _neuclir,
    "dragun25": _dragun,
    "generic": _generic,
}
LINE_TRACKS = list(_RUNS)
"""The tracks whose runs have a report a line."""


def topic_of(report: Json) -> str:
    """The topic id of a report, under whatever key."""
    metadata = report.get("metadata", report)
    keys = ("topic_id", "narrative_id", "request_id")
    return str(next(metadata[key] for key in keys if key in metadata))


def sentences_of(report: Json) -> list[Json]:
    """The sentences of a report, under whatever key."""
    found: list[Json] = next(
        report[key] for key in ("responses", "answer", "sentences") if key in report
    )
    return found


def write_run(path: Path, reports: list[Json]) -> str:
    """Writes reports, one a line; returns the path."""
    return write_lines(path, reports)


def write_requests(path: Path, reports: list[Json], **changes: Any) -> str:
    """Writes the requests that the reports answer; returns the path."""
    requests = (
        {
            "topic_id": topic_of(report),
            "title": "t",
            "problem_statement": NARRATIVES[number % len(NARRATIVES)],
            "limit": 5000,
            **changes,
        }
        for number, report in enumerate(reports)
    )
    return write_lines(path, requests)


def check(
    folder: Path, track: str, reports: list[Json], asked: list[Json] | None = None, **options: Any
) -> list[Finding]:
    """The findings of a run, checked with the requests of a valid one."""
    run = write_run(folder / "run.jsonl", reports)
    requests = write_requests(folder / "requests.jsonl", asked or run_of(track))
    return validate(run, track, topics=requests, **options)


def codes(findings: list[Finding]) -> list[str]:
    """The codes of findings, each once, in order."""
    return list(dict.fromkeys(finding.code for finding in findings))
