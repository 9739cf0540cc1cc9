"""Key point recall, precision and F1, with exact bounds."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.evaluation.scoring import score
from argue_eval.measures import load_family
from argue_eval.measures.averages import measure_topic
from argue_eval.measures.families import key_points
from argue_eval.measures.protocols.key_points import KeyPointOutcome, KeyPointOutcomes
from argue_eval.records import MeasureValue, Nugget, ScoringOptions, Topic, TopicEvidence
from tests.making import TOPIC, check_bounds, evidence, nugget, report

FAMILY = load_family("key_points")
RATIOS = ("kpr", "kpp", "kpf")


def found(
    *points: tuple[bool | None, bool | None], own: tuple[KeyPointOutcome, ...] | None = None
) -> TopicEvidence:
    """The evidence of a topic from what is known of its key points."""
    outcomes = tuple(KeyPointOutcome(f"k{i}", *point) for i, point in enumerate(points))
    concluded = {"key_points": KeyPointOutcomes(outcomes, own)}
    return TopicEvidence(Topic(TOPIC), report(("s", [])), ScoringOptions(), concluded)


def values(topic: TopicEvidence) -> dict[str, MeasureValue]:
    bounds = key_points.tally(topic)
    return {each.name: measure_topic(each, TOPIC, bounds) for each in FAMILY.measures[:3]}


def f1(recall: float, precision: float) -> float:
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def by_hand(points: list[tuple[bool, bool]]) -> dict[str, float]:
    """The three measures once more, undefined ones as 0, as in a mean."""
    covered = sum(1 for is_covered, _ in points if is_covered)
    both = sum(1 for point in points if point == (True, True))
    recall = covered / len(points) if points else 0.0
    precision = both / covered if covered else 0.0
    return {"kpr": recall, "kpp": precision, "kpf": f1(recall, precision)}


Known = tuple[bool | None, bool | None]
Row = tuple[float | None, float, float]

CASES: dict[str, tuple[tuple[Known, ...], dict[str, Row]]] = {
    "the worked example": (
        ((True, True), (True, True), (True, False), (False, None)),
        {"kpr": (0.75,) * 3, "kpp": (2 / 3,) * 3, "kpf": (12 / 17,) * 3},
    ),
    "nothing covered leaves precision undefined and recall 0": (
        ((False, None), (False, True)),
        {"kpr": (0.0, 0.0, 0.0), "kpp": (None, 0.0, 0.0), "kpf": (None, 0.0, 0.0)},
    ),
    "an unjudged key point is left out of the value and opens the bounds": (
        ((True, True), (None, None)),
        {"kpr": (1.0, 0.5, 1.0), "kpp": (1.0, 0.5, 1.0)},
    ),
    "where no key point is judged there is no value": (
        ((None, None), (None, None)),
        dict.fromkeys(RATIOS, (None, 0.0, 1.0)),
    ),
    # The F1 cannot be 1: recall and precision are 1/2 and 1, or 1 and 1/2.
    "what no document entails is in the bounds though it may not be said": (
        ((None, True), (None, False)),
        {"kpp": (None, 0.0, 1.0), "kpf": (None, 0.0, 2 / 3)},
    ),
    # Not covered, so that it is undefined and counts 0, or covered and not entailed.
    "where all ways lead to the same value it is the value": (
        ((None, False),),
        {"kpp": (0.0, 0.0, 0.0)},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_values_and_bounds(case: str) -> None:
    points, expected = CASES[case]
    rows = values(found(*points))
    for name, (value, lower, upper) in expected.items():
        assert rows[name].value == (None if value is None else pytest.approx(value)), name
        assert (rows[name].lower, rows[name].upper) == pytest.approx((lower, upper)), name


known = st.sampled_from([True, False, None])
outcomes = st.tuples(known, known)


@given(st.lists(outcomes, max_size=5))
def test_bounds_are_the_extremes_over_all_completions(
    points: list[tuple[bool | None, bool | None]],
) -> None:
    rows = values(found(*points))
    ways = [
        [(c,) if c is not None else (True, False), (e,) if e is not None else (True, False)]
        for c, e in points
    ]
    completed = [
        by_hand(list(zip(ends[::2], ends[1::2], strict=True)))
        for ends in product(*[each for way in ways for each in way])
    ]
    check_bounds(rows, completed)


def with_own(covered: list[bool | None], entailed: list[bool | None]) -> dict[str, MeasureValue]:
    """The measures where the response has key points of its own."""
    own = tuple(KeyPointOutcome(f"c{i}", True, each) for i, each in enumerate(entailed))
    return values(found(*[(each, None) for each in covered], own=own))


def test_precision_is_over_the_key_points_of_the_response_where_they_are_at_hand() -> None:
    rows = with_own([True, False], [True, False, False, False])
    for name, value in zip(RATIOS, (0.5, 0.25, 1 / 3), strict=True):
        assert rows[name][2:5] == pytest.approx((value, value, value)), name


def test_a_response_without_key_points_leaves_precision_undefined() -> None:
    rows = with_own([True], [])
    assert [rows[name].value for name in RATIOS] == [1.0, None, None]


@given(st.lists(known, min_size=1, max_size=4), st.lists(known, min_size=1, max_size=4))
def test_bounds_hold_for_both_kinds_of_key_points(
    covered: list[bool | None], entailed: list[bool | None]
) -> None:
    rows = with_own(covered, entailed)

    def shares(known: list[bool | None]) -> list[float]:
        ways = product(*[(each,) if each is not None else (True, False) for each in known])
        return [sum(way) / len(known) for way in ways]

    completed = [
        {"kpr": recall, "kpp": precision, "kpf": f1(recall, precision)}
        for recall, precision in product(shares(covered), shares(entailed))
    ]
    check_bounds(rows, completed)


def test_response_length_is_averaged_over_questions_and_words_stand_between_spaces() -> None:
    long = evidence([], report(("one two  three", []), ("four\nfive", [])), protocols=[])
    short = evidence([], report(("one", []),), protocols=[])  # fmt: skip
    table = score("run", "", "", [long, short], [FAMILY._replace(measures=FAMILY.measures[-1:])])
    assert [row.value for row in table.rows] == [5.0, 1.0, 3.0]


def test_recall_alone_asks_nothing_of_documents() -> None:
    claim: Nugget = nugget("k1", ("claim", []), question=None)
    facts = [("covers", "s", "yes", "k1")]
    written = report(("s", ["D1"]))
    asked = evidence([claim], written, facts, protocols=["key_points"])
    alone = evidence([claim], written, facts, needs=(), protocols=["key_points"])
    assert [len(each.needs) for each in (asked, alone)] == [1, 0]
