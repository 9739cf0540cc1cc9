"""What is fitted to assessments: thresholds, slopes, and where a judge is sure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score

from argue_eval.analysis.agreement.calibrating import Curves, calibrate, logistic
from argue_eval.analysis.agreement.matching import Matched, Pair, match
from argue_eval.analysis.agreement.reading import Judge, Key, Reports, Said
from argue_eval.analysis.results import Counts
from argue_eval.errors import Finding, InputError
from argue_eval.formats.calibrations import JudgeCalibration
from argue_eval.records import Kind, Verdict

YES, PARTIAL, NO, CONTRADICTS = Verdict
WORDS = {"y": YES, "p": PARTIAL, "n": NO, "c": CONTRADICTS}


def matched(
    truth: str,
    probs: Sequence[float | None],
    kind: Kind = Kind.SUPPORT,
    judge: str = "j@1",
    drawn: Sequence[float] = (),
) -> Matched:
    """Questions, one a topic; the judge says yes from 0.5 on."""
    every = zip(truth, probs, drawn or [1.0] * len(truth), strict=True)
    pairs = [
        Pair(f"t{at}", (), None, WORDS[word], YES if (prob or 0) >= 0.5 else NO, prob, drawn=share)
        for at, (word, prob, share) in enumerate(every)
    ]
    return Matched(kind, judge, by_report=False, pairs=tuple(pairs), counts=Counts(len(pairs), 0))


def fitted(
    truth: str, probs: Sequence[float | None], kind: Kind = Kind.SUPPORT
) -> JudgeCalibration:
    (found,) = calibrate([matched(truth, probs, kind)], [])
    return found


def drawn(number: int, seed: int = 1, shift: float = -2.0) -> tuple[np.ndarray, np.ndarray]:
    """Log odds, and whether people say yes: normal with means 1 apart from a threshold."""
    stream = np.random.RandomState(seed)
    is_yes = stream.random_sample(number) < 0.4
    return shift + stream.standard_normal(number) + np.where(is_yes, 1.0, -1.0), is_yes


def test_separate_answers_are_told_apart_at_the_middle_between_them() -> None:
    found = fitted("n" * 30 + "y" * 30, [0.1] * 30 + [0.3] * 30)
    assert found.prob(0.1) < found.thresholds.yes <= found.prob(0.3)
    assert found.balanced_accuracy.before == 0.5
    assert found.balanced_accuracy.after == 1
    assert found.curve[0].agreement > 0.99


def test_the_threshold_comes_close_to_the_best_one_on_questions_not_seen() -> None:
    """Two normal distributions are best told apart in the middle between them, at -2."""
    losses, empirical = [], []
    logits, is_yes = drawn(20_000, seed=99)
    best = balanced_accuracy_score(is_yes, logits >= -2)
    for seed in range(40):
        some, theirs = drawn(100, seed)
        threshold = Curves(some, theirs, np.ones(len(some))).best()
        losses.append(best - balanced_accuracy_score(is_yes, logits >= threshold))
        steps = np.sort(some)
        found = [balanced_accuracy_score(theirs, some >= each) for each in steps]
        chosen = steps[int(np.argmax(found))]
        empirical.append(best - balanced_accuracy_score(is_yes, logits >= chosen))
    assert np.mean(losses) < 0.015
    assert np.mean(losses) < np.mean(empirical)


def test_slope_and_intercept_are_those_of_logistic_regression() -> None:
    logits, is_yes = drawn(400)
    slope, intercept = logistic(logits, is_yes, np.ones(len(logits)), has_slope=True)
    # A normal prior around a slope of 1 is a ridge around 0 once the log odds are an offset; with
    # many questions it weighs little.
    theirs = LogisticRegression(C=1e6).fit(logits[:, None], is_yes)
    assert slope == pytest.approx(theirs.coef_[0, 0], abs=0.05)
    assert intercept == pytest.approx(theirs.intercept_[0], abs=0.1)
    fixed, shifted = logistic(logits, is_yes, np.ones(len(logits)), has_slope=False)
    assert fixed == 1
    probs = 1 / (1 + np.exp(-(logits + shifted)))
    assert probs.mean() == pytest.approx(is_yes.mean(), abs=0.001)


def test_the_order_of_probabilities_stays_even_if_they_are_upside_down() -> None:
    found = fitted("y" * 30 + "n" * 30, [0.1 + at / 100 for at in range(60)])
    assert 0 < found.slope < 0.1
    assert found.sure is None


def test_shares_of_votes_are_not_smoothed() -> None:
    """Of three votes: the best threshold is between one and two of them."""
    yes = [1 / 3] * 2 + [2 / 3] * 14 + [1.0] * 24
    no = [0.0] * 30 + [1 / 3] * 24 + [2 / 3] * 6
    found = fitted("y" * len(yes) + "n" * len(no), yes + no)
    assert found.prob(1 / 3) < found.thresholds.yes <= found.prob(2 / 3)
    # By hand: 38 of 40 yes and 54 of 60 no are found.
    assert found.curve[0].balanced_accuracy == pytest.approx((38 / 40 + 54 / 60) / 2, abs=1e-5)
    assert found.curve[0].agreement == pytest.approx(92 / 100, abs=1e-5)


@pytest.mark.parametrize(("num_yes", "has_slope"), [(19, False), (20, True)])
def test_a_slope_needs_enough_of_both_answers(num_yes: int, has_slope: bool) -> None:
    truth = "y" * num_yes + "n" * 50
    probs = [0.9 - (at % 7) / 10 for at in range(num_yes)] + [
        0.5 - (at % 5) / 10 for at in range(50)
    ]
    assert (fitted(truth, probs).slope != 1) is has_slope


def test_the_curve_says_how_often_people_agree_with_what_is_answered() -> None:
    logits, is_yes = drawn(2_000)
    probs = 1 / (1 + np.exp(-logits))
    found = fitted("".join("ny"[int(each)] for each in is_yes), list(probs))
    fresh, theirs = drawn(20_000, seed=5)
    calibrated = np.array([found.prob(each) for each in 1 / (1 + np.exp(-fresh))])
    assert len(found.curve) == 19
    for point in found.curve:
        low, high = point.sure
        answered = (calibrated <= low) | (calibrated >= high)
        agrees = (calibrated[answered] >= high) == theirs[answered]
        assert answered.mean() == pytest.approx(point.share, abs=0.03)
        assert agrees.mean() == pytest.approx(point.agreement, abs=0.03)
        accuracy = balanced_accuracy_score(theirs[answered], calibrated[answered] >= high)
        assert accuracy == pytest.approx(point.balanced_accuracy, abs=0.03)
    # The judge is sure of the widest share that reaches 0.75 for certain.
    (sure,) = [each for each in found.curve if each.sure == found.sure]
    assert sure.balanced_accuracy > 0.75
    assert all(each.balanced_accuracy < 0.8 for each in found.curve if each.share > sure.share)


def test_questions_count_by_the_probability_with_which_they_were_drawn() -> None:
    """A fifth of the questions from 0.5 on are drawn: each of them stands for five."""
    logits, is_yes = drawn(4_000, shift=0.0)
    probs = 1 / (1 + np.exp(-logits))
    kept = (probs < 0.5) | (np.random.RandomState(3).random_sample(len(probs)) < 0.2)

    def fit(chosen: np.ndarray, shares: Sequence[float] = ()) -> tuple[float, float]:
        words = "".join("ny"[int(each)] for each in is_yes[chosen])
        (found,) = calibrate([matched(words, list(probs[chosen]), drawn=shares)], [])
        return found.balanced_accuracy.before or 0.0, found.curve[0].balanced_accuracy

    whole = fit(np.ones(len(probs), dtype=bool))
    weighed = fit(kept, list(np.where(probs[kept] < 0.5, 1.0, 0.2)))
    assert weighed == pytest.approx(whole, abs=0.02)
    assert fit(kept)[0] < whole[0] - 0.05


@pytest.mark.parametrize(
    ("kinds", "key"),
    [
        ((Kind.NEGATIVE, Kind.REQUIRES_CITATION), ("t1", "Nobody knows.", "")),
        ((Kind.COVERS,), ("t1", ("run", None), "n1")),
    ],
)
def test_each_kind_of_question_has_its_own_probability_of_being_drawn(
    kinds: Sequence[Kind], key: Key
) -> None:
    answers: dict[Kind, dict[Key, Said]] = {kind: {key: (YES, 0.5)} for kind in kinds}
    drawn = {(kind, key): 1 / (2 + place) for place, kind in enumerate(kinds)}
    truth, judge = Judge("assessor:A", answers, drawn=drawn), Judge("lexical", answers)
    for kind in kinds:
        (pair,) = match(kind, truth, judge, Reports()).pairs
        assert pair.drawn == drawn[kind, key]


@pytest.mark.parametrize(
    ("truth", "kind", "has_partial"),
    [
        ("n" * 20 + "p" * 20 + "y" * 20, Kind.SUPPORT, True),
        ("n" * 36 + "p" * 4 + "y" * 20, Kind.SUPPORT, False),
        ("p" * 40 + "y" * 20, Kind.SUPPORT, False),
        ("n" * 20 + "c" * 20 + "y" * 20, Kind.SUPPORT, False),
    ],
)
def test_partial_is_said_only_if_people_say_it(truth: str, kind: Kind, has_partial: bool) -> None:
    probs = [0.05] * 20 + [0.3] * 20 + [0.8] * 20
    found = fitted(truth, probs, kind=kind)
    assert (found.thresholds.partial is not None) is has_partial
    if has_partial:
        assert found.prob(0.05) < (found.thresholds.partial or 0) <= found.prob(0.3)
        assert found.prob(0.3) < found.thresholds.yes <= found.prob(0.8)


@pytest.mark.parametrize(
    ("truth", "probs", "judge", "reason"),
    [
        ("ny" * 9 + "n", [0.5, 0.6] * 9 + [0.5], "j", "19 questions assessed, expected 20 or more"),
        ("y" * 30, [0.5] * 30, "j", "people say yes on all 30 questions"),
        ("n" * 1_500, [0.5] * 1_500, "j", "people say yes on none of the 1,500 questions"),
        ("n" * 26 + "y" * 4, [0.5] * 30, "j", "4 of 30 assessed questions are a yes"),
        ("ny" * 15, [0.5] * 30, "j", "gives all questions the same probability"),
        ("ny" * 15, [None] * 30, "j", "the judge gives no probabilities"),
        ("ny" * 15, [0.5, 0.6] * 15, "j/calibrated-12345678", "read by a calibration"),
        ("ny" * 15, [0.5, 0.6] * 15, "j/sure", "read by a calibration"),
    ],
)
def test_what_cannot_be_calibrated_is_refused(
    truth: str, probs: list[float | None], judge: str, reason: str
) -> None:
    with pytest.raises(InputError, match=reason) as raised:
        calibrate([matched(truth, probs, judge=judge)], [])
    assert [(each.code, bool(each.hint)) for each in raised.value.findings] == [
        ("not_calibrated", True)
    ]


def test_what_is_refused_beside_others_is_a_warning_and_few_questions_too() -> None:
    warnings: list[Finding] = []
    good = matched("ny" * 40, [0.4, 0.6] * 40, judge="good")
    few = matched("ny" * 15, [0.4, 0.6] * 15, judge="few")
    none = matched("y" * 30, [0.5] * 30, judge="none")
    assert [each.judge for each in calibrate([good, few, none], warnings)] == ["good", "few"]
    assert [(each.code, each.severity.value) for each in warnings] == [
        ("rough_calibration", "warning"),
        ("not_calibrated", "warning"),
    ]
