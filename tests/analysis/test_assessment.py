"""Scores by a machine, corrected by the assessments of some topics or of some questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import argue_eval as ae
from argue_eval.analysis.prediction_powered import Assessed, Judged
from argue_eval.analysis.prediction_powered import correct as estimate
from argue_eval.analysis.rogan_gladen import Rate
from argue_eval.analysis.rogan_gladen import correct as rogan_gladen
from tests.analysis.assessed_track import MACHINE, NUM_NUGGETS, PEOPLE, ends, judged, nuggets, run

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


def _sheet(path: Path, rows: list[ae.Judgment], probs: Sequence[float | None]) -> str:
    keys = ("topic_id", "kind", "sentence", "doc_id", "nugget_id", "answer", "verdict", "judge")
    lines = [
        {key: value for key in keys if (value := getattr(each, key))}
        | {"row": "1 of 1"}
        | ({} if prob is None else {"probability": prob})
        for each, prob in zip(rows, probs, strict=True)
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return str(path)


def _place(judgment: ae.Judgment) -> int:
    """The place of the sentence in its report."""
    return int((judgment.sentence or "").split()[2].rstrip("."))


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


@pytest.mark.parametrize("assessed", [ASSESSED, ASSESSED[1:]])
def test_a_topic_without_report_counts_zero_and_needs_no_assessment(assessed: list[str]) -> None:
    scores = _scores(topics=TOPICS[1:])
    found = ae.correct(scores, _some(assessed)).score("alpha", "nugget_recall")
    of_reports = np.mean([BY_PEOPLE[topic_id] / NUM_NUGGETS for topic_id in ASSESSED[1:]])
    assert found.people.value == pytest.approx(of_reports * 11 / 12)
    assert (found.people.num, found.num_units) == (7, 11)


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
    drawn, probs = [], []
    for number, each in enumerate(_some(TOPICS)):
        is_yes = number % NUM_NUGGETS < BY_MACHINE[each.topic_id]
        if number % 3 == 0 or (is_yes and number % 2):
            drawn.append(each)
            probs.append(0.6 if is_yes else 0.3)
    # The last one was chosen by somebody: it is no part of the sample.
    rows = [*drawn, drawn[0]._replace(sentence="alpha t00 1.", nugget_id="n1")]
    sheet = _sheet(tmp_path / "sheet.jsonl", rows, [*probs, None])
    found = ae.correct(_scores(), sheet).score("alpha", "share_yes[answers]")
    weights = 1 / np.array(probs)
    people = np.array([float(each.verdict is ae.Verdict.YES) for each in drawn])
    machine = np.array([float(_place(each) < BY_MACHINE[each.topic_id]) for each in drawn])
    topics = np.array([TOPICS.index(each.topic_id) for each in drawn])
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


# --- sentences with all their questions -----------------------------------------------------------

KINDS = (ae.Kind.ANSWERS, ae.Kind.SUPPORT)


def _both(answers: dict[str, int], judge: str) -> list[ae.Judgment]:
    """Who gives its answer is supported, too."""
    return [each for kind in KINDS for each in judged(answers, judge, kind=kind)]


def _scores_of_sentences(measures: list[str]) -> ae.Scores:
    known = _both(BY_MACHINE, MACHINE)
    return ae.score(run(TOPICS), nuggets(TOPICS), judgments=known, judge="none", measures=measures)


def _drawn() -> list[ae.Judgment]:
    return [each for each in _both(BY_PEOPLE, PEOPLE) if _is_odd(each.topic_id, _place(each))]


def _is_odd(topic_id: str, place: int) -> bool:
    return bool((TOPICS.index(topic_id) + place) % 3)


def test_drawn_sentences_correct_ratios_of_sums_over_sentences(tmp_path: Path) -> None:
    rows = _drawn()
    sheet = _sheet(tmp_path / "sheet.jsonl", rows, [0.66] * len(rows))
    scores = _scores_of_sentences(["sentence_precision", "citation_support"])
    found = ae.correct(scores, sheet)
    people, machine = (
        np.array([[float(at < of[t]), 1.0] for t in TOPICS for at in range(NUM_NUGGETS)])
        for of in (BY_PEOPLE, BY_MACHINE)
    )
    drawn = np.array([_is_odd(t, at) for t in TOPICS for at in range(NUM_NUGGETS)])
    topics = np.repeat(np.arange(12), NUM_NUGGETS)
    expected = estimate(
        Assessed(people[drawn], machine[drawn], topics[drawn], np.ones(drawn.sum())),
        Judged(machine, topics, is_rest=False),
        lambda means: float(means[0] / means[1]),
    )
    # A sentence without answer or support is penalised, one with an answer rewarded.
    for name in ("sentence_precision_micro", "citation_support_micro"):
        row = found.score("alpha", name)
        assert row.unit == "sentence"
        assert row.machine == pytest.approx(31 / 48)
        assert ends(row.ppi) == pytest.approx(ends(expected.value), abs=1e-8)
        assert ends(row.people) == pytest.approx(ends(expected.people), abs=1e-8)
        assert (row.people.num, row.num_units, row.num_topics) == (drawn.sum(), 48, 12)
    assert "incomplete" in found.score("alpha", "sentence_precision").ppi.reason


def test_what_is_no_sum_over_sentences_is_not_made_one(tmp_path: Path) -> None:
    rows = _drawn()
    sheet = _sheet(tmp_path / "sheet.jsonl", rows, [0.66] * len(rows))
    found = ae.correct(_scores_of_sentences(["argue", "auto_argue"]), sheet)
    units = {each.measure: each.unit for each in found.scores}
    assert {name for name, unit in units.items() if unit == "sentence"} == {
        "sentence_precision_micro", "citation_support_micro", "sentence_support_micro"
    }  # fmt: skip
    assert units["nugget_recall"] == "topic"
    assert found.score("alpha", "nugget_recall").people.value is None


@pytest.mark.parametrize("change", ["one answer is missing", "drawn with several probabilities"])
def test_sentences_that_are_assessed_in_part_are_refused(tmp_path: Path, change: str) -> None:
    rows = _drawn()
    probs = [0.66] * len(rows)
    if change == "one answer is missing":
        place = next(at for at, each in enumerate(rows) if each.kind is ae.Kind.SUPPORT)
        rows, probs = [*rows[:place], *rows[place + 1 :]], probs[1:]
    else:
        probs[0] = 0.5
    sheet = _sheet(tmp_path / "sheet.jsonl", rows, probs)
    found = ae.correct(_scores_of_sentences(["citation_support"]), sheet)
    row = found.score("alpha", "citation_support_micro")
    assert row.people.value is None
    assert f"1 of {len(_drawn()) // 2} assessed sentences are incomplete" in row.ppi.reason


def test_sentences_of_kinds_that_nobody_was_asked_are_certain_or_refused(tmp_path: Path) -> None:
    """Only support was asked. A sentence without citation has none, but may need a citation."""
    known = _both(BY_MACHINE, MACHINE)
    more = run(TOPICS, more=("It is said.",))
    measures = ["citation_support", "sentence_support"]
    scores = ae.score(more, nuggets(TOPICS), judgments=known, judge="none", measures=measures)
    rows = [each for each in _drawn() if each.kind is ae.Kind.SUPPORT]
    sheet = _sheet(tmp_path / "sheet.jsonl", rows, [0.66] * len(rows))
    plain = ae.correct(_scores_of_sentences(measures), sheet)
    found = ae.correct(scores, sheet)
    row, alike = (each.score("alpha", "citation_support_micro") for each in (found, plain))
    assert row.num_units == alike.num_units == 48
    assert ends(row.ppi) == pytest.approx(ends(alike.ppi), abs=1e-9)
    refused = found.score("alpha", "sentence_support_micro").ppi
    assert refused.value is None
    assert refused.reason == "12 sentences with questions of kinds that people were not asked"


def test_drawn_topics_count_by_their_weights(tmp_path: Path) -> None:
    rows = _both({topic_id: BY_PEOPLE[topic_id] for topic_id in ASSESSED}, PEOPLE)
    probs = [0.5 if each.topic_id < "t04" else 0.8 for each in rows]
    sheet = _sheet(tmp_path / "sheet.jsonl", rows, probs)
    row = ae.correct(_scores_of_sentences(["nugget_recall"]), sheet).score("alpha", "nugget_recall")
    weights = np.array([2.0] * 4 + [1.25] * 4)
    values = np.array([BY_PEOPLE[topic_id] / NUM_NUGGETS for topic_id in ASSESSED])
    assert row.people.value == pytest.approx((weights * values).sum() / weights.sum())


# --- the machine's sensitivity and specificity ----------------------------------------------------


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


def test_two_people_and_two_runs_of_one_name() -> None:
    """Who is named first counts; further runs have their number behind their name."""
    others = judged(dict.fromkeys(ASSESSED, 0), "assessor:A2")
    runs = [run(TOPICS), run(TOPICS)]
    known = list(judged(BY_MACHINE, MACHINE))
    scores = ae.score(runs, nuggets(TOPICS), judgments=known, judge="none", measures="argue")
    found = ae.correct(scores, [*_some(ASSESSED), *others])
    alone = ae.correct(_scores(), _some(ASSESSED)).score("alpha", "nugget_recall")
    for name in ("alpha", "alpha (2)"):
        assert ends(found.score(name, "nugget_recall").ppi) == pytest.approx(ends(alone.ppi))
    assert found.assessors == (PEOPLE, "assessor:A2")
    assert any("32 assessments set aside" in note for note in found.notes)


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
    with pytest.raises(KeyError, match="unknown run and measure 'alpha, nonsense'"):
        ae.correct(_scores(), _some(ASSESSED)).score("alpha", "nonsense")
