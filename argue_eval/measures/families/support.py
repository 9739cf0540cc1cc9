"""The support scores of the TREC RAG track: the first citation of every sentence, graded.

Source: support evaluation of the TREC 2024 RAG track
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from argue_eval.measures import Measure
from argue_eval.measures.averages import ratio
from argue_eval.measures.counting import CREDIT, Case, bounds_of
from argue_eval.records import Bounds, Grade, TopicEvidence

PROTOCOL = "support"


class Stats(NamedTuple):
    """Counts of one topic; `sentences` leaves out cited sentences that are unjudged."""

    support: float = 0
    cited: float = 0
    sentences: float = 0


def tally(evidence: TopicEvidence) -> Bounds:
    """A topic's counts."""
    grades: Sequence[Grade] = evidence.outcomes[PROTOCOL]
    num_sentences = len(evidence.report.sentences) if evidence.report else 0
    num_open = sum(grade.verdict is None for grade in grades)

    def stats(case: Case) -> Stats:
        credits = [
            CREDIT[verdict] for grade in grades if (verdict := grade.in_case(case)) is not None
        ]
        num_left_out = len(grades) - len(credits)
        return Stats(
            support=sum(credits), cited=len(credits), sentences=num_sentences - num_left_out
        )

    num_units = {"sentence": num_sentences, "citation": len(grades)}
    return bounds_of(stats, num_units, {"sentence": num_open, "citation": num_open})


def weighted_precision(stats: Stats) -> float | None:
    """Cited sentences whose first cited document supports them.

    Numerator: grades of the first citations: full 1, partial 0.5, none 0
    Denominator: sentences with a citation
    Empty: undefined where no sentence cites anything
    Example: 4 cited sentences graded full, full, partial, none: 2.5 / 4 = 0.625

    >>> weighted_precision(Stats(support=2.5, cited=4, sentences=5))
    0.625
    """
    return ratio(stats.support, stats.cited)


def weighted_recall(stats: Stats) -> float | None:
    """Sentences whose first cited document supports them.

    Numerator: grades of the first citations: full 1, partial 0.5, none 0
    Denominator: sentences of the report
    Empty: undefined where the report has no sentences
    Example: the same four and one uncited sentence: 2.5 / 5 = 0.5

    >>> weighted_recall(Stats(support=2.5, cited=4, sentences=5))
    0.5
    """
    return ratio(stats.support, stats.sentences)


MEASURES = (
    Measure(weighted_precision, unit="citation"),
    Measure(weighted_recall, unit="sentence"),
)
