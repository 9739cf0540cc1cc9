"""AutoNuggetizer: every claim nugget is graded against the whole report.

Source: the AutoNuggetizer framework of the TREC 2024 RAG track (nuggets assigned as support,
partial_support or not_support). The unit is a claim nugget; its grade is the best that any
sentence of the report earns, or one verdict for the report as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.protocols import Known, verdict_of
from argue_eval.records import Nugget, Question
from argue_eval.results import Grade
from argue_eval.terms import Kind, Verdict

RANK = {Verdict.NO: 0, Verdict.PARTIAL: 1, Verdict.YES: 2}


def units(nuggets: Sequence[Nugget]) -> list[Nugget]:
    """Returns the claim nuggets; those with a question are not graded."""
    return [nugget for nugget in nuggets if nugget.is_claim]


def step(nugget: Nugget, sentences: Sequence[Known], whole: Known) -> Grade:
    """Returns a nugget's grade, as far as what is known decides it.

    Args:
        sentences: what is judged about each sentence of the report.
        whole: what is judged about the report as a whole; decides if there is such a verdict.
    """
    verdict = verdict_of(whole, Kind.COVERS, nugget.nugget_id)
    if verdict is not None:
        return Grade(nugget.nugget_id, verdict, verdict, verdict)
    best = Verdict.NO
    needs: list[Question] = []
    for index, known in enumerate(sentences):
        verdict = verdict_of(known, Kind.COVERS, nugget.nugget_id)
        if verdict is None:
            needs.append(Question(Kind.COVERS, index, nugget_id=nugget.nugget_id))
        elif RANK[verdict] > RANK[best]:
            best = verdict
    if best is Verdict.YES or not needs:
        return Grade(nugget.nugget_id, best, best, best)
    return Grade(nugget.nugget_id, None, best, Verdict.YES, tuple(needs))
