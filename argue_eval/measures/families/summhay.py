"""The SummHay scores: coverage of insights, citation, both jointly, and the length of bullets.

Source: "Summary of a Haystack" (EMNLP 2024), section 4.1; published x 100
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from argue_eval.measures import Measure
from argue_eval.measures.averages import harmonic_mean, ratio
from argue_eval.measures.counting import CREDIT, Case, bounds_of
from argue_eval.measures.protocols.summhay import NEED_LINK
from argue_eval.records import Bounds, Nugget, Sentence, TopicEvidence, Verdict

PROTOCOL = "summhay"


class Way(NamedTuple):
    """One way in which an insight may come out.

    Attributes:
        credit: 1, 0.5 or 0.
        precision: of the citations of its bullet; None if the insight is not covered, and so for
            `recall` and `f1`.
    """

    credit: float
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None

    @property
    def joint(self) -> float:
        """Credit x F1; 0 if the insight is not covered."""
        return self.credit * (self.f1 or 0.0)


_NOT_COVERED = Way(credit=0.0)


class Insight(NamedTuple):
    """An insight, and all that may become of it.

    Attributes:
        ways: each once; more than one if judgments are missing.
        is_attested: do the nuggets name documents that have it?
    """

    ways: tuple[Way, ...]
    is_attested: bool = True


class Stats(NamedTuple):
    """Sums of one summary, each with the number of insights that it is over.

    Attributes:
        coverage: credits of all insights; `joint` of their credits x F1.
        precision: of the citations of covered insights; so `recall` and `f1`.
        words: of all bullets, citations in brackets included.
    """

    insights: float = 0
    coverage: float = 0
    joint_insights: float = 0
    joint: float = 0
    precision_insights: float = 0
    precision: float = 0
    recall_insights: float = 0
    recall: float = 0
    f1_insights: float = 0
    f1: float = 0
    bullets: float = 0
    words: float = 0


def tally(evidence: TopicEvidence) -> Bounds:
    """A summary's sums. Without a summary, nothing is covered."""
    insights = _insights(evidence)
    bullets = evidence.report.sentences if evidence.report else ()
    graded = [each for each in insights if len({way.credit for way in each.ways}) == 1]
    joined = _joined(insights)
    cited = [each for each in insights if any(way.credit for way in each.ways)]
    decided = [each for each in cited if len({way[1:] for way in each.ways}) == 1]

    def stats(case: Case) -> Stats:
        credits, joints, covered = insights, insights, insights
        if case == "judged":
            credits, joints, covered = graded, joined, decided
        is_best = case != "worst"  # of what is judged, the best is also the worst
        pick = max if is_best else min
        precision, recall, f1 = [
            _mean_at_end(covered, name, is_best) for name in ("precision", "recall", "f1")
        ]
        return Stats(
            insights=len(credits),
            coverage=fsum(pick([way.credit for way in each.ways]) for each in credits),
            joint_insights=len(joints),
            joint=fsum(pick([way.joint for way in each.ways]) for each in joints),
            precision_insights=precision[0],
            precision=precision[1],
            recall_insights=recall[0],
            recall=recall[1],
            f1_insights=f1[0],
            f1=f1[1],
            bullets=len(bullets),
            words=sum(map(_num_words, bullets)),
        )

    num_units = {
        "nugget": len(insights),
        "linked nugget": len(insights),
        "covered nugget": len(cited),
        "sentence": len(bullets),
    }
    num_unjudged = {
        "nugget": len(insights) - len(graded),
        "linked nugget": len(insights) - len(joined),
        "covered nugget": len(cited) - len(decided),
    }
    return bounds_of(stats, num_units, num_unjudged)


def _insights(evidence: TopicEvidence) -> list[Insight]:
    claims = {nugget.nugget_id: nugget for nugget in evidence.nuggets if nugget.is_claim}
    if evidence.report is None:
        return [Insight(ways=(_NOT_COVERED,)) for _ in claims]
    cited = [
        frozenset([citation.doc_id for citation in sentence.citations])
        for sentence in evidence.report.sentences
    ]
    insights = []
    for grade in evidence.outcomes.get(PROTOCOL, ()):
        nugget = claims[grade.unit_id]
        ways = (
            way
            for verdict, bullet in grade.possible
            for way in _of_bullet(verdict, bullet, cited, nugget)
        )
        is_attested = bool(nugget.answers[0].doc_ids)
        insights.append(Insight(ways=tuple(dict.fromkeys(ways)), is_attested=is_attested))
    return insights


def _joined(insights: list[Insight]) -> list[Insight]:
    """The insights of which it is judged how well they are covered and cited.

    One that is worth nothing whatever is judged, say since no bullet cites a document that has it,
    is not among them as long as others are open: it would draw the mean down.
    """
    if all(len({way.joint for way in each.ways}) == 1 for each in insights):
        return insights
    return [each for each in insights if each.is_attested and len(each.ways) == 1]


def _of_bullet(
    verdict: Verdict, bullet: int, cited: Sequence[frozenset[str]], nugget: Nugget
) -> list[Way]:
    credit = CREDIT[verdict]
    if not credit:
        return [_NOT_COVERED]
    gold = frozenset(nugget.answers[0].doc_ids)
    if not gold:
        # Nobody says which documents have the insight: its citations may be all right or wrong.
        return [Way(credit=credit, precision=x, recall=x, f1=x) for x in (0.0, 1.0)]
    found = cited[bullet] if bullet >= 0 else frozenset()
    precision = ratio(len(found & gold), len(found)) or 0.0
    recall = len(found & gold) / len(gold)
    f1 = harmonic_mean(precision, recall)
    return [Way(credit=credit, precision=precision, recall=recall, f1=f1)]


def _num_words(bullet: Sentence) -> int:
    number = bullet.extra.get("num_words")
    return number if type(number) is int else len(bullet.text.split())


def _mean_at_end(insights: Sequence[Insight], name: str, is_best: bool) -> tuple[float, float]:
    """Number and sum of the insights whose mean is the least or the greatest possible.

    What may be covered or not is counted where that moves the mean outwards.

    Args:
        name: of the value in a `Way`.
    """
    pick = max if is_best else min
    sure: list[float] = []
    open_: list[float] = []
    for each in insights:
        values = [value for way in each.ways if (value := getattr(way, name)) is not None]
        if values:
            (sure if len(values) == len(each.ways) else open_).append(pick(values))
    if not sure and not is_best:
        return 0, 0.0  # nothing need be covered, and what is undefined counts as 0
    for value in sorted(open_, reverse=is_best):
        mean = ratio(fsum(sure), len(sure))
        if mean is None or (value > mean if is_best else value < mean):
            sure.append(value)
    return len(sure), fsum(sure)


def coverage(stats: Stats) -> float | None:
    """Insights of the topic that the summary covers, wholly or in part.

    Numerator: insights covered: full 1, partial 0.5, none 0
    Denominator: insights of the topic
    Empty: undefined where the topic has no insights (claim nuggets)
    Example: 3 insights covered full, partial and none: 1.5 / 3 = 0.5, published as 50

    >>> coverage(Stats(insights=3, coverage=1.5))
    0.5
    """
    return ratio(stats.coverage, stats.insights)


def citation_score(stats: Stats) -> float | None:
    """Bullets that cite the documents which have their insight, all of them and no others.

    Numerator: F1 of precision and recall of the citations of each covered insight's bullet
    Denominator: insights that the summary covers, wholly or in part
    Empty: undefined where no insight is covered
    Example: 2 covered insights with F1 0.2857 and 0.7273: 1.0130 / 2 = 0.5065, published as 51

    >>> round(citation_score(Stats(f1_insights=2, f1=2 / 7 + 8 / 11)), 4)
    0.5065
    """
    return ratio(stats.f1, stats.f1_insights)


def joint_score(stats: Stats) -> float | None:
    """Insights that are covered and rightly cited.

    Numerator: coverage x F1 of the citations, for each insight; 0 for one that is not covered
    Denominator: insights of the topic
    Empty: undefined where the topic has no insights (claim nuggets)
    Example: (1 x 0.2857 + 0.5 x 0.7273 + 0) / 3 = 0.2165, published as 22

    >>> round(joint_score(Stats(joint_insights=3, joint=2 / 7 + 0.5 * 8 / 11)), 4)
    0.2165
    """
    return ratio(stats.joint, stats.joint_insights)


def citation_precision(stats: Stats) -> float | None:
    """Bullets that cite no documents but those which have their insight.

    Numerator: cited documents that have the insight / cited documents, for each covered insight
    Denominator: insights that the summary covers, wholly or in part
    Empty: undefined where no insight is covered; 0 for a bullet that cites nothing
    Example: 2 covered insights, 1 of 2 and 4 of 5 citations right: (0.5 + 0.8) / 2 = 0.65

    >>> citation_precision(Stats(precision_insights=2, precision=0.5 + 0.8))
    0.65
    """
    return ratio(stats.precision, stats.precision_insights)


def citation_recall(stats: Stats) -> float | None:
    """Bullets that cite all documents which have their insight.

    Numerator: cited documents that have the insight / documents that have it, for each covered
        insight
    Denominator: insights that the summary covers, wholly or in part
    Empty: undefined where no insight is covered
    Example: 2 covered insights, 1 of 5 and 4 of 6 documents cited: (0.2 + 0.6667) / 2 = 0.4333

    >>> citation_recall(Stats(recall_insights=2, recall=0.2 + 0.6))
    0.4
    """
    return ratio(stats.recall, stats.recall_insights)


def words_per_bullet(stats: Stats) -> float | None:
    """Nothing by itself: how long the bullets are.

    Numerator: words of all bullets, citations in brackets included
    Denominator: bullets
    Empty: undefined where the summary has no bullets
    Example: 4 bullets with 118 words: 118 / 4 = 29.5
    Source: "Summary of a Haystack" (EMNLP 2024), Table 2

    >>> words_per_bullet(Stats(bullets=4, words=118))
    29.5
    """
    return ratio(stats.words, stats.bullets)


_LINK = frozenset({NEED_LINK})

MEASURES = (
    Measure(coverage, unit="nugget"),
    Measure(citation_score, unit="covered nugget", needs=_LINK),
    Measure(joint_score, unit="linked nugget", needs=_LINK),
    Measure(citation_precision, unit="covered nugget", needs=_LINK),
    Measure(citation_recall, unit="covered nugget", needs=_LINK),
    Measure(words_per_bullet, unit="sentence", is_count=True, is_judged=False),
)
