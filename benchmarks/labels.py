"""People's labels on real texts, as questions for the lexical judge: SummHay's and WiCE's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from argue_eval.records import Document, Kind, Question
from benchmarks.measuring import REPOSITORY

DATA = REPOSITORY.parent / "shared" / "data"
SUMMARIES = DATA / "summhay" / "annotated_summaries.json"
EVALUATORS = DATA / "summhay" / "evaluator_labels.json"
CLAIMS = DATA / "wice" / "dev.jsonl"

SCORES = {
    "fully_covered": 1.0,
    "partially_covered": 0.5,
    "not_covered": 0.0,
    "supported": 1.0,
    "partially_supported": 0.5,
    "not_supported": 0.0,
}
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


def support() -> Labels:
    """The support of each claim by the article that it cites."""
    rows: list[Labelled] = []
    texts: list[str] = []
    for line in CLAIMS.read_bytes().splitlines():
        claim = json.loads(line)
        document = Document(claim["meta"]["id"], "", "\n".join(claim["evidence"]))
        question = Question(kind=Kind.SUPPORT, topic_id="", text=claim["claim"], document=document)
        title = claim["meta"]["claim_title"]
        rows.append(Labelled((question,), SCORES[claim["label"]], None, title, title))
        texts.append(document.text)
    return Labels(tuple(rows), tuple(texts))
