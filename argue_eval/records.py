"""The field's closed vocabularies."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple


class Kind(str, Enum):
    """The questions that can be judged (see docs/judgments.md)."""

    RELEVANT = "relevant"
    ANSWERS = "answers"
    SUPPORT = "support"
    NEGATIVE = "negative"
    AGREES = "agrees"
    REQUIRES_CITATION = "requires_citation"
    FIRST_INSTANCE = "first_instance"
    COVERS = "covers"

    # Judgments are looked up by their kind, and an Enum's own hash is a call in Python.
    __hash__ = str.__hash__


class Verdict(str, Enum):
    """An answer to a question. There is no member for "unjudged": that is the absence of one."""

    YES = "yes"
    PARTIAL = "partial"
    NO = "no"

    __hash__ = str.__hash__


GRADED_KINDS = frozenset({Kind.SUPPORT, Kind.COVERS})
"""The kinds of question for which `Verdict.PARTIAL` is an answer."""


class Aggregator(str, Enum):
    """How many of a nugget's answers are required: any one (OR) or all (AND)."""

    OR = "OR"
    AND = "AND"


class Importance(str, Enum):
    """How much a nugget matters."""

    VITAL = "vital"
    OKAY = "okay"

    __hash__ = str.__hash__


class Need(str, Enum):
    """What a measure must know. Nothing else is asked, since judgments can be costly."""

    ANSWERS = "answers"
    """The answers that the report gives, in the reading `argue`."""
    CREDITS = "credits"
    """The answers that are credited in the chosen reading."""
    OUTCOME = "outcome"
    """The outcome of every sentence in the chosen reading."""
    UNCITED = "uncited"
    """The outcome of every sentence without a citation."""
    SUPPORT = "support"
    """Whether every cited document supports its sentence."""
    ENTAILED = "entailed"
    """Whether the retrieved documents entail the key points that the report covers."""
    LINK = "link"
    """Which bullet of a summary covers an insight."""

    __hash__ = str.__hash__


class Average(str, Enum):
    """How a measure's topics become one number, or two."""

    MEAN = "mean over topics"
    SUM = "sum over topics"
    MICRO = "ratio of the sums over topics (_micro)"
    MACRO = "mean over topics (_macro)"
    MICRO_AND_MACRO = "ratio of the sums (_micro) and mean over topics (_macro)"
    MEDIAN = "median over topics (_median)"
    MAX = "maximum over topics (_max)"
    MEDIAN_AND_MAX = "median and maximum over topics (_median, _max)"


AVERAGES_BY_SUFFIX = {
    Average.MICRO_AND_MACRO: {"_micro": Average.MICRO, "_macro": Average.MACRO},
    Average.MEDIAN_AND_MAX: {"_median": Average.MEDIAN, "_max": Average.MAX},
}
"""The averages of which two are printed, each by what it adds to the measure's name."""


# --- The records through which all stages talk. Nothing else passes between them ---


Extra = Mapping[str, Any]
"""Keys of an input object that argue-eval does not know. They are kept, not dropped."""

_NONE: Extra = {}


# --- what is read ------------------------------------------------------------------------------


class ReportRequest(NamedTuple):
    """What a report must be about: one topic of a track."""

    topic_id: str
    title: str = ""
    problem_statement: str = ""
    background: str = ""
    limit: int | None = None
    limit_unit: str = "characters"
    collection_ids: tuple[str, ...] = ()
    language: str | None = None
    extra: Extra = _NONE

    @property
    def narrative(self) -> str:
        """The one text that says what is asked, as runs of the RAG tracks repeat it."""
        return self.problem_statement or self.title


class Answer(NamedTuple):
    """An acceptable answer and the ids of the documents that attest it."""

    answer: str
    doc_ids: tuple[str, ...] = ()
    extra: Extra = _NONE


class Nugget(NamedTuple):
    """A question with its acceptable answers; a claim if `question` is None."""

    nugget_id: str
    question: str | None
    answers: tuple[Answer, ...] = ()
    aggregator: Aggregator = Aggregator.OR
    importance: Importance | None = None
    extra: Extra = _NONE

    @property
    def is_absence(self) -> bool:
        """True if the collection does not have what is asked, and saying so is right."""
        return not self.answers

    @property
    def is_claim(self) -> bool:
        """True for a claim nugget (a SummHay insight, a Long2RAG key point, …)."""
        return self.question is None


class TopicNuggets(NamedTuple):
    """All nuggets of one topic, in file order."""

    topic_id: str
    nuggets: tuple[Nugget, ...] = ()
    extra: Extra = _NONE


class Citation(NamedTuple):
    """A pointer from a sentence to a document. `score` is the system's confidence, if given."""

    doc_id: str
    score: float | None = None


class Sentence(NamedTuple):
    """One segment of a report with its citations, in the order in which they were given."""

    text: str
    citations: tuple[Citation, ...] = ()
    extra: Extra = _NONE


class Document(NamedTuple):
    """A citable target element of the collection."""

    doc_id: str
    title: str = ""
    text: str = ""
    language: str | None = None
    extra: Extra = _NONE


class Report(NamedTuple):
    """One system's report for one topic."""

    topic_id: str
    run_id: str
    sentences: tuple[Sentence, ...] = ()
    team_id: str = ""
    references: tuple[str, ...] | None = None
    documents: Mapping[str, Document] = _NONE
    metadata: Extra = _NONE
    line: int | None = None
    extra: Extra = _NONE

    @property
    def text(self) -> str:
        """Returns the report as one text: its sentences with a space between."""
        return " ".join([sentence.text for sentence in self.sentences])


class Judgment(NamedTuple):
    """One answer to one question about given texts, by a named judge.

    The sentence is named by its text, or by `run_id` and `sentence_index` (0-based). Which of
    `doc_id`, `nugget_id` and `answer` are set depends on the kind.
    """

    kind: Kind
    topic_id: str
    verdict: Verdict
    judge: str
    sentence: str | None = None
    run_id: str = ""
    sentence_index: int | None = None
    doc_id: str = ""
    nugget_id: str = ""
    answer: str = ""
    prob: float | None = None
    rationale: str = ""


# --- what is asked -----------------------------------------------------------------------------


class Question(NamedTuple):
    """A question about one sentence of the report at hand, by ids alone.

    Which of the ids are set depends on the kind. `sentence_index` is -1 where no sentence is meant:
    for `Kind.RELEVANT`; for `Kind.COVERS` about the report as a whole; for `Kind.SUPPORT` about a
    claim, which is the `answer`.
    """

    kind: Kind
    sentence_index: int
    doc_id: str = ""
    nugget_id: str = ""
    answer: str = ""


class Ask(NamedTuple):
    """A question with the texts that the judge is shown. Texts are NFC-normalised.

    Attributes:
        question: the nugget's question; None for a claim nugget and for the other kinds.
        earlier: the report's sentences before this one (`Kind.FIRST_INSTANCE` only).
        document: None if the cited document's text is not at hand.
    """

    kind: Kind
    topic_id: str
    sentence: str = ""
    doc_id: str = ""
    document: Document | None = None
    nugget_id: str = ""
    question: str | None = None
    answer: str = ""
    earlier: tuple[str, ...] = ()
    request: ReportRequest | None = None


class JudgeFailure(NamedTuple):
    """A question that a judge was asked and could not answer. It is never a verdict."""

    kind: Kind
    topic_id: str
    judge: str
    reason: str
    attempts: int = 1


# --- Results: where units end in the flowchart, and the score tables made of that ---


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
