"""How a report covers a claim nugget, for every protocol whose units are claims."""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.measures.protocols import Known, verdict_of
from argue_eval.records import Grade, Kind, Nugget, Question, Verdict

RANK = {Verdict.NO: 0, Verdict.PARTIAL: 1, Verdict.YES: 2}

WHOLE = -1
"""The sentence index of a question about the report as a whole."""


def units(nuggets: Sequence[Nugget]) -> list[Nugget]:
    """Returns the claim nuggets; those with a question are not graded."""
    return [nugget for nugget in nuggets if nugget.is_claim]


def grade(nugget_id: str, sentences: Sequence[Known], whole: Known, covers: str) -> Grade:
    """Returns a claim's grade: that of the report as a whole, or the best of its sentences.

    Args:
        sentences: what is judged about each sentence of the report.
        whole: what is judged about the report as a whole; decides if there is such a verdict.
        covers: what is asked about if neither decides: each ``sentence``, or the ``report``.
    """
    verdict = verdict_of(whole, Kind.COVERS, nugget_id)
    if verdict is not None:
        return Grade(nugget_id, verdict, verdict, verdict)
    best = Verdict.NO
    needs: list[Question] = []
    for index, known in enumerate(sentences):
        verdict = verdict_of(known, Kind.COVERS, nugget_id)
        if verdict is None:
            needs.append(Question(Kind.COVERS, index, nugget_id=nugget_id))
        elif RANK[verdict] > RANK[best]:
            best = verdict
    if best is Verdict.YES or not needs:
        return Grade(nugget_id, best, best, best)
    if covers == "report":
        needs = [Question(Kind.COVERS, WHOLE, nugget_id=nugget_id)]
    return Grade(nugget_id, None, best, Verdict.YES, tuple(needs))
