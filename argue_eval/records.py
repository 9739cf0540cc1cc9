"""The records through which all stages talk. Nothing else passes between them.

Plain values without behaviour beyond simple derived properties. All are named tuples, which take a
quarter of the time of frozen dataclasses to make, and a fifth to define: a short command defines
them all. A changed copy is ``record._replace(…)``.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from argue_eval.terms import (
    GRADED_KINDS as GRADED_KINDS,
)
from argue_eval.terms import (
    Aggregator as Aggregator,
)
from argue_eval.terms import (
    Importance as Importance,
)
from argue_eval.terms import (
    Kind as Kind,
)
from argue_eval.terms import (
    Verdict as Verdict,
)

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
