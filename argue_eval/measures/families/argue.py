"""The ARGUE paper: sentence precision, nugget recall, their F1, and counts of outcomes.

Source: On the Evaluation of Machine-Generated Reports (SIGIR 2024), section 4.5
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import compress
from math import fsum
from typing import NamedTuple

from argue_eval.measures import Measure, count
from argue_eval.measures.averages import harmonic_mean, ratio
from argue_eval.measures.counting import Case, NuggetCounts, bounds_of
from argue_eval.measures.protocols.argue import (
    NEED_CREDITS,
    NEED_OUTCOME,
    OUTCOMES,
    PENALISED,
    REWARDED,
    ArgueOutcomes,
    CitationOutcome,
    SentenceOutcome,
)
from argue_eval.records import Bounds, ScoringOptions, TopicEvidence

PROTOCOL = "argue"


class Stats(NamedTuple):
    """Counts of one topic.

    Attributes:
        rewarded: sentences; citations under `micro`; sums of their credits under `macro`.
        penalised: the same.
        correct: nuggets that the report answers.
        nuggets: those that count: without missing judgments all of the topic.
        correct_weighted: their weights; so `nuggets_weighted`.
        outcome_1: sentences with this outcome; so the other seven.
    """

    rewarded: float = 0
    penalised: float = 0
    correct: float = 0
    nuggets: float = 0
    correct_weighted: float = 0
    nuggets_weighted: float = 0
    outcome_1: float = 0
    outcome_2: float = 0
    outcome_3: float = 0
    outcome_4: float = 0
    outcome_5: float = 0
    outcome_6: float = 0
    outcome_7: float = 0
    outcome_8: float = 0


def tally(evidence: TopicEvidence) -> Bounds:
    """A topic's counts. The worst case of an outcome's own count is its least value."""
    found: ArgueOutcomes = evidence.outcomes[PROTOCOL]
    num_units = {"sentence": len(found.sentences), "nugget": len(found.nuggets)}
    outcomes = [each.outcome for each in found.sentences]
    are_correct = [each.is_correct for each in found.nuggets]
    if None not in outcomes and None not in are_correct:
        # Mostly nothing is open, and this takes half the time.
        counts = {number: outcomes.count(number) for number in OUTCOMES}
        weights = [each.weight for each in found.nuggets]
        correct = list(compress(weights, are_correct))
        stats = Stats(
            sum([counts[number] for number in REWARDED]),
            sum([counts[number] for number in PENALISED]),
            len(correct),
            len(weights),
            fsum(correct),
            fsum(weights),
            *counts.values(),
        )
        return Bounds(judged=stats, worst=stats, best=stats, num_units=num_units)
    nuggets = NuggetCounts(found.nuggets)
    units, num_open = _count_units(found.sentences, evidence.options)
    return bounds_of(
        lambda case: _stats(units, nuggets, case),
        num_units,
        {"sentence": num_open, "nugget": nuggets.num_open},
    )


class Unit(NamedTuple):
    """What counts once for precision: a sentence, or one of its citations.

    Attributes:
        judged: (credit, weight); the weight is 0 if it is ignored or unjudged.
        worst: the same if missing judgments come out badly; `best` if they come out well.
        certain: outcomes that it surely has.
        possible: outcomes that it may have.
    """

    judged: tuple[float, float]
    worst: tuple[float, float]
    best: tuple[float, float]
    certain: tuple[int, ...]
    possible: tuple[int, ...]


def _count_units(
    outcomes: Sequence[SentenceOutcome], options: ScoringOptions
) -> tuple[Counter[Unit], int]:
    """How often each unit of precision occurs, and how many sentences are unjudged."""
    by_citation = options.citations in ("macro", "micro")
    units: Counter[Unit] = Counter()
    num_open = 0
    for outcome in outcomes:
        parts = [_unit(outcome.possible)]
        if by_citation and outcome.citations:
            parts = _citation_units(outcome.citations)
        # Missing answers may join rewarded citations, and so leave a decided sentence open.
        num_open += any(part.certain != part.possible for part in parts)
        if options.citations == "macro" and outcome.citations:
            parts = [_mean_unit(parts)]
        units.update(parts)
    return units, num_open


@cache
def _unit(possible: tuple[int, ...]) -> Unit:
    """The unit of something with one outcome, of which these are possible."""
    ends = {_credit(outcome) for outcome in possible} or {(0.0, 0.0)}
    # Penalised is worse than ignored, and ignored is never better than rewarded.
    worst = min(ends, key=lambda end: (end[0] - end[1], end[0]))
    best = max(ends, key=lambda end: (end[0], -end[1]))
    return Unit(
        # What is penalised either way (5 or 7, say) needs no further judgment to be counted.
        judged=worst if worst == best else (0.0, 0.0),
        worst=worst,
        best=best,
        certain=possible if len(possible) == 1 else (),
        possible=possible,
    )


def _credit(outcome: int) -> tuple[float, float]:
    return (float(outcome in REWARDED), float(outcome in REWARDED or outcome in PENALISED))


def _citation_units(citations: Sequence[CitationOutcome]) -> list[Unit]:
    """One unit per citation; rewarded citations of the same nugget are one.

    Answers that nobody has judged could still join two rewarded citations: the worst case.
    """
    rewarded = [citation for citation in citations if citation.outcome == 3]
    units = [_unit(citation.possible) for citation in citations if citation.outcome != 3]
    apart = len(_groups([set(_nuggets(each.answered)) for each in rewarded]))
    joined = _groups(
        [set(_nuggets(each.answered + each.unanswered)) for each in citations if 3 in each.possible]
    )
    together = sum(
        any(group.issuperset(_nuggets(each.answered)) for each in rewarded) for group in joined
    )
    one, none = (1.0, 1.0), (0.0, 0.0)
    if_joined = Unit(judged=one, worst=none, best=one, certain=(), possible=(3,))
    return units + [_unit((3,))] * together + [if_joined] * (apart - together)


def _nuggets(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return [nugget_id for nugget_id, _ in pairs]


def _groups(sets: Sequence[set[str]]) -> list[set[str]]:
    """The sets, of which those that share a member are joined."""
    groups: list[set[str]] = []
    for each in sets:
        merged = set(each)
        for group in [group for group in groups if group & merged]:
            groups.remove(group)
            merged |= group
        groups.append(merged)
    return groups


def _mean_unit(parts: Sequence[Unit]) -> Unit:
    """The unit of a sentence whose credit is the mean over its judged citations."""

    def mean_of(ends: list[tuple[float, float]]) -> tuple[float, float]:
        weight = fsum(end[1] for end in ends)
        return (fsum(end[0] for end in ends) / weight, 1.0) if weight else (0.0, 0.0)

    return Unit(
        judged=mean_of([part.judged for part in parts]),
        worst=mean_of([part.worst for part in parts]),
        best=mean_of([part.best for part in parts]),
        certain=tuple(outcome for part in parts for outcome in part.certain),
        possible=tuple(outcome for part in parts for outcome in part.possible),
    )


def _stats(units: Counter[Unit], nuggets: NuggetCounts, case: Case) -> Stats:
    counts = dict.fromkeys(OUTCOMES, 0)
    credits: list[float] = []
    weights: list[float] = []
    for unit, number in units.items():
        credit, weight = getattr(unit, case)
        credits.append(credit * number)
        weights.append(weight * number)
        for outcome in unit.possible if case == "best" else unit.certain:
            counts[outcome] += number
    rewarded = fsum(credits)
    return Stats(rewarded, fsum(weights) - rewarded, *nuggets.in_case(case), *counts.values())


def sentence_precision(stats: Stats) -> float | None:
    """Sentences that say what they should and can be verified.

    Numerator: sentences rewarded (outcomes 3 and 8)
    Denominator: sentences rewarded or penalised (1, 5, 7); ignored ones (2, 4, 6) are in neither
    Empty: undefined where no sentence is rewarded or penalised
    Example: 3 sentences with outcome 3, 1 with outcome 5, 4 with outcome 4: 3 / (3 + 1) = 0.75

    >>> sentence_precision(Stats(rewarded=3, penalised=1)), sentence_precision(Stats())
    (0.75, None)
    """
    return ratio(stats.rewarded, stats.rewarded + stats.penalised)


def nugget_recall(stats: Stats) -> float | None:
    """Nuggets that the report answers, citing a document that attests the answer.

    Numerator: correct nuggets: OR with one credited answer, AND with all, absence with outcome 8
    Denominator: nuggets of the topic
    Empty: undefined where the topic has no nuggets
    Example: 5 nuggets, 3 answered, one of them in three sentences: 3 / 5 = 0.6

    >>> nugget_recall(Stats(correct=3, nuggets=5))
    0.6
    """
    return ratio(stats.correct, stats.nuggets)


def nugget_recall_weighted(stats: Stats) -> float | None:
    """The same, where vital nuggets count more.

    Numerator: weights of the correct nuggets (--weights, by default vital 2, okay 1, none 1)
    Denominator: weights of all nuggets of the topic
    Empty: undefined where the topic has no nuggets
    Example: 2 vital nuggets, 1 of them correct, 2 okay, both correct: (2 + 1 + 1) / 6 = 0.6667
    Source: On the Evaluation of Machine-Generated Reports (SIGIR 2024), section 4.5, weights as in
        Auto-ARGUE

    >>> nugget_recall_weighted(Stats(correct_weighted=4, nuggets_weighted=8))
    0.5
    """
    return ratio(stats.correct_weighted, stats.nuggets_weighted)


def argue_f1(stats: Stats) -> float | None:
    """Precision and recall together.

    Numerator: 2 x sentence_precision x nugget_recall
    Denominator: sentence_precision + nugget_recall
    Empty: 0 where both are 0; undefined where one of them is
    Example: precision 1.0, recall 0.6: 2 x 1.0 x 0.6 / 1.6 = 0.75

    >>> round(argue_f1(Stats(rewarded=5, penalised=0, correct=3, nuggets=5)), 4)
    0.75
    """
    return harmonic_mean(sentence_precision(stats), nugget_recall(stats))


def argue_f1_weighted(stats: Stats) -> float | None:
    """Precision and weighted recall together.

    Numerator: 2 x sentence_precision x nugget_recall_weighted
    Denominator: sentence_precision + nugget_recall_weighted
    Empty: 0 where both are 0; undefined where one of them is
    Example: precision 0.5, weighted recall 0.5: 0.5

    >>> argue_f1_weighted(Stats(rewarded=1, penalised=1, correct_weighted=1, nuggets_weighted=2))
    0.5
    """
    return harmonic_mean(sentence_precision(stats), nugget_recall_weighted(stats))


_EFFECTS = {"penalise": "penalised", "ignore": "ignored", "reward": "rewarded"}
_OUTCOME = frozenset({NEED_OUTCOME})
_CREDITS = frozenset({NEED_CREDITS})

MEASURES = (
    Measure(sentence_precision, unit="sentence", needs=_OUTCOME),
    Measure(nugget_recall, unit="nugget", needs=_CREDITS),
    Measure(nugget_recall_weighted, unit="nugget", needs=_CREDITS),
    Measure(argue_f1, unit="sentence", needs=_OUTCOME | _CREDITS),
    Measure(argue_f1_weighted, unit="sentence", needs=_OUTCOME | _CREDITS),
    *(
        count(
            f"outcome_{number}",
            f"""{name} ({_EFFECTS[effect]})

            Numerator: sentences with outcome {number} (citations, under --citations macro and
                micro)
            Example: a report of 16 sentences may have outcome_3 5 and outcome_4 5
            Source: On the Evaluation of Machine-Generated Reports (SIGIR 2024), section 4.5,
                Figure 2
            """,
            unit="sentence",
            needs=_OUTCOME,
        )
        for number, (effect, name) in OUTCOMES.items()
    ),
)
