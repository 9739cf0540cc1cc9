"""The support scores of the TREC RAG track, over the first citation of every sentence or over all.

Source: support evaluation of the TREC 2024 RAG track
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from argue_eval.measures import Measure
from argue_eval.measures.averages import ratio
from argue_eval.measures.counting import CREDIT, Case, bounds_of
from argue_eval.measures.protocols.support import CitedSentence
from argue_eval.records import Bounds, TopicEvidence, Verdict

PROTOCOL = "support"

_FILLED: dict[Case, Verdict | None] = {"judged": None, "worst": Verdict.NO, "best": Verdict.YES}


class Stats(NamedTuple):
    """Counts of one topic; sentences that cite and are unjudged are in none of them.

    Attributes:
        support: grades of first citations; `hard` only counts full support.
        cited: sentences of which the first citation is judged.
        sentences: these, and those that cite nothing.
        support_all: for each sentence the mean grade of its judged citations.
        cited_all: sentences of which some citation is judged; `sentences_all` likewise.
    """

    support: float = 0
    hard: float = 0
    cited: float = 0
    sentences: float = 0
    support_all: float = 0
    cited_all: float = 0
    sentences_all: float = 0


def tally(evidence: TopicEvidence) -> Bounds:
    """A topic's counts."""
    found: Sequence[CitedSentence] = evidence.outcomes[PROTOCOL]
    num_sentences = len(evidence.report.sentences) if evidence.report else 0
    num_uncited = num_sentences - len(found)

    def stats(case: Case) -> Stats:
        filled = _FILLED[case]
        firsts = [verdict for each in found if (verdict := each.verdicts[0] or filled)]
        means = [mean for each in found if (mean := _mean_grade(each, filled)) is not None]
        return Stats(
            support=fsum([CREDIT[verdict] for verdict in firsts]),
            hard=firsts.count(Verdict.YES),
            cited=len(firsts),
            sentences=num_uncited + len(firsts),
            support_all=fsum(means),
            cited_all=len(means),
            sentences_all=num_uncited + len(means),
        )

    num_open = sum(each.verdicts[0] is None for each in found)
    num_open_all = sum(not any(each.verdicts) for each in found)
    num_units = {"sentence": num_sentences, "citation": len(found)}
    num_units |= {"sentence (all)": num_sentences, "citation (all)": len(found)}
    num_unjudged = {"sentence": num_open, "citation": num_open}
    num_unjudged |= {"sentence (all)": num_open_all, "citation (all)": num_open_all}
    return bounds_of(stats, num_units, num_unjudged)


def _mean_grade(cited: CitedSentence, filled: Verdict | None) -> float | None:
    """The mean over the judged citations of a sentence; where there is none, what is filled in."""
    judged = [verdict for verdict in cited.verdicts if verdict] or ([filled] if filled else [])
    return ratio(fsum([CREDIT[verdict] for verdict in judged]), len(judged))


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


def hard_precision(stats: Stats) -> float | None:
    """Cited sentences whose first cited document supports them fully.

    Numerator: sentences whose first citation is graded full
    Denominator: sentences with a citation
    Empty: undefined where no sentence cites anything
    Example: 4 cited sentences graded full, full, partial, none: 2 / 4 = 0.5

    >>> hard_precision(Stats(hard=2, cited=4, sentences=5))
    0.5
    """
    return ratio(stats.hard, stats.cited)


def hard_recall(stats: Stats) -> float | None:
    """Sentences whose first cited document supports them fully.

    Numerator: sentences whose first citation is graded full
    Denominator: sentences of the report
    Empty: undefined where the report has no sentences
    Example: the same four and one uncited sentence: 2 / 5 = 0.4

    >>> hard_recall(Stats(hard=2, cited=4, sentences=5))
    0.4
    """
    return ratio(stats.hard, stats.sentences)


def weighted_precision_all(stats: Stats) -> float | None:
    """Cited sentences that the documents support which they cite, first or not.

    Numerator: for each sentence the mean grade of its judged citations: full 1, partial 0.5, none 0
    Denominator: sentences with a citation
    Empty: undefined where no sentence cites anything
    Example: one sentence with grades full and none, one with partial: (0.5 + 0.5) / 2 = 0.5

    >>> weighted_precision_all(Stats(support_all=1, cited_all=2, sentences_all=4))
    0.5
    """
    return ratio(stats.support_all, stats.cited_all)


def weighted_recall_all(stats: Stats) -> float | None:
    """Sentences that the documents support which they cite, first or not.

    Numerator: for each sentence the mean grade of its judged citations: full 1, partial 0.5, none 0
    Denominator: sentences of the report
    Empty: undefined where the report has no sentences
    Example: the same two and two uncited sentences: (0.5 + 0.5) / 4 = 0.25

    >>> weighted_recall_all(Stats(support_all=1, cited_all=2, sentences_all=4))
    0.25
    """
    return ratio(stats.support_all, stats.sentences_all)


MEASURES = (
    Measure(weighted_precision, unit="citation"),
    Measure(weighted_recall, unit="sentence"),
    Measure(hard_precision, unit="citation"),
    Measure(hard_recall, unit="sentence"),
    Measure(weighted_precision_all, unit="citation (all)"),
    Measure(weighted_recall_all, unit="sentence (all)"),
)
