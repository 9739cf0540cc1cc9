"""Key point recall, precision and F1 (Long2RAG), and the length of the response.

Source: Long2RAG (2024), section 6.4
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from argue_eval.measures import Measure
from argue_eval.measures.averages import harmonic_mean, ratio
from argue_eval.measures.counting import Case, bounds_of
from argue_eval.measures.protocols.key_points import (
    NEED_ENTAILED,
    KeyPointOutcome,
    KeyPointOutcomes,
)
from argue_eval.records import Bounds, TopicEvidence

PROTOCOL = "key_points"


class Stats(NamedTuple):
    """Counts of one question.

    Attributes:
        key_points: those of which it is judged whether the response covers them.
        found: covered ones, or those of the response itself, of which it is judged whether the
            documents entail them.
        kpf: at the ends of the bounds, its least and its greatest value, which are not those of
            recall and precision taken together.
    """

    key_points: float = 0
    covered: float = 0
    found: float = 0
    entailed: float = 0
    kpf: float | None = None
    response_words: float = 0


def tally(evidence: TopicEvidence) -> Bounds:
    """A question's counts."""
    points, own = evidence.outcomes.get(PROTOCOL, KeyPointOutcomes())
    words = (
        sum(len(each.text.split()) for each in evidence.report.sentences) if evidence.report else 0
    )
    found = [point for point in points if point.is_covered is not False] if own is None else own

    def stats(case: Case) -> Stats:
        if case == "judged":
            return _judged(points, found, words)
        is_best = case == "best"
        end = _end(points, words, is_best=is_best)
        return end if own is None else _of_own(end, own, is_best=is_best)

    return bounds_of(
        stats,
        {
            "key_point": len(points),
            "found_key_point": len(found),
            "report": int(evidence.report is not None),
        },
        {
            "key_point": sum(point.is_covered is None for point in points),
            "found_key_point": sum(
                point.is_covered is None or point.is_entailed is None for point in found
            ),
        },
    )


def _judged(
    points: Sequence[KeyPointOutcome], found: Sequence[KeyPointOutcome], words: int
) -> Stats:
    verdicts = [
        point.is_entailed for point in found if point.is_covered and point.is_entailed is not None
    ]
    return _with_f1(
        Stats(
            key_points=sum(point.is_covered is not None for point in points),
            covered=sum(point.is_covered is True for point in points),
            found=len(verdicts),
            entailed=sum(verdicts),
            response_words=words,
        )
    )


def _of_own(end: Stats, own: Sequence[KeyPointOutcome], *, is_best: bool) -> Stats:
    """The counts of one end, with the precision over the response's own key points."""
    entailed = sum(point.is_entailed or (is_best and point.is_entailed is None) for point in own)
    return _with_f1(end._replace(found=len(own), entailed=entailed))


def _with_f1(stats: Stats) -> Stats:
    return stats._replace(kpf=harmonic_mean(kpr(stats), kpp(stats)))


def _end(points: Sequence[KeyPointOutcome], words: int, *, is_best: bool) -> Stats:
    """The counts for the least or the greatest value of every measure."""
    if is_best:
        covered = [point for point in points if point.is_covered is not False]
        entailed = sum(point.is_entailed is not False for point in covered)
        # To say what no document entails adds to the recall alone.
        found = sum(bool(point.is_covered) or point.is_entailed is not False for point in covered)
    else:
        covered = [point for point in points if point.is_covered]
        entailed = sum(point.is_entailed is True for point in covered)
        # To say what no document entails lowers the precision, and adds nothing entailed.
        found = len(covered) + sum(
            point.is_covered is None and not point.is_entailed for point in points
        )
    first, last = sorted((len(covered), found))
    # The F1 may rise with the first of these, for their recall, and fall with the rest.
    f1s = [_f1(len(points), number, entailed) for number in range(first, last + 1)]
    return Stats(
        key_points=len(points),
        covered=len(covered),
        found=found,
        entailed=entailed,
        kpf=max(f1s) if is_best else min(f1s),
        response_words=words,
    )


def _f1(key_points: int, covered: int, entailed: int) -> float:
    """The harmonic mean of recall and precision; 0 where one is undefined, as in a mean."""
    return harmonic_mean(ratio(covered, key_points), ratio(entailed, covered)) or 0.0


def kpr(stats: Stats) -> float | None:
    """Key points of the question that the response makes: key point recall.

    Numerator: key points that the response entails (yes; partial is not yes)
    Denominator: key points of the question
    Empty: undefined where the question has no key points
    Example: 4 key points, 2 entailed, 1 partially, 1 not: 2 / 4 = 0.5
    Source: Long2RAG (2024), section 4

    >>> kpr(Stats(key_points=4, covered=3))
    0.75
    """
    return ratio(stats.covered, stats.key_points)


def kpp(stats: Stats) -> float | None:
    """Key points made that the retrieved documents bear out: key point precision.

    Numerator: key points that the response entails and a retrieved document too
    Denominator: key points that the response entails, or with --response-points its own ones
    Empty: undefined where the response covers no key point
    Example: 3 key points entailed by the response, 2 of them by a document: 2 / 3 = 0.6667

    >>> kpp(Stats(key_points=4, covered=3, found=2, entailed=1))
    0.5
    """
    return ratio(stats.entailed, stats.found)


def kpf(stats: Stats) -> float | None:
    """Key points made, and borne out by the retrieved documents: key point F1.

    Numerator: 2 x kpr x kpp
    Denominator: kpr + kpp
    Empty: 0 where one of the two is 0, undefined where one of them is
    Example: kpr 0.75, kpp 0.6667: 2 x 0.75 x 0.6667 / 1.4167 = 0.7059

    >>> kpf(Stats(kpf=0.6))
    0.6
    """
    return stats.kpf


def response_words(stats: Stats) -> float:
    """Nothing by itself: how long the response is.

    Numerator: words of the response: what stands between spaces
    Denominator: none, it is a count
    Empty: 0 where the response has no sentences
    Example: 'It ran aground in 2019.' has 5 words

    >>> response_words(Stats(response_words=5))
    5.0
    """
    return float(stats.response_words)


_ENTAILED = frozenset({NEED_ENTAILED})

MEASURES = (
    Measure(kpr, unit="key_point"),
    Measure(kpp, unit="found_key_point", needs=_ENTAILED),
    Measure(kpf, unit="found_key_point", needs=_ENTAILED),
    Measure(response_words, unit="report", is_count=True, is_judged=False),
)
