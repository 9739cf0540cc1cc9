"""The ARGUE flowchart: every sentence ends in one of eight outcomes.

Source: "On the Evaluation of Machine-Generated Reports" (SIGIR 2024), Figure 2 and section 4.5.
The unit is a sentence of the report. Two readings of the chart: `argue` as in the paper asks for
support only where no nugget is answered, `strict` asks for it at every citation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from argue_eval.measures.protocols import Known, verdict_of
from argue_eval.records import (
    Aggregator,
    CitationOutcome,
    Kind,
    Need,
    Nugget,
    NuggetOutcome,
    Question,
    ScoringOptions,
    Sentence,
    SentenceOutcome,
    Verdict,
)

READINGS = ("argue", "strict")
CITATIONS = ("all", "any", "macro", "micro")
ATTESTATIONS = ("cited-document", "any-document")

OUTCOMES = {
    1: ("penalise", "the cited document does not support the sentence"),
    2: ("ignore", "supported, but not part of any nugget"),
    3: ("reward", "answers a nugget, and the cited document attests that answer"),
    4: ("ignore", "needs no citation and has none"),
    5: ("penalise", "needs a citation and has none, first time that this is claimed"),
    6: ("ignore", "needs a citation and has none, but repeats an earlier claim"),
    7: ("penalise", "says that something is absent, and no absence nugget agrees"),
    8: ("reward", "says that something is absent, and an absence nugget agrees"),
}
REWARDED = frozenset({3, 8})
PENALISED = frozenset({1, 5, 7})

_PRIORITY = {"all": (1, 3, 2), "any": (3, 2, 1)}

# The chart is walked millions of times, and finding a member in its Enum takes ten times as long
# as finding a name of this module.
_RELEVANT, _ANSWERS, _SUPPORT = Kind.RELEVANT, Kind.ANSWERS, Kind.SUPPORT
_UNCITED = _NEGATIVE, _REQUIRED, _FIRST = (
    Kind.NEGATIVE,
    Kind.REQUIRES_CITATION,
    Kind.FIRST_INSTANCE,
)
_AGREES = Kind.AGREES
_YES, _NO = Verdict.YES, Verdict.NO
_AND = Aggregator.AND
# A named tuple made this way has no call in Python behind it.
_new = tuple.__new__

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic's nuggets as the chart looks them up.

    Attributes:
        attested: (nugget_id, answer) pairs by the document that attests them.
        pairs: all of them, once each.
        absence_ids: nuggets without an answer.
        wrong: the outcome of every nugget that a report does not touch.
    """

    nuggets: tuple[Nugget, ...]
    attested: dict[str, tuple[Pair, ...]] = field(default_factory=dict)
    pairs: tuple[Pair, ...] = ()
    absence_ids: tuple[str, ...] = ()
    wrong: tuple[NuggetOutcome, ...] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """Which reading of the chart is asked for what."""

    options: ScoringOptions = field(default_factory=ScoringOptions)
    needs: frozenset[Need] = frozenset(Need)
    is_strict: bool = field(init=False)
    """Must every citation support its sentence?"""
    is_any_document: bool = field(init=False)
    """Does an answer count whatever document is cited?"""

    def __post_init__(self) -> None:
        # Looked up at every citation, and not compared there every time.
        object.__setattr__(self, "is_strict", self.options.reading == "strict")
        object.__setattr__(self, "is_any_document", self.options.attestation == "any-document")


def prepare(nuggets: Sequence[Nugget]) -> Topic:
    """Returns the look-up tables for a topic's nuggets."""
    attested: dict[str, dict[Pair, None]] = {}
    pairs: dict[Pair, None] = {}
    for nugget in nuggets:
        for answer in nugget.answers:
            pair = (nugget.nugget_id, answer.answer)
            pairs[pair] = None
            for doc_id in answer.doc_ids:
                attested.setdefault(doc_id, {})[pair] = None
    return Topic(
        tuple(nuggets),
        {doc_id: tuple(found) for doc_id, found in attested.items()},
        tuple(pairs),
        tuple(nugget.nugget_id for nugget in nuggets if nugget.is_absence),
        tuple(NuggetOutcome(nugget, False) for nugget in nuggets),
    )


def step(
    index: int, sentence: Sentence, topic: Topic, known: Known, chart: Chart
) -> SentenceOutcome:
    """Returns where a sentence ends, as far as what is known decides it.

    Args:
        index: the sentence's 0-based place in its report.
    """
    if sentence.citations:
        return _cited(index, sentence, topic, known, chart)
    return _uncited(index, sentence, topic, known, chart)


def _cited(
    index: int, sentence: Sentence, topic: Topic, known: Known, chart: Chart
) -> SentenceOutcome:
    doc_ids = [citation.doc_id for citation in sentence.citations]
    if len(doc_ids) > 1:
        doc_ids = list(dict.fromkeys(doc_ids))
    citations = [_citation(doc_id, topic, known, chart) for doc_id in doc_ids]
    needs: list[Question] = []
    for citation in citations:
        if citation.support is None or citation.unanswered:
            _open_questions(index, citation, chart, needs)
    if len(citations) == 1:
        outcome, possible = citation.outcome, citation.possible
    else:
        possible = _combine(citations, chart.options.citations)
        outcome = possible[0] if len(possible) == 1 else None
    row = (index, outcome, possible, tuple(citations), (), (), (), tuple(needs))
    return _new(SentenceOutcome, row)


def _citation(doc_id: str, topic: Topic, known: Known, chart: Chart) -> CitationOutcome:
    """Returns where one citation ends: 1, 2 or 3."""
    pairs = topic.pairs if chart.is_any_document else topic.attested.get(doc_id, ())
    judged = known.get((_RELEVANT, doc_id))
    is_relevant = bool(pairs) if judged is None else judged.verdict is _YES
    answered: tuple[Pair, ...] = ()
    unanswered: tuple[Pair, ...] = ()
    if is_relevant:
        for pair in pairs:
            judged = known.get((_ANSWERS, pair))
            if judged is None:
                unanswered += (pair,)
            elif judged.verdict is _YES:
                answered += (pair,)
    judged = known.get((_SUPPORT, doc_id))
    support = None if judged is None else judged.verdict
    possible = _possible(bool(answered), bool(unanswered), support, chart.is_strict)
    outcome = possible[0] if len(possible) == 1 else None
    row = (doc_id, outcome, possible, is_relevant, support, answered, unanswered)
    return _new(CitationOutcome, row)


@cache
def _possible(
    is_answered: bool, is_open: bool, support: Verdict | None, is_strict: bool
) -> tuple[int, ...]:
    """Returns the outcomes that a citation can still end in."""
    if not is_strict:
        if is_answered:
            return (3,)
        ends: tuple[int, ...] = (1, 2) if support is None else (2 if support is _YES else 1,)
        return (*ends, 3) if is_open else ends
    if support is not None and support is not _YES:
        return (1,)
    ends = (3,) if is_answered else (2, 3) if is_open else (2,)
    return ends if support is _YES else (1, *ends)


def _open_questions(
    index: int, citation: CitationOutcome, chart: Chart, needs: list[Question]
) -> None:
    """Adds the questions that decide a citation and that the chart reaches."""
    wanted, is_strict, support = chart.needs, chart.is_strict, citation.support
    is_undecided = Need.OUTCOME in wanted and citation.outcome is None
    has_credits = Need.CREDITS in wanted and bool(citation.answered or citation.unanswered)
    if support is None and (
        Need.SUPPORT in wanted
        or (is_undecided and (is_strict or not citation.unanswered))
        or (has_credits and is_strict)
    ):
        needs.append(Question(_SUPPORT, index, citation.doc_id))
    if citation.unanswered and (
        Need.ANSWERS in wanted
        or (is_undecided and (not is_strict or support is _YES))
        or (has_credits and (not is_strict or support is _YES))
    ):
        for nugget_id, answer in citation.unanswered:
            needs.append(Question(_ANSWERS, index, citation.doc_id, nugget_id, answer))


def _combine(citations: Sequence[CitationOutcome], mode: str) -> tuple[int, ...]:
    """Returns the outcomes that a sentence can still end in, given those of its citations.

    The first outcome in the mode's priority that any citation has is the sentence's. Where
    citations are counted one by one, a sentence has no outcome of its own.
    """
    return _combine_ends(frozenset([citation.possible for citation in citations]), mode)


@cache
def _combine_ends(ends: frozenset[tuple[int, ...]], mode: str) -> tuple[int, ...]:
    if mode not in _PRIORITY:
        return ()
    first, second, last = _PRIORITY[mode]
    possible = []
    if any(first in each for each in ends):
        possible.append(first)
    if (first,) not in ends and any(second in each for each in ends):
        possible.append(second)
    if all(last in each for each in ends):
        possible.append(last)
    return tuple(sorted(possible))


def _uncited(
    index: int, sentence: Sentence, topic: Topic, known: Known, chart: Chart
) -> SentenceOutcome:
    """Walks the right half of the chart; asks for the first verdict that is missing on the way."""
    if not sentence.text.strip():
        return SentenceOutcome(index, 4, (4,))
    asks_all = Need.OUTCOME in chart.needs or Need.UNCITED in chart.needs
    if not asks_all and not topic.absence_ids:
        return SentenceOutcome(index, None, ())
    negative = verdict_of(known, _NEGATIVE)
    agreeing: tuple[str, ...] = ()
    unagreed: tuple[str, ...] = ()
    possible: set[int] = set()
    verdicts: tuple[Verdict | None, ...] = (negative,)
    if negative is not _NO:
        agreeing, unagreed = _agreement(topic, known)
        possible |= {8} if agreeing else {7, 8} if unagreed else {7}
    if negative is not _YES and asks_all:
        required = verdict_of(known, _REQUIRED)
        first = None if required is _NO else verdict_of(known, _FIRST)
        verdicts = (negative, required) if required is _NO else (negative, required, first)
        possible |= _requirement(required, first)
    if None in verdicts:
        needs: tuple[Question, ...] = (Question(_UNCITED[verdicts.index(None)], index),)
    elif negative is _YES:
        needs = tuple([Question(_AGREES, index, nugget_id=each) for each in unagreed])
    else:
        needs = ()
    ends = tuple(sorted(possible))
    answers = tuple([pair for pair in zip(_UNCITED, verdicts, strict=False) if pair[1] is not None])
    outcome = ends[0] if len(ends) == 1 else None
    row = (index, outcome, ends, (), answers, agreeing, unagreed, needs)
    return _new(SentenceOutcome, row)


def _agreement(topic: Topic, known: Known) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the absence nuggets that agree with a sentence, and those not judged."""
    verdicts = [(each, verdict_of(known, _AGREES, each)) for each in topic.absence_ids]
    return (
        tuple(each for each, verdict in verdicts if verdict is _YES),
        tuple(each for each, verdict in verdicts if verdict is None),
    )


def _requirement(required: Verdict | None, first: Verdict | None) -> set[int]:
    """Returns the ends of a sentence that is no negative assertion: 4, 5 or 6."""
    if required is _NO:
        return {4}
    ends = {5, 6} if first is None else {5} if first is _YES else {6}
    return ends | {4} if required is None else ends


def nugget_outcomes(
    topic: Topic, outcomes: Sequence[SentenceOutcome], reading: str
) -> tuple[NuggetOutcome, ...]:
    """Returns for every nugget whether the report answers it, in nugget order.

    An answer is credited through a citation with outcome 3 in this reading, an absence nugget
    through outcome 8. An AND nugget needs all its answers, gathered over the whole report.
    """
    credited: dict[str, dict[str, list[int]]] = {}
    hoped: dict[str, set[str]] = {}
    for outcome in outcomes:
        for citation in outcome.citations:
            if not citation.answered and not citation.unanswered:
                continue
            if reading == "strict" and citation.support is not _YES:
                if citation.support is None:
                    for nugget_id, answer in citation.answered + citation.unanswered:
                        hoped.setdefault(nugget_id, set()).add(answer)
                continue
            for nugget_id, answer in citation.answered:
                places = credited.setdefault(nugget_id, {}).setdefault(answer, [])
                if outcome.sentence_index not in places:
                    places.append(outcome.sentence_index)
            for nugget_id, answer in citation.unanswered:
                hoped.setdefault(nugget_id, set()).add(answer)
        is_absent = 8 in outcome.possible
        for nugget_id in outcome.agreeing if is_absent else ():
            if outcome.outcome == 8:
                credited.setdefault(nugget_id, {}).setdefault("", []).append(outcome.sentence_index)
            else:
                hoped.setdefault(nugget_id, set()).add("")
        for nugget_id in outcome.unagreed if is_absent else ():
            hoped.setdefault(nugget_id, set()).add("")
    touched = credited.keys() | hoped.keys()
    return tuple(
        [
            _nugget_outcome(nugget, credited.get(nugget_id, {}), hoped.get(nugget_id, set()))
            if (nugget_id := nugget.nugget_id) in touched
            else wrong
            for nugget, wrong in zip(topic.nuggets, topic.wrong, strict=True)
        ]
    )


def _nugget_outcome(
    nugget: Nugget, credited: dict[str, list[int]], hoped: set[str]
) -> NuggetOutcome:
    required = {answer.answer for answer in nugget.answers} or {""}
    found = credited.keys() & required
    if nugget.aggregator is _AND:
        is_correct, is_possible = found == required, (found | hoped) >= required
    else:
        is_correct, is_possible = bool(found), bool(found or hoped)
    return NuggetOutcome(
        nugget,
        True if is_correct else None if is_possible else False,
        tuple([(index, answer) for answer, places in credited.items() for index in places]),
    )
