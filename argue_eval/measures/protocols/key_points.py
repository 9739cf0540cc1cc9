"""Long2RAG: which key points a response covers, and whether the retrieved documents entail them.

Source: Long2RAG (2024), sections 4 and 6.4. The unit is a key point, a claim nugget that was
extracted from the documents that were retrieved for a question. Entailment is yes or not: partial
coverage does not count, and neither does partial support.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from argue_eval.measures import claims
from argue_eval.measures.claims import Claim
from argue_eval.measures.protocols import Asking, Known, ReportProtocol, View, verdict_of
from argue_eval.records import Answer, Kind, Nugget, Question, Report, Verdict

NEED_ENTAILED = "entailed"
"""Whether the retrieved documents entail the key points that the report covers."""


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


class KeyPointOutcomes(NamedTuple):
    """What became of a report's key points.

    Attributes:
        points: one per key point of the question.
        own: one per key point that was extracted from the report; None if nobody did.
    """

    points: tuple[KeyPointOutcome, ...] = ()
    own: tuple[KeyPointOutcome, ...] | None = None


class Unit(NamedTuple):
    """A key point that is sought in a report, or that was extracted from it.

    Attributes:
        nugget: None for a key point of the report's own.
        doc_ids: the documents that must entail it; None if no measure looks at them.
    """

    nugget: Nugget | None
    claim: Answer
    doc_ids: tuple[str, ...] | None
    asking: Asking


class KeyPoints(ReportProtocol[Unit, KeyPointOutcome]):
    """Key points in one question's responses."""

    options = frozenset({"covers", "response_points"})
    grades_claims = True
    reads_references = True

    def units(self, report: Report) -> list[Unit]:
        """The key points of the question, then those of the response itself."""
        asking = Asking(self.topic, report)
        points = claims.claim_nuggets(self.topic.nuggets)
        own = self.topic.response_points.get(report.run_id)
        is_asked = NEED_ENTAILED in self.wanted.needs
        doc_ids = retrieved(report, points) if is_asked else None
        of_question = doc_ids if own is None else None
        return [
            *(Unit(point, point.answers[0], of_question, asking) for point in points),
            *(Unit(None, Answer(claim), doc_ids, asking) for claim in own or ()),
        ]

    def step(self, unit: Unit, known: Known) -> KeyPointOutcome:
        """Whether the report covers the key point and documents entail it."""
        nugget, claim, doc_ids, asking = unit
        about = known.text(claim.answer)
        if nugget is None:
            if doc_ids is None:
                return KeyPointOutcome(claim.answer, True)
            entailed = _entailment(claim.answer, claim, about, doc_ids, asking)
            return KeyPointOutcome(claim.answer, True, *entailed)
        covered = claims.grade(Claim(nugget, asking), known, self.wanted.options.covers)
        needs = covered.needs
        is_covered = None if covered.verdict is None else covered.verdict is Verdict.YES
        is_entailed: bool | None = None
        if doc_ids is not None and is_covered is not False:
            is_entailed, questions = _entailment(nugget.nugget_id, claim, about, doc_ids, asking)
            if is_covered:  # what the response may not say need not be in the documents
                needs = questions
        return KeyPointOutcome(nugget.nugget_id, is_covered, is_entailed, needs)

    def conclude(
        self, report: Report | None, outcomes: Sequence[KeyPointOutcome]
    ) -> KeyPointOutcomes:
        """The outcomes of the question's key points, and of the response's own."""
        if report is None:
            return KeyPointOutcomes()
        num_points = len(claims.claim_nuggets(self.topic.nuggets))
        has_own = report.run_id in self.topic.response_points
        own = tuple(outcomes[num_points:]) if has_own else None
        return KeyPointOutcomes(tuple(outcomes[:num_points]), own)

    def records(
        self, report: Report, concluded: KeyPointOutcomes, known: Known
    ) -> Iterator[dict[str, Any]]:
        """Yields an object per key point: what says it and what entails it."""
        points = claims.claim_nuggets(self.topic.nuggets)
        doc_ids = retrieved(report, points)
        for point, outcome in zip(points, concluded.points, strict=True):
            claim, question = point.answers[0], (Kind.COVERS, point.nugget_id)
            whole = known.whole().get(question)
            said = {
                index: judged
                for index in range(len(report.sentences))
                if (judged := known.sentence(index).get(question)) and judged.verdict is Verdict.YES
            }
            judged = whole or next(iter(said.values()), None)
            yield {
                "run_id": report.run_id,
                "topic_id": report.topic_id,
                "nugget_id": outcome.unit_id,
                "claim": claim.answer,
                "is_covered": outcome.is_covered,
                "coverage": whole.verdict.value if whole else None,
                "sentences": list(said),
                "judge": judged.judge if judged else "",
                "is_entailed": outcome.is_entailed,
                "retrieved": list(doc_ids),
                "attesting": [doc_id for doc_id in doc_ids if doc_id in claim.doc_ids],
                "supporting": _supporting(claim.answer, doc_ids, known),
            }
        for outcome in concluded.own or ():
            yield {
                "run_id": report.run_id,
                "topic_id": report.topic_id,
                "claim": outcome.unit_id,
                "is_entailed": outcome.is_entailed,
                "retrieved": list(doc_ids),
                "supporting": _supporting(outcome.unit_id, doc_ids, known),
            }


def retrieved(report: Report, points: Sequence[Nugget]) -> tuple[str, ...]:
    """The ids of the documents that were retrieved for a report's question.

    They are the report's references; without any, what its sentences cite; without citations, the
    documents that the question's key points come from, which all systems were given.
    """
    found = report.references or (
        citation.doc_id for sentence in report.sentences for citation in sentence.citations
    )
    return tuple(dict.fromkeys(found)) or tuple(
        dict.fromkeys(
            doc_id for point in points for answer in point.answers for doc_id in answer.doc_ids
        )
    )


def _entailment(
    unit_id: str, claim: Answer, about: View, doc_ids: Sequence[str], asking: Asking
) -> tuple[bool | None, tuple[Question, ...]]:
    """Whether any of the documents entails a key point, and what decides it.

    A document that the nuggets name for the key point does; others are asked about. Without any
    document nobody can tell.
    """
    if not set(doc_ids).isdisjoint(claim.doc_ids):
        return True, ()
    verdicts = {doc_id: verdict_of(about, Kind.SUPPORT, doc_id) for doc_id in doc_ids or ("",)}
    if Verdict.YES in verdicts.values():
        return True, ()
    missing = [doc_id for doc_id, verdict in verdicts.items() if verdict is None]
    questions = tuple(
        [
            asking.question(Kind.SUPPORT, doc_id=doc_id, nugget_id=unit_id, answer=claim.answer)
            for doc_id in missing
        ]
    )
    return (None, questions) if questions else (False, ())


def _supporting(claim: str, doc_ids: Sequence[str], known: Known) -> list[str]:
    """The documents that are judged to entail a claim."""
    about = known.text(claim)
    return [doc_id for doc_id in doc_ids if verdict_of(about, Kind.SUPPORT, doc_id) is Verdict.YES]


PROTOCOL_CLASS = KeyPoints
