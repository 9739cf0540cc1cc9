"""Protocols: which units a report has and where each of them ends, given what is judged.

A file is a protocol: its class says what the units are (a sentence, an insight, a key point), where
each ends (`step`), what a judge is asked (`needs` of an outcome) and what is written of it
(`records`). A protocol is pure: it never asks a judge. The engine has the needs answered and takes
the same step again, so that plan, score and explanation cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from argue_eval.records import (
    SENTENCE_KINDS,
    Kind,
    Nugget,
    Question,
    Report,
    ScoringOptions,
    Topic,
    TopicEvidence,
    Verdict,
    nfc,
)

CLAIMS_SOUGHT_IN = ("sentence", "report")
"""What can be asked about to find a claim: every sentence, or the report as a whole."""

NO_SENTENCE = -1
"""The sentence index of a question about a report as a whole, or about a claim."""

Target = str | tuple[str, str]
"""What a question is about besides the text: a doc_id, a nugget_id, or (nugget_id, answer)."""


class Judged(Protocol):
    """An answer to a question."""

    @property
    def verdict(self) -> Verdict:
        """The answer."""

    @property
    def judge(self) -> str:
        """Who gave it."""

    @property
    def prob(self) -> float | None:
        """How probable a yes is to the judge; None if it does not say."""

    @property
    def rationale(self) -> str:
        """Why, in the judge's words."""


class Answered(NamedTuple):
    """A question on which scores rest, with its answer.

    Attributes:
        text: what was judged: a sentence, a claim or a report; empty if that does not matter.
        other: what somebody else answers; None if they do not.
    """

    topic_id: str
    kind: Kind
    target: Target
    text: str
    judged: Judged
    other: Judged | None


class Compared(NamedTuple):
    """A sentence of a report, as the scores take it and as somebody else judges it.

    Attributes:
        protocol: its protocol's name.
        own: the evidence for this sentence alone.
        other: the same if nothing were known but what somebody else judged.
        said: what they say about it.
        kinds: of the questions that can be asked about it.
    """

    protocol: str
    own: TopicEvidence
    other: TopicEvidence
    said: tuple[Judged, ...]
    kinds: frozenset[Kind]


class View(Protocol):
    """What is judged about one text: a dict of answers by question, or what looks like one."""

    def get(self, question: tuple[Kind, Target], /) -> Judged | None:
        """The answer to a question; None if nobody has judged it."""


class Known(Protocol):
    """What is judged about one report."""

    def sentence(self, index: int) -> View:
        """What is judged about a sentence."""

    def whole(self) -> View:
        """What is judged about the report as a whole."""

    def text(self, text: str) -> View:
        """What is judged about another text of the topic, say a key point."""


class Knowledge(Protocol):
    """Where judgments are looked up; see `argue_eval.judgments.index`."""

    def about(self, report: Report) -> Known:
        """What is judged about one report."""


class Outcome(Protocol):
    """Where a unit ends, as far as what is known decides it."""

    @property
    def needs(self) -> tuple[Question, ...]:
        """The questions without a verdict that decide it."""


class Wanted(NamedTuple):
    """What the requested measures want of a protocol.

    Attributes:
        needs: what they must know, in the words of the protocol's own file. Nothing else is asked,
            since judgments can be costly.
    """

    options: ScoringOptions = ScoringOptions()
    needs: frozenset[str] = frozenset()


@dataclass(eq=False)
class Asking:
    """Makes questions about one report, with the texts that a judge is shown."""

    topic: Topic
    report: Report

    def question(
        self,
        kind: Kind,
        sentence_index: int = NO_SENTENCE,
        *,
        doc_id: str = "",
        nugget_id: str = "",
        answer: str = "",
    ) -> Question:
        """A question about a sentence; without an index about the report, or about a claim.

        Args:
            doc_id: for `Kind.SUPPORT`, the document; for `Kind.ANSWERS`, the one that attests it.
            answer: for `Kind.ANSWERS`, the answer; for `Kind.SUPPORT` of a claim, the claim.
        """
        nugget_question, claim = None, "" if kind is Kind.SUPPORT else answer
        nugget = self._nuggets.get(nugget_id) if nugget_id and kind is not Kind.SUPPORT else None
        if nugget is not None:
            nugget_question = nfc(nugget.question) if nugget.question else None
            if kind is Kind.COVERS and nugget.answers:
                claim = nugget.answers[0].answer
        topic, report = self.topic, self.report
        if sentence_index >= 0:
            text = nfc(report.sentences[sentence_index].text)
        else:
            text = nfc(answer) if kind is Kind.SUPPORT else self._whole
        document = None
        if kind is not Kind.ANSWERS:  # that of the collection; failing that, the run's own copy
            document = topic.documents.get(doc_id) or report.documents.get(doc_id)
        return Question(
            kind=kind,
            topic_id=report.topic_id,
            run_id=report.run_id,
            sentence_index=sentence_index,
            doc_id=doc_id,
            nugget_id=nugget_id,
            answer=answer,
            text=text,
            document=document,
            nugget_question=nugget_question,
            claim=nfc(claim),
            sentences=self._all_sentences if kind in SENTENCE_KINDS else (),
            request=topic.request,
            has_text=report.has_text,
        )

    @cached_property
    def _nuggets(self) -> dict[str, Nugget]:
        return {nugget.nugget_id: nugget for nugget in self.topic.nuggets}

    @cached_property
    def _all_sentences(self) -> tuple[str, ...]:
        return tuple([nfc(sentence.text) for sentence in self.report.sentences])

    @cached_property
    def _whole(self) -> str:
        return nfc(self.report.text)


_Unit = TypeVar("_Unit")
_Outcome = TypeVar("_Outcome", bound=Outcome)


@dataclass(eq=False)
class ReportProtocol(Generic[_Unit, _Outcome]):
    """Base class of protocols. An instance is the protocol for one topic, whatever the run.

    Attributes:
        options: the scoring options that it looks at.
        needs_attestation: does an answer count only where a document that attests it is cited?
        grades_claims: are its units claim nuggets?
        counts_sentences: are its units sentences, over which counts of a report are sums? People's
            assessments of some sentences then correct its measures.
        grades_each_nugget: is the outcome of each a `Grade`, and what its measures look at the same
            for all runs? Then they can be averaged over parts of a topic's nuggets.
        reads_references: does it look at the documents that a report lists and does not cite?
        reads_held_judgments: are judgments that runs and nuggets hold read too?
        reads_texts: does it look at the texts of reports, so that judgments alone do not do?
        grades_criteria: are its claims the criteria of a rubric, which may be about form?
        counts_contradictions: do judges that can say so tell what contradicts from a no?
    """

    options: ClassVar[frozenset[str]] = frozenset()
    needs_attestation: ClassVar[bool] = False
    grades_claims: ClassVar[bool] = False
    counts_sentences: ClassVar[bool] = False
    grades_each_nugget: ClassVar[bool] = False
    reads_references: ClassVar[bool] = False
    reads_held_judgments: ClassVar[bool] = False
    reads_texts: ClassVar[bool] = True
    grades_criteria: ClassVar[bool] = False
    counts_contradictions: ClassVar[bool] = False

    topic: Topic
    wanted: Wanted

    def units(self, report: Report) -> Sequence[_Unit]:
        """The units of a report, in order."""
        raise NotImplementedError

    def step(self, unit: _Unit, known: Known) -> _Outcome:
        """Where a unit ends, as far as what is known decides it."""
        raise NotImplementedError

    def conclude(self, report: Report | None, outcomes: Sequence[_Outcome]) -> Any:
        """What measures read: by default the outcomes, one per unit.

        Args:
            report: None if the run has none for the topic; there are no outcomes then.
        """
        return tuple(outcomes)

    def records(self, report: Report, concluded: Any, known: Known) -> Iterator[dict[str, Any]]:
        """Yields what is written to ``outcomes.jsonl``: a JSON object per unit."""
        return iter(())

    def nugget_records(self, report: Report, concluded: Any) -> Iterator[dict[str, Any]]:
        """Yields what is written to ``nuggets.jsonl``: a JSON object per nugget, if `records` are
        about something else.
        """
        return iter(())


class ProtocolPlugin(Protocol):
    """What the module of a protocol has. The measures of a protocol may be in the same module."""

    @property
    def PROTOCOL_CLASS(self) -> type[ReportProtocol[Any, Any]]:  # noqa: N802
        """Its class."""


def verdict_of(view: View, kind: Kind, target: Target = "") -> Verdict | None:
    """The verdict on a question; None if nobody has judged it."""
    judged = view.get((kind, target))
    return None if judged is None else judged.verdict
