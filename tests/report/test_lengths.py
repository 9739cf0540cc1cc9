"""Length against score."""

from __future__ import annotations

from argue_eval.records import MeasureValue, ScoreTable
from argue_eval.report.tables import lengths


def table(*points: tuple[float, float | None], length: str = "response_words") -> ScoreTable:
    """A table of one ratio, from (length, score) pairs in topic order."""
    rows = []
    for place, (words, score) in enumerate(points):
        topic = f"t{place}"
        rows.append(MeasureValue("kpr", topic, score, score or 0.0, score or 1.0))
        rows.append(MeasureValue(length, topic, words, words, words, is_count=True))
    rows.append(MeasureValue("kpr", "all", 0.5, 0.5, 0.5))
    return ScoreTable("r 1", "", "s", tuple(rows))


def lines(found: ScoreTable) -> list[list[str]]:
    return [line.rstrip("\n").split("\t") for line in lengths.render(found, True)]


def test_the_correlation_is_pearsons_and_each_third_has_its_mean() -> None:
    found = lines(table((30, 0.6), (10, 0.2), (20, 0.4), (40, 0.8), (60, 0.4), (50, 0.6)))
    assert found == [
        ["r_1", "kpr", "10-60", "6", "0.5000", "0.4587"],
        ["r_1", "kpr", "10-20", "2", "0.3000", ""],
        ["r_1", "kpr", "30-40", "2", "0.7000", ""],
        ["r_1", "kpr", "50-60", "2", "0.5000", ""],
    ]


def test_topics_that_nobody_judged_are_left_out_and_thirds_cover_all_others() -> None:
    found = lines(table((1, 0.0), (2, None), (3, 0.5), (4, 0.5), (5, 1.0), (6, 1.0)))
    assert [line[2:5] for line in found] == [
        ["1-6", "5", "0.6000"],
        ["1-1", "1", "0.0000"],
        ["3-4", "2", "0.5000"],
        ["5-6", "2", "1.0000"],
    ]


def test_an_undefined_topic_counts_zero_as_in_the_mean() -> None:
    found = table((1, 1.0), (2, 1.0))
    undefined = found.rows[2]._replace(value=None, is_undefined=True)
    rows = (*found.rows[:2], undefined, *found.rows[3:])
    assert lines(found._replace(rows=rows))[0][4] == "0.5000"


def test_equal_lengths_have_no_correlation_and_few_topics_no_thirds() -> None:
    assert lines(table((7, 0.1), (7, 0.9))) == [["r_1", "kpr", "7-7", "2", "0.5000", ""]]


def test_characters_are_a_length_too() -> None:
    assert lines(table((7, 0.1), (8, 0.9), length="character_count"))[0][5] == "1.0000"


def test_words_per_bullet_are_a_length_that_need_not_be_whole() -> None:
    found = lines(table((7.25, 0.1), (8, 0.9), length="words_per_bullet"))
    assert found[0][2:] == ["7.2-8", "2", "0.5000", "1.0000"]


def test_without_a_length_the_view_says_what_to_add() -> None:
    found = lines(table((7, 0.1), length="sentences"))
    assert found == [
        ["# no measure of length: name one beside the others, -m MEASURE -m response_words"]
    ]
