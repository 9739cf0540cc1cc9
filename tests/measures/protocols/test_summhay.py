"""How an insight is covered and by which bullet, as far as judgments tell."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.judgments.index import Stored
from argue_eval.measures.protocols import Wanted
from argue_eval.measures.protocols.summhay import NEED_LINK, SummHay
from argue_eval.records import Grade, Kind, Question, Topic, Verdict
from tests.making import RUN, TOPIC, Facts, KnownFacts, nugget, report

YES, PARTIAL, NO = Verdict.YES, Verdict.PARTIAL, Verdict.NO


def said(verdict: Verdict | None, prob: float | None = None, judge: str = "A") -> Facts:
    return {} if verdict is None else {(Kind.COVERS, "i1"): Stored(verdict, judge, prob)}


def step(bullets: Sequence[Facts], whole: Facts | None = None, *, is_linked: bool = True) -> Grade:
    topic = Topic(TOPIC, (nugget("i1", ("It ran aground.", []), question=None),))
    protocol = SummHay(topic, Wanted(needs=frozenset({NEED_LINK} if is_linked else ())))
    (unit,) = protocol.units(report(*((f"b{place}", []) for place in range(len(bullets)))))
    return protocol.step(unit, KnownFacts(bullets, whole or {}))


def asked(*bullets: int) -> tuple[Question, ...]:
    return tuple(
        Question(kind=Kind.COVERS, topic_id=TOPIC, run_id=RUN, sentence_index=index, nugget_id="i1")
        for index in bullets
    )


@pytest.mark.parametrize(
    ("bullets", "verdict", "bullet"),
    [
        ([said(NO), said(PARTIAL), said(YES)], YES, 2),
        ([said(PARTIAL, 0.6), said(PARTIAL, 0.7)], PARTIAL, 1),
        ([said(YES, 0.8), said(YES, 0.8)], YES, 0),
        ([said(PARTIAL, 0.9), said(YES, 0.1)], YES, 1),
        ([said(YES, 0.99), said(YES)], YES, 1),
        ([said(NO, 0.4), said(NO, 0.1)], NO, -1),
        ([], NO, -1),
    ],
)
def test_the_bullet_that_covers_best_is_the_link(
    bullets: list[Facts], verdict: Verdict, bullet: int
) -> None:
    """By grade, then by probability (none is certain), then by order."""
    assert step(bullets) == Grade("i1", verdict, verdict, verdict, (), ((verdict, bullet),))


def test_bullets_without_a_judgment_are_asked_about() -> None:
    found = step([said(NO), {}, {}])
    assert (found.verdict, found.least, found.most) == (None, NO, YES)
    assert found.needs == asked(1, 2)


def test_coverage_is_known_once_a_bullet_covers_fully_and_the_link_is_not() -> None:
    found = step([{}, said(YES, 0.6)])
    assert (found.verdict, found.least, found.most) == (YES, YES, YES)
    assert found.needs == asked(0)
    assert set(found.possible) == {(YES, 0), (YES, 1)}


def test_a_later_bullet_cannot_take_the_link_from_a_certain_one() -> None:
    assert step([said(YES), {}]).possible == ((YES, 0),)
    assert set(step([{}, said(YES)]).possible) == {(YES, 0), (YES, 1)}


def test_a_verdict_on_the_summary_as_a_whole_decides_the_coverage() -> None:
    assert step([said(YES, judge="B")], said(NO)).possible == ((NO, -1),)
    found = step([said(YES, judge="B"), said(PARTIAL)], said(PARTIAL))
    assert (found.verdict, found.possible, found.needs) == (PARTIAL, ((PARTIAL, 1),), ())


def test_without_a_bullet_by_the_same_judge_that_of_another_is_the_link() -> None:
    found = step([said(NO, judge="B"), said(YES, judge="B")], said(PARTIAL))
    assert found.possible == ((PARTIAL, 1),)
    open_ = step([said(NO, judge="B"), {}], said(PARTIAL))
    assert (open_.verdict, open_.needs) == (PARTIAL, asked(1))


def test_a_covered_insight_that_no_bullet_covers_has_no_known_link() -> None:
    found = step([said(NO, judge="B"), said(NO, judge="B")], said(YES))
    assert set(found.possible) == {(YES, 0), (YES, 1)}
    assert found.needs == asked(0, 1)
    assert step([], said(YES)).possible == ((YES, -1),)


OPEN_LINKS: list[tuple[list[Facts], Facts]] = [
    ([{}, said(YES, 0.6)], {}),
    ([{}, {}], said(PARTIAL)),
    ([said(NO, judge="B"), said(NO, judge="B")], said(YES)),
]


@pytest.mark.parametrize(("bullets", "whole"), OPEN_LINKS)
def test_where_no_measure_looks_at_the_bullet_nothing_is_asked_for_it(
    bullets: list[Facts], whole: Facts
) -> None:
    assert step(bullets, whole).needs
    assert step(bullets, whole, is_linked=False).needs == ()


def test_the_coverage_is_asked_for_in_any_case() -> None:
    assert step([said(PARTIAL), {}], is_linked=False).needs == asked(1)


judged = st.tuples(st.sampled_from([None, NO, PARTIAL, YES]), st.sampled_from([None, 0.3, 0.7]))


@given(st.lists(judged, max_size=4))
def test_what_is_possible_is_what_the_missing_judgments_can_lead_to(
    drawn: list[tuple[Verdict | None, float | None]],
) -> None:
    known = [said(*each) for each in drawn]
    missing = [index for index, each in enumerate(known) if not each]
    ways = [(verdict, prob) for verdict in (NO, PARTIAL, YES) for prob in (None, 0.1, 0.3, 0.7)]
    reached = set()
    for answers in product(ways, repeat=len(missing)):
        full = list(known)
        for index, (verdict, prob) in zip(missing, answers, strict=True):
            full[index] = said(verdict, prob)
        (one,) = step(full).possible
        reached.add(one)
    found = step(known)
    assert set(found.possible) == reached
    verdicts = {verdict for verdict, _ in reached}
    assert (found.verdict is None) == (len(verdicts) > 1)
    assert bool(found.needs) == bool(missing)


@given(
    st.lists(
        st.tuples(st.sampled_from([NO, PARTIAL, YES]), st.floats(0, 1)),
        max_size=6,
        unique_by=lambda each: each[1],
    ),
    st.randoms(),
)
def test_without_ties_the_order_of_bullets_changes_nothing(
    drawn: list[tuple[Verdict, float]], random: object
) -> None:
    bullets = [said(*each) for each in drawn]
    order = list(range(len(bullets)))
    random.shuffle(order)  # type: ignore[attr-defined]
    ((verdict, bullet),) = step(bullets).possible
    ((again, place),) = step([bullets[index] for index in order]).possible
    assert verdict is again
    assert (order[place] if place >= 0 else -1) == bullet
