"""Results: where units end in the flowchart, and the score tables made of that."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from argue_eval.records import Nugget, Question, Report
    from argue_eval.terms import Kind, Verdict

_NOTHING: Mapping[str, Any] = MappingProxyType({})

# --- where a unit ends in the flowchart ---------------------------------------------------------


class CitationOutcome(NamedTuple):
    """Where one citation of a sentence ends.

    Attributes:
        outcome: 1, 2 or 3; None if unjudged.
        possible: every outcome that the missing judgments could still lead to.
        is_relevant: does the document attest some answer of the topic? None if unjudged.
        support: does the document support the sentence? None if unjudged or not asked.
        answered: (nugget_id, answer) pairs that the sentence gives and the document attests.
        unanswered: such pairs that nobody has judged.
    """

    doc_id: str
    outcome: int | None
    possible: tuple[int, ...]
    is_relevant: bool | None
    support: Verdict | None
    answered: tuple[tuple[str, str], ...] = ()
    unanswered: tuple[tuple[str, str], ...] = ()


class SentenceOutcome(NamedTuple):
    """Where one sentence ends in the ARGUE flowchart.

    Attributes:
        outcome: 1 to 8; None if unjudged, or if several citations are counted one by one
            (``--citations macro`` and ``micro``).
        possible: every outcome that the missing judgments could still lead to.
        citations: one per distinct cited document, in order; empty if the sentence cites none.
        answers: for an uncited sentence, the questions of the chart that were reached.
        agreeing: ids of the absence nuggets that agree with a negative assertion.
        unagreed: ids of those that nobody has judged.
        needs: questions without a verdict that the chart must know to go on.
    """

    sentence_index: int
    outcome: int | None
    possible: tuple[int, ...]
    citations: tuple[CitationOutcome, ...] = ()
    answers: tuple[tuple[Kind, Verdict], ...] = ()
    agreeing: tuple[str, ...] = ()
    unagreed: tuple[str, ...] = ()
    needs: tuple[Question, ...] = ()


class NuggetOutcome(NamedTuple):
    """Whether a report answers a nugget.

    Attributes:
        is_correct: None if it depends on judgments that are missing.
        credited: (sentence_index, answer) for every answer credited; an absence nugget's
            answer is the empty string.
    """

    nugget: Nugget
    is_correct: bool | None
    credited: tuple[tuple[int, str], ...] = ()


class Grade(NamedTuple):
    """A graded unit: a claim nugget in a report, or the first citation of a sentence.

    Attributes:
        verdict: None if it depends on judgments that are missing.
        least: the lowest verdict that they could lead to; `most` the highest.
        needs: questions without a verdict that decide it.
        possible: every verdict with the sentence that earns it to which they could lead, where
            the sentence matters; it is -1 if there is none.
    """

    unit_id: str
    verdict: Verdict | None
    least: Verdict
    most: Verdict
    needs: tuple[Question, ...] = ()
    possible: tuple[tuple[Verdict, int], ...] = ()


class KeyPointOutcome(NamedTuple):
    """Whether a report covers a key point, and whether the retrieved documents entail it.

    Attributes:
        unit_id: the nugget; the claim itself where it was extracted from the report.
        is_covered: None if it depends on judgments that are missing.
        is_entailed: None if so, or if no measure asks.
        needs: questions without a verdict that decide it.
    """

    unit_id: str
    is_covered: bool | None
    is_entailed: bool | None = None
    needs: tuple[Question, ...] = ()


# --- what is scored ------------------------------------------------------------------------------


DEFAULT_WEIGHTS: Mapping[str, float] = MappingProxyType({"vital": 2.0, "okay": 1.0, "none": 1.0})


class ScoringOptions(NamedTuple):
    """Everything a user can choose that changes a number without changing a judgment."""

    reading: str = "argue"
    citations: str = "all"
    attestation: str = "cited-document"
    weights: Mapping[str, float] = DEFAULT_WEIGHTS
    only_answered: bool = False
    covers: str = ""

    def weight(self, nugget: Nugget) -> float:
        """Returns how much a nugget counts in the weighted measures."""
        return self.weights[nugget.importance or "none"]


class TopicEvidence(NamedTuple):
    """All that a measure may look at for one topic of one run.

    Attributes:
        report: None if the run has no report for the topic.
        outcomes: one per sentence of the report, in report order; empty if no measure needs them.
        answered: one per nugget, in the reading of the options.
        answered_argue: the same in the reading `argue`, whatever the options say.
        grades: one per unit of a graded protocol, by the protocol's name.
        key_points: one per key point, if the protocol is walked.
        response_points: one per key point that was extracted from the report; None if nobody did.
    """

    topic_id: str
    report: Report | None
    nuggets: tuple[Nugget, ...]
    options: ScoringOptions
    outcomes: tuple[SentenceOutcome, ...] = ()
    answered: tuple[NuggetOutcome, ...] = ()
    answered_argue: tuple[NuggetOutcome, ...] = ()
    grades: Mapping[str, tuple[Grade, ...]] = _NOTHING
    key_points: tuple[KeyPointOutcome, ...] = ()
    response_points: tuple[KeyPointOutcome, ...] | None = None


class Worlds(NamedTuple):
    """A family's statistics for one topic: as judged, and in the worst and the best case.

    Where nothing is unjudged, all three are the same object.

    Attributes:
        judged: counts over judged units only.
        worst: counts if every missing judgment came out as badly as it can.
        best: counts if every one came out as well as it can.
        num_units: how many units there are, by name (``sentence``, ``citation``, ``nugget``).
        num_unjudged: how many of them are unjudged.
    """

    judged: Any
    worst: Any
    best: Any
    num_units: Mapping[str, int] = _NOTHING
    num_unjudged: Mapping[str, int] = _NOTHING


class MeasureValue(NamedTuple):
    """One cell of a score table.

    Attributes:
        topic_id: the topic, or ``all``.
        value: over judged units only; None if there is none of these.
        lower: the least value over all ways in which the unjudged units could be judged.
        upper: the greatest such value.
        num_units: how many units the measure looks at.
        num_unjudged: how many of these nobody has judged.
        is_undefined: there is nothing to measure, whatever the judgments; counts as 0 in a mean.
    """

    measure: str
    topic_id: str
    value: float | None
    lower: float
    upper: float
    num_units: int = 0
    num_unjudged: int = 0
    is_undefined: bool = False
    is_count: bool = False

    @property
    def is_bounded(self) -> bool:
        """True if the point value is not the whole story."""
        return self.lower != self.upper


class ScoreTable(NamedTuple):
    """All values of one run: per topic in topic order, then the averages with topic ``all``.

    Attributes:
        counts: ``num_q``, ``num_q_run``, ``num_unjudged`` and ``num_undefined``.
        missing_topics: topics that are averaged over and have no report.
    """

    run_id: str
    team_id: str
    signature: str
    rows: tuple[MeasureValue, ...]
    counts: Mapping[str, int] = _NOTHING
    missing_topics: tuple[str, ...] = ()

    def averages(self) -> list[MeasureValue]:
        """Returns the rows of topic ``all``, in measure order."""
        return [row for row in self.rows if row.topic_id == "all"]

    def value(self, measure: str, topic_id: str = "all") -> float | None:
        """Returns one value.

        Raises:
            KeyError: the table has no such measure or topic.
        """
        for row in self.rows:
            if row.measure == measure and row.topic_id == topic_id:
                return row.value
        raise KeyError((measure, topic_id))
