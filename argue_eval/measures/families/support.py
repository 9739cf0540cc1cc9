"""The support scores of the TREC RAG track: the first citation of every sentence, graded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from argue_eval.measures import Measure
from argue_eval.measures.averages import Case, bounds_of, ratio
from argue_eval.records import Bounds, Grade, TopicEvidence, Verdict

PROTOCOL = "support"

SOURCE = "support evaluation of the TREC 2024 RAG track"

_CREDIT = {Verdict.YES: 1.0, Verdict.PARTIAL: 0.5, Verdict.NO: 0.0}


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
            _CREDIT[verdict] for grade in grades if (verdict := grade.in_case(case)) is not None
        ]
        num_left_out = len(grades) - len(credits)
        return Stats(
            support=sum(credits), cited=len(credits), sentences=num_sentences - num_left_out
        )

    num_units = {"sentence": num_sentences, "citation": len(grades)}
    return bounds_of(stats, num_units, {"sentence": num_open, "citation": num_open})


def weighted_precision(stats: Stats) -> float | None:
    """Returns the support of cited sentences / cited sentences.

    >>> weighted_precision(Stats(support=2.5, cited=4, sentences=5))
    0.625
    """
    return ratio(stats.support, stats.cited)


def weighted_recall(stats: Stats) -> float | None:
    """Returns the support of cited sentences / all sentences.

    >>> weighted_recall(Stats(support=2.5, cited=4, sentences=5))
    0.5
    """
    return ratio(stats.support, stats.sentences)


MEASURES = (
    Measure(
        "weighted_precision",
        "cited sentences whose first cited document supports them",
        "grades of the first citations: full 1, partial 0.5, none 0",
        "sentences with a citation",
        "undefined where no sentence cites anything",
        SOURCE,
        "4 cited sentences graded full, full, partial, none: 2.5 / 4 = 0.625",
        weighted_precision,
        "citation",
    ),
    Measure(
        "weighted_recall",
        "sentences whose first cited document supports them",
        "grades of the first citations: full 1, partial 0.5, none 0",
        "sentences of the report",
        "undefined where the report has no sentences",
        SOURCE,
        "the same four and one uncited sentence: 2.5 / 5 = 0.5",
        weighted_recall,
        "sentence",
    ),
)
