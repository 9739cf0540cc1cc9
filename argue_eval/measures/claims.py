"""How a report covers a claim nugget, for every protocol whose units are claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from argue_eval.measures.protocols import NO_SENTENCE, Asking, Known, ReportProtocol, verdict_of
from argue_eval.records import (
    Grade,
    Kind,
    Nugget,
    Question,
    Report,
    TopicEvidence,
    Verdict,
)

RANK = {Verdict.NO: 0, Verdict.CONTRADICTS: 1, Verdict.PARTIAL: 2, Verdict.YES: 3}
"""Of the verdicts on several sentences, the highest is that on the report."""


class Claim(NamedTuple):
    """A claim nugget that is sought in a report."""

    nugget: Nugget
    asking: Asking

    @property
    def report(self) -> Report:
        """The report."""
        return self.asking.report


def claim_nuggets(nuggets: Sequence[Nugget]) -> list[Nugget]:
    """The claim nuggets; those with a question are not graded."""
    return [nugget for nugget in nuggets if nugget.is_claim]


class ClaimProtocol(ReportProtocol[Claim, Grade]):
    """Base class of protocols whose units are claims, each graded against the whole report."""

    options = frozenset({"covers"})
    reads_held_judgments = True

    @property
    def sought(self) -> list[Nugget]:
        """The claims of the topic."""
        return claim_nuggets(self.topic.nuggets)

    def units(self, report: Report) -> list[Claim]:
        """The claims that are sought."""
        asking = Asking(self.topic, report)
        return [Claim(nugget, asking) for nugget in self.sought]

    def step(self, unit: Claim, known: Known) -> Grade:
        """How far the report covers the claim."""
        return grade(unit, known, self.wanted.options.covers)


def grade(claim: Claim, known: Known, covers: str) -> Grade:
    """A claim's grade: that of the report as a whole, or the best of its sentences.

    Args:
        covers: what is asked about if neither is judged: each ``sentence``, or the ``report``.
    """
    nugget_id, asking = claim.nugget.nugget_id, claim.asking
    verdict = verdict_of(known.whole(), Kind.COVERS, nugget_id)
    if verdict is not None:
        return Grade.certain(nugget_id, verdict)
    best = Verdict.NO
    missing = [] if claim.report.has_text else [NO_SENTENCE]
    for index in range(len(claim.report.sentences)):
        verdict = verdict_of(known.sentence(index), Kind.COVERS, nugget_id)
        if verdict is None:
            missing.append(index)
        elif RANK[verdict] > RANK[best]:
            best = verdict
    if best is Verdict.YES or not missing:
        return Grade.certain(nugget_id, best)
    if covers == "report":
        missing = [NO_SENTENCE]
    needs = questions(asking, nugget_id, missing)
    return Grade(nugget_id, None, least=best, most=Verdict.YES, needs=needs)


def questions(asking: Asking, nugget_id: str, sentences: Sequence[int]) -> tuple[Question, ...]:
    """The questions whether any of some sentences covers a claim."""
    return tuple([asking.question(Kind.COVERS, index, nugget_id=nugget_id) for index in sentences])


def record(report: Report, nugget: Nugget, grade: Grade, known: Known) -> dict[str, Any]:
    """What is written of a claim: how it is covered, who says so and which sentences earn it."""
    question = (Kind.COVERS, nugget.nugget_id)
    said = {
        index: judged
        for index in range(len(report.sentences))
        if (judged := known.sentence(index).get(question)) and judged.verdict is grade.verdict
    }
    judged = known.whole().get(question) or next(iter(said.values()), None)
    return {
        "run_id": report.run_id,
        "topic_id": report.topic_id,
        "nugget_id": nugget.nugget_id,
        "claim": nugget.answers[0].answer,
        "coverage": grade.verdict.value if grade.verdict else None,
        "sentences": [] if grade.verdict is Verdict.NO else list(said),
        "judge": judged.judge if judged else "",
        "rationale": judged.rationale if judged else "",
    }


def graded(
    evidence: TopicEvidence, protocol: str, nuggets: Sequence[Nugget]
) -> list[tuple[Nugget, Grade]]:
    """A topic's claims with their grades. A report that is missing gives none of them."""
    if evidence.report is None:
        return [(each, Grade.certain(each.nugget_id, Verdict.NO)) for each in nuggets]
    grades = {grade.unit_id: grade for grade in evidence.outcomes[protocol]}
    return [(each, grades[each.nugget_id]) for each in nuggets if each.nugget_id in grades]
