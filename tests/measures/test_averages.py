"""Averages over topics: the numbers of topic `all`."""

from __future__ import annotations

import pytest

from argue_eval import measures
from argue_eval.evaluation.scoring import score
from argue_eval.measures import Measure
from argue_eval.measures.averages import Column, average_topics
from argue_eval.measures.families.auto_argue import Stats
from argue_eval.records import Average, Bounds, MeasureValue, ScoreTable, ScoringOptions
from tests.making import Fact, evidence, nugget, report

NUGGETS = [nugget("n1", ("a", ["D1"])), nugget("n2", ("b", ["D2"]))]
RIGHT: list[Fact] = [("answers", "s", "yes", "n1", "a"), ("support", "s", "yes", "D1")]


def row(value: float | None, undefined: bool = False, units: int = 1) -> MeasureValue:
    shown = value or 0.0
    return MeasureValue("m", "t", value, shown, shown, units, 0, undefined)


def averages(average: Average, *rows: MeasureValue) -> list[MeasureValue]:
    def m(stats: object) -> float | None:
        return None

    nothing = [Bounds(judged=Stats(), worst=Stats(), best=Stats()) for _ in rows]
    columns = [Column.of(rows)] if rows else []
    return average_topics([Measure(m, unit="", average=average)], columns, nothing)


def averaged(average: Average, *values: float | None) -> dict[str, float | None]:
    found = averages(average, *[row(value, undefined=value is None) for value in values])
    return {each.measure: each.value for each in found}


@pytest.mark.parametrize(
    ("values", "mean"),
    [((1.0,), 1.0), ((0.25, 0.75), 0.5), ((1.0, None), 0.5), ((None, None), 0.0)],
)
def test_mean_counts_an_undefined_topic_as_zero(
    values: tuple[float | None, ...], mean: float
) -> None:
    assert averaged(Average.MEAN, *values) == {"m": mean}


@pytest.mark.parametrize(
    ("values", "median", "most"),
    [((3.0,), 3, 3), ((3.0, 1.0), 2, 3), ((5.0, 1.0, 2.0), 2, 5), ((4.0, 0.0, 1.0, 2.0), 1.5, 4)],
)
def test_median_and_maximum(values: tuple[float, ...], median: float, most: float) -> None:
    assert averaged(Average.MEDIAN_AND_MAX, *values) == {"m_median": median, "m_max": most}


def test_sum() -> None:
    assert averaged(Average.SUM, 3.0, 0.0, 4.0) == {"m": 7.0}


@pytest.mark.parametrize("average", list(Average))
def test_no_topics_have_no_average(average: Average) -> None:
    assert averages(average) == []


def test_a_mean_of_many_topics_does_not_depend_on_their_order() -> None:
    values = [0.1 * (place % 7) + 1e-9 * place for place in range(1000)]
    assert averaged(Average.MEAN, *values) == averaged(Average.MEAN, *sorted(values))


def test_a_topic_of_which_nothing_is_judged_is_left_out_of_the_point_but_not_of_the_bounds() -> (
    None
):
    unknown = MeasureValue("m", "t", None, 0.0, 1.0, 4, 4)
    found = averages(Average.MEAN, row(0.5), unknown)
    assert [(each.value, each.lower, each.upper) for each in found] == [(0.5, 0.25, 0.75)]


def scored(*topics: tuple[list[Fact], bool], only_answered: bool = False) -> ScoreTable:
    """Scores of topics with one report or none."""
    options = ScoringOptions(only_answered=only_answered)
    found = [
        evidence(NUGGETS, report(("s", ["D1"])) if has_report else None, facts, options)
        for facts, has_report in topics
        if has_report or not only_answered
    ]
    return score("run", "", "", found, measures.select([]))


@pytest.mark.parametrize(
    ("only_answered", "values", "counts", "missing"),
    [
        (False, [0.25, 0.25, 0.25, 0.5, 1, 0.5], (2, 1), ("t1",)),
        (True, [0.5, 0.5, 0.5, 1, 1, 1], (1, 1), ()),
    ],
)
def test_a_missing_report_counts_as_zero_in_all_averages_or_is_left_out(
    only_answered: bool, values: list[float], counts: tuple[int, int], missing: tuple[str, ...]
) -> None:
    table = scored((RIGHT, True), ([], False), only_answered=only_answered)
    names = ["nugget_recall", "nugget_coverage_micro", "nugget_coverage_macro"]
    names += ["sentence_precision", "outcome_3", "character_count_median"]
    assert [table.value(name) for name in names] == values
    assert (table.counts["num_q"], table.counts["num_q_run"]) == counts
    assert table.missing_topics == missing


def test_undefined_topics_are_counted() -> None:
    ignored: list[Fact] = [("answers", "s", "no", "n1", "a"), ("support", "s", "yes", "D1")]
    table = scored((RIGHT, True), (ignored, True))
    assert table.value("sentence_precision") == 0.5
    assert table.counts["num_undefined"] == 1
