"""How a report covers a claim nugget, for every protocol whose units are claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from argue_eval.measures.protocols import NO_SENTENCE, Asking, Known, verdict_of
from argue_eval.records import Grade, Kind, Nugget, Question, Report, Topic, Verdict

RANK = {Verdict.NO: 0, Verdict.PARTIAL: 1, Verdict.YES: 2}


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


def claims_in(report: Report, topic: Topic) -> list[Claim]:
    """The units of a report: every claim of the topic."""
    asking = Asking(topic, report)
    return [Claim(nugget, asking) for nugget in claim_nuggets(topic.nuggets)]


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
    missing = []
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
