"""The records that all rooms pass to each other, and the closed vocabularies of the field.

Plain values without behaviour beyond simple derived properties. Nearly all are named tuples: they
take a quarter of the time of frozen dataclasses to make, and a fifth to define, and a short command
defines them all. (So their annotations are not postponed: each would be compiled once more.) Make
them by keyword; a changed copy is ``record._replace(…)``.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, NamedTuple, SupportsFloat
from unicodedata import normalize

# --- vocabularies -------------------------------------------------------------------------------


class Kind(str, Enum):
    """The kinds of question that can be judged; see docs/files.md."""

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
    CONTRADICTS = "contradicts"
    """It says the opposite. Measures that do not count it apart take it for a no."""

    __hash__ = str.__hash__

    @property
    def is_positive(self) -> bool:
        """Whether it is a yes, in full or in part."""
        return self is Verdict.YES or self is Verdict.PARTIAL


NUGGET_KINDS = (Kind.ANSWERS, Kind.COVERS, Kind.AGREES)
"""The kinds that are about a nugget."""

SENTENCE_KINDS = (Kind.NEGATIVE, Kind.REQUIRES_CITATION, Kind.FIRST_INSTANCE)
"""The kinds that are about a sentence without citation alone."""

GRADED_KINDS = frozenset({Kind.SUPPORT, Kind.COVERS})
"""The kinds of question for which `Verdict.PARTIAL` is an answer."""

OPPOSED_KINDS = frozenset({Kind.SUPPORT, Kind.ANSWERS, Kind.COVERS})
"""The kinds of question for which `Verdict.CONTRADICTS` is an answer."""

VERDICTS: dict[Kind, tuple[Verdict, ...]] = {
    kind: (
        Verdict.YES,
        *((Verdict.PARTIAL,) if kind in GRADED_KINDS else ()),
        Verdict.NO,
        *((Verdict.CONTRADICTS,) if kind in OPPOSED_KINDS else ()),
    )
    for kind in Kind
}
"""The answers to questions of each kind."""


class Aggregator(str, Enum):
    """How many of a nugget's answers are required: any one (OR) or all (AND)."""

    OR = "OR"
    AND = "AND"


class Importance(str, Enum):
    """How much a nugget matters."""

    VITAL = "vital"
    OKAY = "okay"

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


Extra = Mapping[str, Any]
"""Keys of an input object that argue-eval does not know. They are kept, not dropped."""

EMPTY: Extra = {}
"""Never changed. (A plain dict, since records are pickled and a mapping proxy cannot be.)"""


# --- what is read -------------------------------------------------------------------------------


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
    extra: Extra = EMPTY

    @property
    def narrative(self) -> str:
        """The one text that says what is asked, as runs of the RAG tracks repeat it."""
        return self.problem_statement or self.title


class Answer(NamedTuple):
    """An acceptable answer and the ids of the documents that attest it."""

    answer: str
    doc_ids: tuple[str, ...] = ()
    extra: Extra = EMPTY


class Nugget(NamedTuple):
    """A question with its acceptable answers; a claim if `question` is None.

    Attributes:
        weight: how much it counts in a rubric; negative for what a report should not do.
        group: nuggets of a rubric with the same group are averaged first: the short answers to one
            question of DRAGUN.
    """

    nugget_id: str
    question: str | None
    answers: tuple[Answer, ...] = ()
    aggregator: Aggregator = Aggregator.OR
    importance: Importance | None = None
    extra: Extra = EMPTY
    weight: float | None = None
    group: str = ""

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
    extra: Extra = EMPTY

    @property
    def doc_ids(self) -> set[str]:
        """The documents that attest an answer."""
        return {
            doc_id
            for nugget in self.nuggets
            for answer in nugget.answers
            for doc_id in answer.doc_ids
        }


class Citation(NamedTuple):
    """A pointer from a sentence to a document. `score` is the system's confidence, if given."""

    doc_id: str
    score: float | None = None


class Sentence(NamedTuple):
    """One segment of a report with its citations, in the order in which they were given."""

    text: str
    citations: tuple[Citation, ...] = ()
    extra: Extra = EMPTY


class Document(NamedTuple):
    """A citable target element of the collection."""

    doc_id: str
    title: str = ""
    text: str = ""
    language: str | None = None
    extra: Extra = EMPTY

    @property
    def is_cut(self) -> bool:
        """Whether the text is the start of a longer one, as ``score -o`` keeps it."""
        whole = self.extra.get("num_characters")
        return type(whole) is int and whole > len(self.text)


class Report(NamedTuple):
    """One system's report for one topic.

    Attributes:
        has_text: False where a file says how a report was judged, and not what is in it.
    """

    topic_id: str
    run_id: str
    sentences: tuple[Sentence, ...] = ()
    team_id: str = ""
    references: tuple[str, ...] | None = None
    documents: Mapping[str, Document] = EMPTY
    metadata: Extra = EMPTY
    line: int | None = None
    extra: Extra = EMPTY
    has_text: bool = True

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


@dataclass(frozen=True, slots=True)
class Run:
    """One system's reports, in file order.

    Attributes:
        source: the file that the run was read from; None if it was made in memory, also as a
            changed copy (`dataclasses.replace`) of a run that was read.
    """

    run_id: str
    reports: tuple[Report, ...] = ()
    source: str | None = field(default=None, init=False)

    @classmethod
    def of_file(cls, run_id: str, reports: tuple[Report, ...], source: str) -> "Run":
        """A run as a file has it."""
        run = cls(run_id, reports)
        object.__setattr__(run, "source", source)
        return run

    @property
    def team_id(self) -> str:
        """The team that the first report names; empty if it names none."""
        return self.reports[0].team_id if self.reports else ""

    def __iter__(self) -> Iterator[Report]:
        return iter(self.reports)

    def __len__(self) -> int:
        return len(self.reports)

    def __getitem__(self, topic_id: str) -> Report:
        for report in self.reports:
            if report.topic_id == topic_id:
                return report
        topics = ", ".join(report.topic_id for report in self.reports)
        raise KeyError(f"no report for topic {topic_id!r}; topics: {topics}")


class Topic(NamedTuple):
    """All that is known of a topic, whatever the run.

    Attributes:
        documents: the documents at hand by id, those of other topics too.
        response_points: key points that were extracted from reports, by run id.
        known_ids: of the documents that a collection has or nuggets name, those of other topics
            too. None if neither is at hand, or it does not matter.
    """

    topic_id: str
    nuggets: tuple[Nugget, ...] = ()
    request: ReportRequest | None = None
    documents: Mapping[str, Document] = EMPTY
    response_points: Mapping[str, tuple[str, ...]] = EMPTY
    known_ids: Set[str] | None = None


# --- what is asked ------------------------------------------------------------------------------


@dataclass(slots=True, unsafe_hash=True, kw_only=True)
class Question:
    """A question for a judge: its ids, and the texts that the judge is shown, all in NFC.

    Which ids and texts are set depends on the kind. Two questions are equal if their ids are.

    Attributes:
        sentence_index: 0-based; -1 if the question is about no one sentence: for `Kind.RELEVANT`;
            for `Kind.COVERS` about the report as a whole; for `Kind.SUPPORT` about a claim, which
            is the `answer`.
        answer: the answer or claim as the nuggets write it.
        text: what is judged: a sentence, a claim or a whole report.
        document: None if the document's text is not at hand.
        nugget_question: the nugget's question; None for a claim nugget and for other kinds.
        claim: the answer or claim that is sought in the text.
        sentences: all sentences of the report (`SENTENCE_KINDS` only).
        has_text: False if the text of the report that it is about is not at hand.
        content: the content key and what it rests on; `argue_eval.judgments.content` sets it.
    """

    kind: Kind
    topic_id: str
    run_id: str = ""
    sentence_index: int = -1
    doc_id: str = ""
    nugget_id: str = ""
    answer: str = ""
    text: str = field(default="", compare=False)
    document: Document | None = field(default=None, compare=False)
    nugget_question: str | None = field(default=None, compare=False)
    claim: str = field(default="", compare=False)
    sentences: tuple[str, ...] = field(default=(), compare=False)
    request: ReportRequest | None = field(default=None, compare=False)
    has_text: bool = field(default=True, compare=False)
    content: Any = field(default=None, compare=False, repr=False)

    @property
    def lacks_document(self) -> bool:
        """Whether the text of the document that it is about is missing."""
        has_text = self.document is not None and bool(self.document.text.strip())
        return self.kind is Kind.SUPPORT and not has_text

    @property
    def earlier(self) -> tuple[str, ...]:
        """The sentences before this one; empty unless the kind asks about them."""
        return self.sentences[: self.num_earlier]

    @property
    def num_earlier(self) -> int:
        """How many there are. (To copy them all for every sentence takes their square.)"""
        is_asked = self.kind is Kind.FIRST_INSTANCE
        return min(max(self.sentence_index, 0), len(self.sentences)) if is_asked else 0


def nfc(text: str) -> str:
    """The text in Unicode's composed form, in which equal-looking texts are equal."""
    return text if text.isascii() else normalize("NFC", text)


def digest_of(topic_id: str, sentence: str) -> bytes:
    """A digest by which judgments name a sentence of a topic. NFC makes equal what looks equal."""
    text = f"{topic_id}\0{sentence.strip()}"
    if not text.isascii():
        text = normalize("NFC", text)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Reply(NamedTuple):
    """What a judge says to one question: a verdict, or the reason why there is none.

    Attributes:
        index: the question's place among those that the judge was given.
        verdict: None if the judge could not answer. That is never taken for a verdict.
        prob: how probable a yes is, 0 to 1; None if the judge does not say.
        rationale: why, in words; the passage that decided, say.
        reason: why there is no verdict.
        raw: what a model wrote, word for word; None if no model was asked.
        num_attempts: how often a model was called for it.
    """

    index: int  # type: ignore[assignment]  # nobody calls the tuple's method of this name
    verdict: Verdict | None = None
    prob: float | None = None
    rationale: str = ""
    reason: str = ""
    raw: str | None = None
    num_attempts: int = 1


# --- where units end ----------------------------------------------------------------------------


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

    def in_case(self, case: str) -> Verdict | None:
        """The verdict as ``judged``, or in the ``worst`` or the ``best`` case."""
        if case == "judged":
            return self.verdict
        return self.least if case == "worst" else self.most

    @classmethod
    def certain(
        cls, unit_id: str, verdict: Verdict, possible: tuple[tuple[Verdict, int], ...] = ()
    ) -> "Grade":
        """The grade of a unit that is judged."""
        return cls(unit_id, verdict, least=verdict, most=verdict, possible=possible)


# --- what is scored -----------------------------------------------------------------------------


MAX_WEIGHT = 1_000_000

DEFAULT_WEIGHTS: Mapping[str, float] = MappingProxyType({"vital": 2.0, "okay": 1.0, "none": 1.0})


class ScoringOptions(NamedTuple):
    """Everything a user can choose that changes a number without changing a judgment."""

    reading: str = "argue"
    citations: str = "all"
    attestation: str = "cited-document"
    weights: Mapping[str, float] = DEFAULT_WEIGHTS
    only_answered: bool = False
    judged_only: bool = False
    citation_order: str = "first"
    covers: str = ""


class TopicEvidence(NamedTuple):
    """All that a measure may look at for one topic of one run.

    Attributes:
        report: None if the run has no report for the topic.
        outcomes: what each protocol concluded, by the protocol's name: a tuple of one outcome per
            unit, unless the protocol says otherwise.
        needs: the questions that were reached and have no verdict, each once.
    """

    topic: Topic
    report: Report | None
    options: ScoringOptions
    outcomes: Mapping[str, Any] = EMPTY
    needs: tuple[Question, ...] = ()

    @property
    def topic_id(self) -> str:
        """The topic's id."""
        return self.topic.topic_id

    @property
    def nuggets(self) -> tuple[Nugget, ...]:
        """The topic's nuggets."""
        return self.topic.nuggets


class Bounds(NamedTuple):
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
    num_units: Mapping[str, int] = EMPTY
    num_unjudged: Mapping[str, int] = EMPTY


class MeasureValue(NamedTuple):
    """One cell of a score table. `float` of it is the value.

    Attributes:
        topic_id: the topic, or ``all``.
        value: None where missing judgments leave it open; with the option `judged_only`, it then
            covers judged units only, and is None if there are none.
        lower: the least value over all ways in which the unjudged units could be judged.
        upper: the greatest such value.
        num_units: how many units the measure looks at.
        num_unjudged: how many of these are unjudged.
        is_undefined: there is nothing to measure, whatever the judgments; counts as 0 in a mean.
        parts: the numerator and the denominator of the ratio that the value is, or those of the
            two ratios whose harmonic mean it is. Kept for ratios of sums over topics (``_micro``),
            where no missing judgment could change them.
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
    parts: tuple[float, ...] = ()

    @property
    def is_bounded(self) -> bool:
        """True if missing judgments leave the value open."""
        return self.lower != self.upper

    def __float__(self) -> float:
        if self.value is None:
            what = "undefined" if self.is_undefined else "unjudged"
            raise ValueError(f"{self.measure} of {self.topic_id} is {what}; see lower and upper")
        return self.value

    # As a number it is its value. As the tuple that it is, it would be compared by its first
    # fields, the names of measure and topic.

    def __lt__(self, other: SupportsFloat) -> bool:  # type: ignore[override]
        return float(self) < float(other)

    def __le__(self, other: SupportsFloat) -> bool:  # type: ignore[override]
        return float(self) <= float(other)

    def __gt__(self, other: SupportsFloat) -> bool:  # type: ignore[override]
        return float(self) > float(other)

    def __ge__(self, other: SupportsFloat) -> bool:  # type: ignore[override]
        return float(self) >= float(other)

    def __add__(self, other: SupportsFloat) -> float:  # type: ignore[override]
        return float(self) + float(other)

    def __radd__(self, other: SupportsFloat) -> float:
        return float(other) + float(self)

    def __sub__(self, other: SupportsFloat) -> float:
        return float(self) - float(other)

    def __rsub__(self, other: SupportsFloat) -> float:
        return float(other) - float(self)

    def __mul__(self, other: SupportsFloat) -> float:  # type: ignore[override]
        return float(self) * float(other)

    def __rmul__(self, other: SupportsFloat) -> float:  # type: ignore[override]
        return float(other) * float(self)

    def __truediv__(self, other: SupportsFloat) -> float:
        return float(self) / float(other)

    def __neg__(self) -> float:
        return -float(self)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        import numpy as np

        return np.array(float(self), *args, **kwargs)

    def __round__(self, digits: int | None = None) -> float:
        return round(float(self), digits)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __str__(self) -> str:
        bounds = f"[{self.lower:.4f}, {self.upper:.4f}]" if self.is_bounded else ""
        if self.value is None:
            return bounds or "-"
        return f"{self.value:.4f} {bounds}".rstrip()


class ScoreTable(NamedTuple):
    """All values of one run: per topic in topic order, then the averages with topic ``all``.

    Attributes:
        counts: ``num_q``, ``num_q_run``, ``num_unjudged`` and ``num_undefined``.
        missing_topics: topics that are averaged over and have no report.
        groups: the topics of each group that is averaged over besides, by its label.
        without_units: the averages for which no topic has a unit; a 0 of these is no result.
    """

    run_id: str
    team_id: str
    signature: str
    rows: Sequence[MeasureValue]
    counts: Mapping[str, int] = EMPTY
    missing_topics: tuple[str, ...] = ()
    groups: Mapping[str, Collection[str]] = EMPTY
    without_units: tuple[str, ...] = ()

    def averages(self) -> list[MeasureValue]:
        """The rows of topic ``all``, in measure order."""
        # Where rows of topics are made only when they are looked at, these are at hand.
        rows: Sequence[MeasureValue] = getattr(self.rows, "averages", self.rows)
        return [row for row in rows if row.topic_id == "all"]

    def row(self, measure: str, topic_id: str = "all") -> MeasureValue:
        """One cell.

        Raises:
            KeyError: the table has no such measure or topic.
        """
        for row in self.averages() if topic_id == "all" else self.rows:
            if row.measure == measure and row.topic_id == topic_id:
                return row
        have = ", ".join(row.measure for row in self.rows if row.topic_id == topic_id)
        if not have:
            topics = ", ".join(dict.fromkeys(row.topic_id for row in self.rows))
            raise KeyError(f"no topic {topic_id!r}; topics: {topics}")
        raise KeyError(f"no {measure!r} for topic {topic_id!r}; its measures: {have}")

    def value(self, measure: str, topic_id: str = "all") -> float | None:
        """One value; None if it is unjudged or undefined.

        Raises:
            KeyError: the table has no such measure or topic.
        """
        return self.row(measure, topic_id).value
