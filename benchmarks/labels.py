"""People's labels on real texts, as questions for the lexical judge: coverage and support."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from argue_eval.records import Document, Kind, Question
from benchmarks.measuring import DATA

SUMMARIES = DATA / "summhay" / "annotated_summaries.json"
EVALUATORS = DATA / "summhay" / "evaluator_labels.json"
CLAIMS = DATA / "wice" / "dev.jsonl"
PAIRS = {
    "qags": "qags_cnndm.jsonl.gz",
    "begin_wow": "begin_wow_dev.jsonl.gz",
    "begin_tc": "begin_tc_dev.jsonl.gz",
    "begin_cmu": "begin_cmu_dev.jsonl.gz",
    "healthver": "healthver_dev.jsonl.gz",
}
"""Files of pairs of a claim and a document by source, in the folder ``support``."""

SCORES = {
    **dict.fromkeys(("fully_covered", "supported", "FULL_COVERAGE"), 1.0),
    **dict.fromkeys(("partially_covered", "partially_supported", "PARTIAL_COVERAGE"), 0.5),
    **dict.fromkeys(("not_covered", "not_supported", "NO_COVERAGE"), 0.0),
}
"""What people call the grades, and, in capitals, language models."""

_NO_BULLET = "no_selection"


class Labelled(NamedTuple):
    """What a person said about one claim.

    Attributes:
        questions: one for each bullet of a summary, or one for the document.
        score: 1 for full coverage or support, 0.5 for partial, 0 for none.
        link: the place of the bullet that covers it, if the person named one.
        group: what is kept together in cross-validation: the report request or the article.
        topic: a wider group, for a harder test.
    """

    questions: tuple[Question, ...]
    score: float
    link: int | None
    group: str
    topic: str


class Labels(NamedTuple):
    """Labels of one kind, and the texts that a user would have given to the judge with them."""

    rows: tuple[Labelled, ...]
    texts: tuple[str, ...]


def coverage() -> Labels:
    """The coverage of each reference insight by each annotated summary."""
    rows: list[Labelled] = []
    insights: dict[str, str] = {}
    for summary in json.loads(SUMMARIES.read_bytes()):
        said = {each["insight_id"]: each for each in summary["annotation"]}
        for insight in summary["reference_insights"]:
            insights[insight["insight_id"]] = insight["insight"]
            label = said.get(insight["insight_id"])
            if label is None:
                continue
            bullet = label["candidate_id"]
            rows.append(
                Labelled(
                    _covers(insight["insight"], summary["summary"]),
                    SCORES[label["coverage"]],
                    None if bullet == _NO_BULLET else int(bullet),
                    summary["subtopic_id"],
                    summary["topic"],
                )
            )
    return Labels(tuple(rows), tuple(insights.values()))


def _covers(claim: str, bullets: Sequence[str]) -> tuple[Question, ...]:
    return tuple(
        Question(kind=Kind.COVERS, topic_id="", text=bullet, claim=claim) for bullet in bullets
    )


def support() -> Mapping[str, Labels]:
    """The support of claims by documents, by source: full support is 1."""
    wice = [json.loads(line) for line in CLAIMS.read_bytes().splitlines()]
    found = {
        "wice": _labels(
            (
                row["claim"],
                "\n".join(row["evidence"]),
                SCORES[row["label"]],
                row["meta"]["claim_title"],
            )
            for row in wice
        )
    }
    for source, name in PAIRS.items():
        lines = gzip.decompress((DATA / "support" / name).read_bytes()).splitlines()
        rows = [json.loads(line) for line in lines]
        found[source] = _labels(
            (row["claim"], row["document"], float(row["yes"]), row["document"])
            for row in rows
            if row.get("label") != "Generic"
        )
    return found


def _labels(rows: Iterator[tuple[str, str, float, str]]) -> Labels:
    """Labels from claims, documents, scores and groups."""
    found: list[Labelled] = []
    texts: dict[str, None] = {}
    for claim, text, score, group in rows:
        document = Document(f"d{len(found)}", "", text)
        question = Question(kind=Kind.SUPPORT, topic_id="", text=claim, document=document)
        found.append(Labelled((question,), score, None, group, group))
        texts[text] = None
    return Labels(tuple(found), tuple(texts))
