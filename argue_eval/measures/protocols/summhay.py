"""SummHay: how far a summary covers each reference insight, and with which of its bullets.

Source: "Summary of a Haystack" (EMNLP 2024), section 4.1. The unit is a reference insight, a claim
nugget. It is linked to one bullet: the one that covers it best; of several, the one with the
highest probability, and of these the first.
"""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.measures.protocols import Judged, Known, _claims
from argue_eval.records import Grade, Kind, Question, Verdict

units = _claims.units

NO_BULLET = -1
"""Stands for the bullet where there is none."""

_RANK = _claims.RANK


def step(
    nugget_id: str, bullets: Sequence[Known], whole: Known, *, is_linked: bool = True
) -> Grade:
    """Returns how an insight is covered, and by which bullet, as far as what is known decides it.

    Args:
        bullets: what is judged about each bullet of the summary.
        whole: what is judged about the summary as a whole. A verdict in it is the coverage, and
            the bullet is then sought first among those which the same judge says cover it.
        is_linked: does some measure look at the bullet? If not, nothing is asked for it alone.
    """
    graded = [known.get((Kind.COVERS, nugget_id)) for known in bullets]
    grade = _linked(nugget_id, graded, whole.get((Kind.COVERS, nugget_id)))
    return grade if is_linked or grade.verdict is None else grade._replace(needs=())


def _linked(nugget_id: str, graded: Sequence[Judged | None], said: Judged | None) -> Grade:
    if said is None:
        return _graded(nugget_id, graded)
    if said.verdict is Verdict.NO:
        return _certain(nugget_id, Verdict.NO, NO_BULLET)
    own = [each if each and each.judge == said.judge else None for each in graded]
    best = _best(own)
    if best != NO_BULLET or not graded:
        return _certain(nugget_id, said.verdict, best)
    return _covered(_graded(nugget_id, graded), said.verdict, len(graded))


def _certain(nugget_id: str, verdict: Verdict, bullet: int) -> Grade:
    return Grade(nugget_id, verdict, verdict, verdict, (), ((verdict, bullet),))


def _graded(nugget_id: str, graded: Sequence[Judged | None]) -> Grade:
    """Returns the grade that the bullets give, each of which may be unjudged."""
    best = _best(graded)
    known = graded[best] if best != NO_BULLET else None
    verdict = known.verdict if known else Verdict.NO
    missing = [index for index, each in enumerate(graded) if each is None]
    possible = [(verdict, best)]
    for grade in (Verdict.PARTIAL, Verdict.YES):
        if _RANK[grade] > _RANK[verdict]:
            possible += [(grade, index) for index in missing]
        elif grade is verdict and known:
            is_beatable = _prob(known) < 1
            possible += [(grade, index) for index in missing if is_beatable or index < best]
    is_decided = not missing or verdict is Verdict.YES
    return Grade(
        nugget_id,
        verdict if is_decided else None,
        verdict,
        verdict if is_decided else Verdict.YES,
        _questions(nugget_id, missing),
        tuple(possible),
    )


def _covered(grade: Grade, verdict: Verdict, num_bullets: int) -> Grade:
    """Returns the grade of an insight that is covered, with the bullets that may do it.

    If every bullet is said not to, nobody knows which one does.
    """
    bullets = {bullet for _, bullet in grade.possible}
    if NO_BULLET in bullets:
        bullets = set(range(num_bullets))
    needs = grade.needs or (_questions(grade.unit_id, sorted(bullets)) if len(bullets) > 1 else ())
    possible = tuple((verdict, bullet) for bullet in sorted(bullets))
    return Grade(grade.unit_id, verdict, verdict, verdict, needs, possible)


def _best(graded: Sequence[Judged | None]) -> int:
    """Returns the bullet that covers an insight best, as far as is known."""
    covering = [
        (_RANK[each.verdict], _prob(each), -index)
        for index, each in enumerate(graded)
        if each is not None and each.verdict is not Verdict.NO
    ]
    return -max(covering)[2] if covering else NO_BULLET


def _prob(judged: Judged) -> float:
    """Returns how probable a verdict is. A person's, which comes without, is certain."""
    return 1.0 if judged.prob is None else judged.prob


def _questions(nugget_id: str, bullets: Sequence[int]) -> tuple[Question, ...]:
    return tuple([Question(Kind.COVERS, index, nugget_id=nugget_id) for index in bullets])
