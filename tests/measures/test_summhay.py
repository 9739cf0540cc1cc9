"""The SummHay scores: published examples, bounds, and what may not change them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from argue_eval import measures
from argue_eval.measures.averages import measure_topic
from argue_eval.records import MeasureValue, Nugget, TopicEvidence
from tests.making import Fact, check_bounds, evidence, nugget, report

(FAMILY,) = measures.select(["summhay"])
SHARES = ("coverage", "citation_score", "joint_score", "citation_precision", "citation_recall")

Bullets = Sequence[Sequence[int]]
Labels = Sequence[tuple[str, int]]
"""For each insight its verdict and its bullet."""


def insights(gold: Sequence[Iterable[int]]) -> list[Nugget]:
    return [
        nugget(f"i{place}", (f"claim {place}", list(map(str, numbers))), question=None)
        for place, numbers in enumerate(gold)
    ]


def found(gold: Sequence[Iterable[int]], bullets: Bullets, facts: list[Fact]) -> TopicEvidence:
    written = report(*[(f"b{place}", list(map(str, cited))) for place, cited in enumerate(bullets)])
    return evidence(insights(gold), written, facts, protocols=["summhay"])


def facts_of(labels: Labels, num_bullets: int) -> list[Fact]:
    return [
        ("covers", f"b{bullet}", verdict if bullet == linked else "no", f"i{place}")
        for place, (verdict, linked) in enumerate(labels)
        for bullet in range(num_bullets)
    ]


def rows(of: TopicEvidence) -> dict[str, MeasureValue]:
    bounds = FAMILY.module.tally(of)
    return {each.name: measure_topic(each, "t1", bounds) for each in FAMILY.measures}


def values(gold: Sequence[Iterable[int]], bullets: Bullets, labels: Labels) -> dict[str, float]:
    table = rows(found(gold, bullets, facts_of(labels, len(bullets))))
    return {name: row.value or 0.0 for name, row in table.items()}


STRESS = {
    "breathing": (8, 32, 46, 53, 69, 91, 95),
    "walk": (11, 20, 48, 54, 80, 91),
    "pomodoro": (8, 32, 37, 48, 79, 83, 95),
    "calm": (11, 30, 46, 53, 79, 80),
    "affirmations": (13, 27, 37, 54, 68, 83),
}
"""The documents of the five insights of appendix A.7."""


def test_figure_2_of_the_paper() -> None:
    gold = [(8, 32, 79, 83, 95), (11, 30, 46, 53, 79, 80), (1,)]
    bullets = [(79, 11, 46, 53, 54), (79, 80), (80, 23)]
    scores = values(gold, bullets, [("yes", 1), ("partial", 0), ("no", -1)])
    assert round(100 * scores["coverage"], 2) == 50
    assert round(100 * scores["citation_score"], 2) == 50.65
    assert round(100 * scores["joint_score"], 2) == 21.65
    one = values(gold[:1], bullets, [("yes", 1)])
    other = values(gold[1:2], bullets, [("partial", 0)])
    assert round(100 * one["citation_score"], 2) == 28.57
    assert round(100 * other["citation_score"], 2) == 72.73


def test_third_summary_of_appendix_a7() -> None:
    bullets = [(4, 46, 95), (46, 53, 80), (46, 74, 80), (53,), (53, 95)]
    labels = [("partial", 0), ("partial", 2), ("no", -1), ("partial", 1), ("no", -1)]
    scores = values(list(STRESS.values()), bullets, labels)
    shown = [round(100 * scores[name]) for name in SHARES[:3]]
    assert shown == [30, 43, 13]


def test_a_bullet_that_cites_nothing_has_precision_recall_and_f1_0() -> None:
    scores = values([(1, 2)], [()], [("yes", 0)])
    assert [scores[name] for name in SHARES] == [1, 0, 0, 0, 0]


def test_citations_are_averaged_over_covered_insights_alone() -> None:
    table = rows(found([(1,), (2,)], [(1,)], facts_of([("partial", 0), ("no", -1)], 1)))
    assert table["citation_score"].value == 1.0
    assert table["citation_score"].num_units == 1
    assert table["joint_score"].value == 0.25


def test_without_a_covered_insight_citations_are_undefined_and_the_joint_score_is_0() -> None:
    table = rows(found([(1,)], [(1,)], facts_of([("no", -1)], 1)))
    assert [name for name, row in table.items() if row.is_undefined] == [
        "citation_score", "citation_precision", "citation_recall"
    ]  # fmt: skip
    assert (table["coverage"].value, table["joint_score"].value) == (0, 0)


def test_without_documents_of_the_insight_its_citations_may_be_all_right_or_all_wrong() -> None:
    table = rows(found([()], [(1,)], facts_of([("partial", 0)], 1)))
    assert table["coverage"].value == 0.5
    for name, upper in (("citation_score", 1), ("joint_score", 0.5), ("citation_recall", 1)):
        row = table[name]
        assert (row.value, row.lower, row.upper) == (None, 0, upper)
        assert not row.is_undefined


def test_nothing_judged_gives_no_values_but_bounds() -> None:
    table = rows(found([(1,), (2,)], [(1,), (3,)], []))
    for name, upper in (("coverage", 1), ("joint_score", 0.5), ("citation_score", 1)):
        row = table[name]
        assert (row.value, row.lower, row.upper, row.num_unjudged) == (None, 0, upper, 2)


def test_words_per_bullet_are_those_of_the_file_with_its_citations() -> None:
    table = rows(found([(1,)], [(1,), (2,), ()], []))
    assert table["words_per_bullet"].value == 1
    assert table["words_per_bullet"].num_units == 3


numbers = st.integers(1, 4)
sets = st.lists(numbers, max_size=3, unique=True)
MAX_OPEN = 4


@st.composite
def partly_judged(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int]], list[str | None]]:
    """Documents of insights, citations of bullets, and a verdict for each pair, or none."""
    gold = draw(st.lists(sets.filter(bool), min_size=1, max_size=3))
    bullets = draw(st.lists(sets, min_size=1, max_size=3))
    verdicts: list[str | None] = [
        draw(st.sampled_from(["yes", "partial", "no"])) for _ in range(len(gold) * len(bullets))
    ]
    for place in draw(st.lists(st.integers(0, len(verdicts) - 1), max_size=MAX_OPEN)):
        verdicts[place] = None
    return gold, bullets, verdicts


def judged(gold: list[list[int]], bullets: list[list[int]],
           verdicts: Sequence[str | None]) -> TopicEvidence:  # fmt: skip
    pairs = product(range(len(gold)), range(len(bullets)))
    facts: list[Fact] = [
        ("covers", f"b{bullet}", verdict, f"i{place}")
        for (place, bullet), verdict in zip(pairs, verdicts, strict=True)
        if verdict is not None
    ]
    return found(gold, bullets, facts)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(partly_judged())
def test_bounds_are_reached_by_some_way_to_judge_what_is_open(
    case: tuple[list[list[int]], list[list[int]], list[str | None]],
) -> None:
    """Judges here give no probability, so of equal bullets the first is the link."""
    gold, bullets, verdicts = case
    partial = rows(judged(gold, bullets, verdicts))
    missing = [place for place, verdict in enumerate(verdicts) if verdict is None]
    completed = []
    for answers in product(["yes", "partial", "no"], repeat=len(missing)):
        full = list(verdicts)
        for place, answer in zip(missing, answers, strict=True):
            full[place] = answer
        ends = rows(judged(gold, bullets, full))
        assert all(row.lower == row.upper == (row.value or 0.0) for row in ends.values())
        completed.append({name: row.lower for name, row in ends.items()})
    check_bounds(partial, completed)


summaries = st.tuples(
    st.lists(sets.filter(bool), min_size=1, max_size=4),
    st.lists(sets, min_size=1, max_size=4),
)


def labelled(draw: st.DataObject, num_insights: int, num_bullets: int) -> list[tuple[str, int]]:
    pairs = st.tuples(st.sampled_from(["yes", "partial", "no"]), st.integers(0, num_bullets - 1))
    return [draw.draw(pairs) for _ in range(num_insights)]


@given(summaries, st.data())
def test_scores_are_shares_and_the_joint_score_is_at_most_the_coverage(
    case: tuple[list[list[int]], list[list[int]]], data: st.DataObject
) -> None:
    gold, bullets = case
    scores = values(gold, bullets, labelled(data, len(gold), len(bullets)))
    assert all(0 <= scores[name] <= 1 for name in SHARES)
    assert scores["joint_score"] <= scores["coverage"] + 1e-12


@given(summaries, st.data(), st.randoms())
def test_the_order_of_bullets_and_insights_changes_nothing(
    case: tuple[list[list[int]], list[list[int]]], data: st.DataObject, random: object
) -> None:
    gold, bullets = case
    labels = labelled(data, len(gold), len(bullets))
    order, places = list(range(len(gold))), list(range(len(bullets)))
    random.shuffle(order)  # type: ignore[attr-defined]
    random.shuffle(places)  # type: ignore[attr-defined]
    again = values(
        [gold[index] for index in order],
        [bullets[place] for place in places],
        [(labels[index][0], places.index(labels[index][1])) for index in order],
    )
    assert again == pytest.approx(values(gold, bullets, labels))


@given(summaries, st.data())
def test_one_more_right_citation_never_lowers_the_recall(
    case: tuple[list[list[int]], list[list[int]]], data: st.DataObject
) -> None:
    gold, bullets = case
    labels = labelled(data, len(gold), len(bullets))
    index = data.draw(st.integers(0, len(gold) - 1))
    _, bullet = labels[index]
    more = [list(cited) for cited in bullets]
    added = data.draw(st.sampled_from(gold[index]))
    more[bullet] = list(dict.fromkeys([*more[bullet], added]))
    before, after = values(gold, bullets, labels), values(gold, more, labels)
    assert after["citation_recall"] >= before["citation_recall"] - 1e-12
