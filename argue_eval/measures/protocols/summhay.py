"""SummHay: how far a summary covers each reference insight, and with which of its bullets.

Source: "Summary of a Haystack" (EMNLP 2024), section 4.1. The unit is a reference insight, a claim
nugget. It is linked to one bullet: the one that covers it best; of several, the one with the
highest probability, and of these the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from argue_eval.measures import claims
from argue_eval.measures.claims import Claim
from argue_eval.measures.protocols import Judged, Known
from argue_eval.records import Grade, Kind, Report, Verdict

NEED_LINK = "link"
"""Which bullet covers an insight. Nothing is asked for it alone unless some measure wants it."""

NO_BULLET = -1
"""Stands for the bullet where there is none."""

_RANK = claims.RANK


class SummHay(claims.ClaimProtocol):
    """Reference insights in one topic's summaries.

    What is judged about the summary as a whole is the coverage of an insight. The bullet is then
    sought first among those which the same judge says cover it.
    """

    options = frozenset()
    grades_claims = True

    def step(self, unit: Claim, known: Known) -> Grade:
        """How the insight is covered, and by which bullet."""
        question = (Kind.COVERS, unit.nugget.nugget_id)
        said = known.whole().get(question)
        bullets = [known.sentence(i).get(question) for i in range(len(unit.report.sentences))]
        grade = _linked(unit, bullets, said)
        is_linked = NEED_LINK in self.wanted.needs or grade.verdict is None
        return grade if is_linked else grade._replace(needs=())

    def records(
        self, report: Report, concluded: Sequence[Grade], known: Known
    ) -> Iterator[dict[str, Any]]:
        """Yields an object per insight: its coverage and bullet."""
        for unit, grade in zip(self.units(report), concluded, strict=True):
            claim = unit.nugget.answers[0]
            bullet = grade.possible[0][1] if len(grade.possible) == 1 else NO_BULLET
            question = (Kind.COVERS, grade.unit_id)
            judged = known.whole().get(question)
            if judged is None and bullet >= 0:
                judged = known.sentence(bullet).get(question)
            sentence = report.sentences[bullet] if bullet >= 0 else None
            yield {
                "run_id": report.run_id,
                "topic_id": report.topic_id,
                "nugget_id": grade.unit_id,
                "claim": claim.answer,
                "coverage": grade.verdict.value if grade.verdict else None,
                "bullet": bullet if bullet >= 0 else None,
                "text": sentence.text if sentence else None,
                "possible": [[verdict.value, place] for verdict, place in grade.possible],
                "judge": judged.judge if judged else "",
                "citations": [each.doc_id for each in sentence.citations] if sentence else [],
                "attesting": list(claim.doc_ids),
            }


def _linked(claim: Claim, graded: Sequence[Judged | None], said: Judged | None) -> Grade:
    nugget_id = claim.nugget.nugget_id
    if said is None:
        return _graded(claim, graded)
    if not said.verdict.is_positive:
        return Grade.certain(nugget_id, Verdict.NO, ((Verdict.NO, NO_BULLET),))
    own = [each if each and each.judge == said.judge else None for each in graded]
    best = _best(own)
    if best != NO_BULLET or not graded:
        return Grade.certain(nugget_id, said.verdict, ((said.verdict, best),))
    return _covered(claim, _graded(claim, graded), said.verdict)


def _graded(claim: Claim, graded: Sequence[Judged | None]) -> Grade:
    """The grade that the bullets give, each of which may be unjudged."""
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
        claim.nugget.nugget_id,
        verdict if is_decided else None,
        least=verdict,
        most=verdict if is_decided else Verdict.YES,
        needs=claims.questions(claim.asking, claim.nugget.nugget_id, missing),
        possible=tuple(possible),
    )


def _covered(claim: Claim, grade: Grade, verdict: Verdict) -> Grade:
    """The grade of an insight that is covered, with the bullets that may do it.

    If every bullet is said not to, nobody knows which one does.
    """
    bullets = sorted({bullet for _, bullet in grade.possible})
    if NO_BULLET in bullets:
        bullets = list(range(len(claim.report.sentences)))
    needs = grade.needs
    if not needs and len(bullets) > 1:
        needs = claims.questions(claim.asking, grade.unit_id, bullets)
    possible = tuple((verdict, bullet) for bullet in bullets)
    return Grade.certain(grade.unit_id, verdict, possible)._replace(needs=needs)


def _best(graded: Sequence[Judged | None]) -> int:
    """The bullet that covers an insight best, as far as is known."""
    covering = [
        (_RANK[each.verdict], _prob(each), -index)
        for index, each in enumerate(graded)
        if each is not None and each.verdict.is_positive
    ]
    return -max(covering)[2] if covering else NO_BULLET


def _prob(judged: Judged) -> float:
    """How probable a verdict is. A person's, which comes without, is certain."""
    return 1.0 if judged.prob is None else judged.prob


PROTOCOL_CLASS = SummHay
