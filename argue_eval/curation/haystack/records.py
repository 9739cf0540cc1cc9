"""What a haystack consists of, and what it was to be like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from argue_eval.errors import Finding, Severity, UsageError, check_names, some
from argue_eval.records import Document, ReportRequest

DOMAINS = ("conversations", "news")
"""The kinds of documents. Each has a prompt of its own."""

FEWEST_INSIGHTS = 3
"""A subtopic with fewer insights is left out, unless fewer were wanted."""


class Shape(NamedTuple):
    """How large a haystack is to be. The defaults are those of the paper.

    Attributes:
        num_insights: of each subtopic.
        per_document: the insights of each document.
        num_words: of each document.
        num_repairs: how often a document is repaired until it is left out.
        seed: of the draw that gives every document its insights.
    """

    domain: str = DOMAINS[0]
    num_subtopics: int = 9
    num_insights: int = 7
    num_documents: int = 100
    per_document: int = 4
    num_words: int = 750
    num_repairs: int = 5
    seed: int = 0

    def check(self) -> None:
        """Checks that there is such a domain, and room for every insight.

        Raises:
            UsageError: there is not.
        """
        check_names("domain", [self.domain], DOMAINS)
        num_insights = self.num_subtopics * self.num_insights
        num_places = self.num_documents * self.per_document
        if num_places < num_insights:
            raise UsageError(
                f"{self.num_documents:,} documents with {self.per_document:,} insights each have "
                f"{num_places:,} places for {self.num_subtopics:,} x {self.num_insights:,} = "
                f"{num_insights:,} insights: ask for more documents, or for fewer insights"
            )
        if self.per_document > num_insights:
            raise UsageError(
                f"a document cannot mention {self.per_document:,} of {num_insights:,} insights: "
                "lower --per-document"
            )


class Insight(NamedTuple):
    """A fact that documents mention."""

    insight_id: str
    name: str
    text: str


class Subtopic(NamedTuple):
    """A theme with its insights.

    Attributes:
        text: what it is, in a sentence; `query`: what a reader asks about it.
    """

    subtopic_id: str
    name: str
    text: str
    query: str
    insights: tuple[Insight, ...] = ()


class Defect(NamedTuple):
    """What is wrong with a document.

    Attributes:
        code: as of a finding.
        message: for people, and for the model that repairs it.
    """

    code: str
    message: str


@dataclass(slots=True)
class Draft:
    """A document at work.

    Attributes:
        insights: those that it is to mention.
        quotes: what says them, by the insight's id; of a finished document, all of them.
        defects: those of its present text; `mended`: those of earlier texts.
        best: the document with the latest of its texts that may be kept.
    """

    document_id: str
    number: int
    insights: tuple[Insight, ...]
    text: str = ""
    quotes: dict[str, str] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)
    mended: list[Defect] = field(default_factory=list)
    best: Draft | None = None


@dataclass(slots=True)
class Haystack:
    """A topic with what was made for it.

    Attributes:
        ideas: documents from which the model may take ideas.
        documents: those that hold what they should; `left_out`: the others.
        findings: what is not as it was to be.
        made_by: the steps that made it, each with what its replies depend on.
        is_planned: False if subtopics and insights did not come about; there are no documents then.
    """

    request: ReportRequest
    ideas: Sequence[Document] = ()
    subtopics: list[Subtopic] = field(default_factory=list)
    documents: list[Draft] = field(default_factory=list)
    left_out: list[Draft] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    made_by: list[str] = field(default_factory=list)
    is_planned: bool = True

    @property
    def insights(self) -> list[Insight]:
        """The insights of all subtopics."""
        return [insight for subtopic in self.subtopics for insight in subtopic.insights]

    @property
    def uses(self) -> Counter[str]:
        """How many documents mention each insight."""
        return Counter(insight_id for draft in self.documents for insight_id in draft.quotes)

    @property
    def mended(self) -> Counter[str]:
        """How many documents had a defect that they no longer have, by its code."""
        return Counter(
            code
            for draft in self.documents
            for code in {each.code for each in draft.mended} - {each.code for each in draft.defects}
        )

    def warn(self, code: str, message: str, hint: str) -> None:
        """Adds a finding about the haystack."""
        topic_id = self.request.topic_id
        message = f"topic {some([topic_id])}: {message}"
        severity = Severity.WARNING
        self.findings.append(Finding(code, message, hint, topic_id=topic_id, severity=severity))

    def as_json(self, shape: Shape) -> dict[str, Any]:
        """The haystack in the schema of the paper's repository.

        What a document includes is what was found in it. Keys beyond the schema say how it came
        about: ``quotes`` of a document, and ``topic_metadata``.
        """
        topic = self.request
        made = {**shape._asdict(), "made_by": self.made_by}
        left_out = [
            {"document_id": draft.document_id, **defect._asdict()}
            for draft in self.left_out
            for defect in draft.defects
        ]
        return {
            "topic_id": topic.topic_id,
            "topic": " ".join(filter(None, (topic.title, topic.problem_statement))),
            "topic_metadata": {**made, "mended": self.mended, "left_out": left_out},
            "subtopics": [_subtopic(each) for each in self.subtopics],
            "documents": [_document(draft) for draft in self.documents],
        }


def _subtopic(subtopic: Subtopic) -> dict[str, Any]:
    return {
        "subtopic_id": subtopic.subtopic_id,
        "subtopic_name": subtopic.name,
        "subtopic": subtopic.text,
        "insights": [
            {"insight_id": each.insight_id, "insight_name": each.name, "insight": each.text}
            for each in subtopic.insights
        ],
        "query": subtopic.query,
        "retriever": {},
        "summaries": {},
        "eval_summaries": {},
    }


def _document(draft: Draft) -> dict[str, Any]:
    return {
        "document_id": draft.document_id,
        "document_text": draft.text,
        "document_metadata": [],
        "insights_included": [*draft.quotes],
        "quotes": draft.quotes,
    }
