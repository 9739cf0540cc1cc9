"""Scores by a machine, corrected by the assessments of some topics or of some questions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import argue_eval as ae
from argue_eval.analysis.prediction_powered import Assessed, Judged
from argue_eval.analysis.prediction_powered import correct as estimate
from argue_eval.analysis.rogan_gladen import Rate
from argue_eval.analysis.rogan_gladen import correct as rogan_gladen
from tests.analysis.assessed_track import (
    MACHINE,
    NUM_NUGGETS,
    PEOPLE,
    ends,
    judged,
    nuggets,
    run,
)

TOPICS = [f"t{number:02}" for number in range(12)]
BY_PEOPLE = dict(zip(TOPICS, [4, 3, 1, 2, 0, 2, 4, 1, 3, 2, 1, 0], strict=True))
BY_MACHINE = dict(zip(TOPICS, [4, 4, 2, 3, 1, 2, 4, 2, 4, 3, 1, 1], strict=True))
ASSESSED = TOPICS[:8]


def _some(topics: list[str]) -> list[ae.Judgment]:
    return list(judged({topic_id: BY_PEOPLE[topic_id] for topic_id in topics}, PEOPLE))


def _scores(measures: str = "nugget_recall", topics: list[str] = TOPICS) -> ae.Scores:
    return ae.score(
        run(topics),
        nuggets(TOPICS),
        judgments=list(judged(BY_MACHINE, MACHINE)),
        judge="none",
        measures=measures,
    )


def test_mean_over_topics_is_the_estimate_of_its_topics() -> None:
    found = ae.correct(_scores(), _some(ASSESSED)).score("alpha", "nugget_recall")
    people, machine = (
        np.array([[each[topic_id] / NUM_NUGGETS] for topic_id in TOPICS])
        for each in (BY_PEOPLE, BY_MACHINE)
    )
    expected = estimate(
        Assessed(people[:8], machine[:8], np.arange(8), np.ones(8)),
        Judged(machine[8:], np.arange(8, 12), is_rest=True),
    )
    assert found.machine == pytest.approx(machine.mean())
    assert ends(found.ppi) == pytest.approx(ends(expected.value))
    assert ends(found.people) == pytest.approx(ends(expected.people))
    assert (found.weight, found.num_topics, found.num_units) == (expected.weight, 8, 12)
    assert found.weight > 0.1
    assert found.rogan_gladen is None
    # The machine is generous; where nobody looked, it is believed as far as it was right before.
    assert ends(found.ppi)[0] < machine.mean()


def test_micro_average_is_a_ratio_of_sums() -> None:
    """Every topic has as many nuggets, so both averages are the same."""
    found = ae.correct(_scores("nugget_coverage"), _some(ASSESSED))
    micro, macro = (found.score("alpha", f"nugget_coverage_{end}") for end in ("micro", "macro"))
    assert micro.machine == pytest.approx(macro.machine)
    assert micro.ppi[1:4] == pytest.approx(macro.ppi[1:4], abs=1e-9)


def test_a_topic_without_report_counts_zero_for_both() -> None:
    scores = _scores(topics=TOPICS[1:])
    found = ae.correct(scores, _some(ASSESSED)).score("alpha", "nugget_recall")
    expected = np.mean([0, *(BY_PEOPLE[topic_id] / NUM_NUGGETS for topic_id in ASSESSED[1:])])
    assert found.people.value == pytest.approx(expected)


def test_counts_and_what_rests_on_no_judgments_are_not_corrected() -> None:
    found = ae.correct(_scores("all"), _some(ASSESSED))
    measures = {each.measure for each in found.scores if each.unit == "topic"}
    assert "argue_f1" in measures
    assert measures.isdisjoint({"outcome_1", "character_count_max", "P@5", "sentences"})


def test_where_a_topic_is_assessed_in_part_nothing_is_made_of_the_others() -> None:
    """Reports that are short or missing are complete more often: the others are no fair sample."""
    found = ae.correct(_scores(), _some(ASSESSED)[:-1])
    row = found.score("alpha", "nugget_recall")
    assert (row.ppi.value, row.people.value) == (None, None)
    assert "1 of 8 assessed topics are incomplete" in row.ppi.reason
    assert any("not assessed completely: t07" in note for note in found.notes)


def test_where_the_machine_is_silent_the_middle_of_its_bounds_counts() -> None:
    machine = list(judged(BY_MACHINE, MACHINE))[:-1]  # t11: 1 of 4, or 2
    scores = ae.score(run(TOPICS), nuggets(TOPICS), judgments=machine, judge="none")
    found = ae.correct(scores, _some(ASSESSED)).score("alpha", "nugget_recall")
    assert found.machine is None
    high = ae.correct(_scores(), _some(ASSESSED)).score("alpha", "nugget_recall")
    assert ends(found.ppi)[0] == pytest.approx(ends(high.ppi)[0] + high.weight * 0.125 / 4)


def test_share_of_yes_of_drawn_questions(tmp_path: Path) -> None:
    """Questions of every topic, drawn with another probability where the machine says yes."""
    rows = []
    for number, each in enumerate(_some(TOPICS)):
        is_yes = number % NUM_NUGGETS < BY_MACHINE[each.topic_id]
        if number % 3 == 0 or (is_yes and number % 2):
            keys = ("topic_id", "kind", "sentence", "nugget_id", "answer", "verdict", "judge")
            row = {key: getattr(each, key) for key in keys}
            rows.append({"row": "1 of 1", **row, "probability": 0.6 if is_yes else 0.3})
    rows.append({**rows[0], "sentence": "alpha t00 1.", "nugget_id": "n1"})
    del rows[-1]["probability"]  # chosen by somebody: no part of the sample
    path = tmp_path / "sheet.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = ae.correct(_scores(), str(path)).score("alpha", "share_yes[answers]")
    drawn = rows[:-1]
    weights = np.array([1 / row["probability"] for row in drawn])
    people = np.array([float(row["verdict"] == "yes") for row in drawn])
    places = [int(row["sentence"].split()[2].rstrip(".")) for row in drawn]
    machine = np.array(
        [float(at < BY_MACHINE[row["topic_id"]]) for at, row in zip(places, drawn, strict=True)]
    )
    topics = np.array([TOPICS.index(row["topic_id"]) for row in drawn])
    everything = np.array(
        [[float(at < BY_MACHINE[t])] for t in TOPICS for at in range(NUM_NUGGETS)]
    )
    expected = estimate(
        Assessed(people[:, None], machine[:, None], topics, weights),
        Judged(everything, np.repeat(np.arange(12), NUM_NUGGETS), is_rest=False),
    )
    assert found.people.value == pytest.approx((weights * people).sum() / weights.sum())
    assert ends(found.ppi) == pytest.approx(ends(expected.value))
    assert (found.people.num, found.num_units) == (len(drawn), 48)
    assert found.num_topics == len(set(topics))


def test_rogan_gladen_rests_on_the_questions_of_all_runs() -> None:
    """A run that nobody assessed is corrected by how the machine judges another."""
    runs = [run(TOPICS), run(TOPICS, "beta")]
    known_ones = [*judged(BY_MACHINE, MACHINE), *judged(BY_MACHINE, MACHINE, "beta")]
    scores = ae.score(runs, nuggets(TOPICS), judgments=known_ones, judge="none")
    found = ae.correct(scores, _some(TOPICS))
    (known,) = (each for each in found.calibrations if each.kind is ae.Kind.ANSWERS)
    num_yes = sum(BY_PEOPLE.values())
    assert (known.num_yes, known.num_no) == (num_yes, 48 - num_yes)
    num_wrong = sum(BY_MACHINE.values()) - num_yes
    specificity = 1 - num_wrong / (48 - num_yes)
    assert known.sensitivity == 1
    assert known.specificity == pytest.approx(specificity)
    beta = found.score("beta", "share_yes[answers]")
    assert (beta.ppi.value, beta.people.value) == (None, None)
    assert beta.ppi.reason == "no question is assessed"
    value, lower, upper = ends(beta.rogan_gladen)
    assert value == pytest.approx(num_yes / 48)
    # Questions of a topic depend on each other: the interval is no narrower than if they did not.
    machine = Rate(sum(BY_MACHINE.values()) / 48, 48)
    alone = rogan_gladen(machine, Rate(1.0, num_yes), Rate(specificity, 48 - num_yes))
    assert lower <= ends(alone)[1]
    assert upper >= ends(alone)[2]


def test_level_and_assessors() -> None:
    found = ae.correct(_scores(), _some(ASSESSED), level=0.2)
    wide = ae.correct(_scores(), _some(ASSESSED))
    (value, low, _), (_, lowest, _) = (
        ends(each.score("alpha", "nugget_recall").people) for each in (found, wide)
    )
    ratio = stats.t.ppf(0.9, 7) / stats.t.ppf(0.975, 7)
    assert (value - low) / (value - lowest) == pytest.approx(ratio)
    assert (found.assessors, found.level) == ((PEOPLE,), 0.2)


def test_all_topics_assessed_leave_nothing_to_correct() -> None:
    found = ae.correct(_scores(), _some(TOPICS))
    row = found.score("alpha", "nugget_recall")
    assert row.ppi[1:4] == row.people[1:4]
    assert row.weight == 0
    assert any("all topics are assessed" in note for note in found.notes)


@pytest.mark.parametrize("num", [1, 4])
def test_few_topics_are_shown_and_not_corrected(num: int) -> None:
    row = ae.correct(_scores(), _some(TOPICS[:num])).score("alpha", "nugget_recall")
    assert row.ppi.value is None
    assert row.people.value is not None
    assert "fewer than 5 topics" in row.ppi.reason


def test_the_assessments_are_not_corrected_by_themselves() -> None:
    scores = ae.score(run(TOPICS), nuggets(TOPICS), judgments=_some(TOPICS), judge="none")
    with pytest.raises(ae.InputError, match="rest on judgments by assessor:A1") as caught:
        ae.correct(scores, _some(ASSESSED))
    assert caught.value.findings[0].code == "same_judgments"


@pytest.mark.parametrize("topics", [{"t99": 3}, {}])
def test_assessments_of_something_else_are_refused(topics: dict[str, int]) -> None:
    with pytest.raises(ae.InputError) as caught:
        ae.correct(_scores(), list(judged(topics, PEOPLE)))
    assert caught.value.findings[0].code == "nothing_assessed"


def test_unknown_row_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        ae.correct(_scores(), _some(ASSESSED)).score("alpha", "nonsense")
