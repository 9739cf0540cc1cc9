"""Key point recall, precision and F1 (Long2RAG), and the length of the response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from argue_eval.measures import Measure, count_of
from argue_eval.measures.averages import Case, bounds_of, harmonic_mean, ratio
from argue_eval.measures.protocols.key_points import (
    NEED_ENTAILED,
    KeyPointOutcome,
    KeyPointOutcomes,
)
from argue_eval.records import Average, Bounds, TopicEvidence

PROTOCOL = "key_points"

SOURCE = "Long2RAG (2024), section 4"
_ADDITIONAL = "Long2RAG (2024), section 6.4"


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
    words = num_words(evidence)
    found = [point for point in points if point.is_covered is not False] if own is None else own

    def stats(case: Case) -> Stats:
        if case == "judged":
            return _judged(points, found, words)
        end = _worst(points, words) if case == "worst" else _best(points, words)
        return end if own is None else _of_own(end, own, is_best=case == "best")

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


def num_words(evidence: TopicEvidence) -> int:
    """Returns how many words the response has: what stands between spaces."""
    sentences = evidence.report.sentences if evidence.report else ()
    return sum(len(sentence.text.split()) for sentence in sentences)


def _judged(
    points: Sequence[KeyPointOutcome], found: Sequence[KeyPointOutcome], words: int
) -> Stats:
    verdicts = [
        point.is_entailed for point in found if point.is_covered and point.is_entailed is not None
    ]
    num_judged = sum(point.is_covered is not None for point in points)
    num_covered = sum(point.is_covered is True for point in points)
    stats = Stats(num_judged, num_covered, len(verdicts), sum(verdicts), None, words)
    return stats._replace(kpf=harmonic_mean(kpr(stats), kpp(stats)))


def _of_own(end: Stats, own: Sequence[KeyPointOutcome], *, is_best: bool) -> Stats:
    """Returns the counts of one end, with the precision over the response's own key points."""
    entailed = sum(point.is_entailed or (is_best and point.is_entailed is None) for point in own)
    stats = end._replace(found=len(own), entailed=entailed)
    return stats._replace(kpf=harmonic_mean(kpr(stats), kpp(stats)))


def _worst(points: Sequence[KeyPointOutcome], words: int) -> Stats:
    """Returns the counts for the least value of every measure."""
    sure = [point for point in points if point.is_covered]
    entailed = sum(point.is_entailed is True for point in sure)
    # To say what no document entails lowers the precision, and adds nothing entailed.
    found = len(sure) + sum(point.is_covered is None and not point.is_entailed for point in points)
    # The F1 may rise with the first of these, for their recall, and fall with the rest.
    kpf = min(_f1(len(points), number, entailed) for number in range(len(sure), found + 1))
    return Stats(len(points), len(sure), found, entailed, kpf, words)


def _best(points: Sequence[KeyPointOutcome], words: int) -> Stats:
    """Returns the counts for the greatest value of every measure."""
    covered = [point for point in points if point.is_covered is not False]
    entailed = sum(point.is_entailed is not False for point in covered)
    # To say what no document entails adds to the recall alone.
    found = sum(bool(point.is_covered) or point.is_entailed is not False for point in covered)
    # The F1 may rise with the first of these, for their recall, and fall with the rest.
    kpf = max(_f1(len(points), number, entailed) for number in range(found, len(covered) + 1))
    return Stats(len(points), len(covered), found, entailed, kpf, words)


def _f1(key_points: int, covered: int, entailed: int) -> float:
    """Returns the harmonic mean of recall and precision, 0 where one is undefined, as in a mean."""
    return harmonic_mean(ratio(covered, key_points), ratio(entailed, covered)) or 0.0


def kpr(stats: Stats) -> float | None:
    """Returns covered key points / key points.

    >>> kpr(Stats(key_points=4, covered=3))
    0.75
    """
    return ratio(stats.covered, stats.key_points)


def kpp(stats: Stats) -> float | None:
    """Returns covered key points that the retrieved documents entail / covered key points.

    >>> kpp(Stats(key_points=4, covered=3, found=2, entailed=1))
    0.5
    """
    return ratio(stats.entailed, stats.found)


def kpf(stats: Stats) -> float | None:
    """Returns the harmonic mean of recall and precision.

    >>> kpf(Stats(kpf=0.6))
    0.6
    """
    return stats.kpf


_NO_POINTS = "undefined where the question has no key points"
_NONE_FOUND = "undefined where the response covers no key point"

MEASURES = (
    Measure(
        "kpr",
        "key points of the question that the response makes: key point recall",
        "key points that the response entails (yes; partial is not yes)",
        "key points of the question",
        _NO_POINTS,
        SOURCE,
        "4 key points, 2 entailed, 1 partially, 1 not: 2 / 4 = 0.5",
        kpr,
        "key_point",
    ),
    Measure(
        "kpp",
        "key points made that the retrieved documents bear out: key point precision",
        "key points that the response entails and a retrieved document too",
        "key points that the response entails, or with --response-points its own ones",
        _NONE_FOUND,
        _ADDITIONAL,
        "3 key points entailed by the response, 2 of them by a document: 2 / 3 = 0.6667",
        kpp,
        "found_key_point",
        frozenset({NEED_ENTAILED}),
    ),
    Measure(
        "kpf",
        "key points made, and borne out by the retrieved documents: key point F1",
        "2 x kpr x kpp",
        "kpr + kpp",
        "0 where one of the two is 0, undefined where one of them is",
        _ADDITIONAL,
        "kpr 0.75, kpp 0.6667: 2 x 0.75 x 0.6667 / 1.4167 = 0.7059",
        kpf,
        "found_key_point",
        frozenset({NEED_ENTAILED}),
    ),
    Measure(
        "response_words",
        "nothing by itself: how long the response is",
        "words of the response: what stands between spaces",
        "none, it is a count",
        "0 where the response has no sentences",
        _ADDITIONAL,
        "'It ran aground in 2019.' has 5 words",
        count_of("response_words"),
        "report",
        average=Average.MEAN,
        is_count=True,
        is_judged=False,
    ),
)
