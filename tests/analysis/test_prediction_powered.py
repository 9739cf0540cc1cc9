"""Prediction-powered estimates: as others compute them, and right as often as said."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import special, stats

from argue_eval.analysis.prediction_powered import MIN_TOPICS, Assessed, Corrected, Judged, correct

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import ppi_py

_RNG = np.random.RandomState(11)
PEOPLE = _RNG.random_sample(80)
MACHINE = np.clip(PEOPLE + 0.1 + _RNG.normal(0, 0.2, 80), 0, 1)


def _by_topics(people, machine, num, **more) -> Corrected:  # type: ignore[no-untyped-def]
    """Topics of which the first `num` are assessed."""
    assessed = Assessed(people[:num, None], machine[:num, None], np.arange(num), np.ones(num))
    judged = Judged(machine[num:, None], np.arange(num, len(machine)), is_rest=True)
    return correct(assessed, judged, **more)


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_equals_ppi_python(weight: float) -> None:
    found = _by_topics(PEOPLE, MACHINE, 40, weight=weight, num_resamples=0).value
    data = PEOPLE[:40], MACHINE[:40], MACHINE[40:]
    (point,) = ppi_py.ppi_mean_pointestimate(*data, lam=weight)
    assert found.value == pytest.approx(point, abs=1e-9)
    # It divides by n, and uses the normal distribution.
    lower, upper = ppi_py.ppi_mean_ci(*data, alpha=0.05, lam=weight)
    error = (upper[0] - lower[0]) / 2 / special.ndtri(0.975) * np.sqrt(40 / 39)
    inside = np.var(PEOPLE[:40] - weight * MACHINE[:40], ddof=1) / 40
    outside = weight**2 * np.var(MACHINE[40:], ddof=1) / 40
    free = (inside + outside) ** 2 / (inside**2 / 39 + outside**2 / 39)  # Welch, Satterthwaite
    reach = stats.t.ppf(0.975, free) * error
    assert (found.lower, found.upper) == pytest.approx((point - reach, point + reach), abs=1e-9)


def test_weight_is_that_of_ppi_python_where_there_is_much_data() -> None:
    rng = np.random.RandomState(3)
    people = rng.random_sample(40_000)
    machine = np.clip(people + rng.normal(0, 0.3, 40_000), 0, 1)
    found = _by_topics(people, machine, 20_000)  # so many that topics are not resampled
    data = people[:20_000], machine[:20_000], machine[20_000:]
    lower, upper = ppi_py.ppi_mean_ci(*data, alpha=0.05)
    assert (found.value.lower, found.value.upper) == pytest.approx((lower[0], upper[0]), abs=1e-4)


def test_weight_is_the_slope_times_the_part_that_nobody_assessed_shrunk_by_its_doubt() -> None:
    slope, _, r, _, _ = stats.linregress(MACHINE[:20], PEOPLE[:20])
    doubt = (1 - r**2) / (18 * r**2)
    assert _by_topics(PEOPLE, MACHINE, 20).weight == pytest.approx(
        slope * (1 - 2 * doubt) * 60 / 80, abs=1e-9
    )


def test_people_alone_have_students_interval_without_resamples() -> None:
    found = _by_topics(PEOPLE, MACHINE, 12, num_resamples=0).people
    expected = stats.t.interval(0.95, 11, PEOPLE[:12].mean(), stats.sem(PEOPLE[:12]))
    assert (found.lower, found.upper) == pytest.approx(expected, abs=1e-9)


def test_people_alone_have_the_interval_of_scipys_bootstrap_of_students_statistic() -> None:
    """Deviations of the mean of resamples, each in its own standard error."""
    scores = np.random.RandomState(1).beta(0.5, 2, 14)
    found = _by_topics(scores, scores, 14).people
    resampled = stats.bootstrap(
        (scores,), lambda own, axis: (own.mean(axis) - scores.mean()) / stats.sem(own, axis=axis),
        n_resamples=20_000, vectorized=True, method="percentile", rng=np.random.default_rng(5),
    ).bootstrap_distribution  # fmt: skip
    low, high = np.quantile(resampled, [0.025, 0.975]) * stats.sem(scores)
    expected = scores.mean() - high, scores.mean() - low
    width = expected[1] - expected[0]
    assert (found.lower, found.upper) == pytest.approx(expected, abs=0.05 * width)
    assert expected[1] - scores.mean() > 1.2 * (scores.mean() - expected[0])  # they are skewed


def test_no_arm_is_longer_than_two_and_a_half_of_students() -> None:
    """Resamples of the equal ones have no error at all."""
    scores = np.repeat([0.0, 1.0], [7, 1])
    found = _by_topics(scores, scores, 8).people
    reach = stats.t.ppf(0.975, 7) * stats.sem(scores)
    assert found.upper == pytest.approx(0.125 + 2.5 * reach)


def test_corrected_interval_that_is_wider_is_that_of_people() -> None:
    """A machine that agrees where both judged, and varies much where it judged alone."""
    people = PEOPLE[:12]
    machine = np.concatenate([people + 0.05 * PEOPLE[20:32], 9 * MACHINE[12:16]])
    forced = _by_topics(people, machine, 12, weight=1.0)
    found = _by_topics(people, machine, 12)
    assert forced.value.upper is not None
    assert forced.people.upper is not None
    assert forced.value.upper > forced.people.upper
    assert (found.weight, found.value[1:4]) == (0.0, found.people[1:4])


@pytest.mark.parametrize(
    "machine",
    [np.full(80, 0.7), 1 - PEOPLE, np.random.RandomState(2).random_sample(80)],
    ids=["constant", "opposite", "noise"],
)
def test_a_machine_that_is_worth_nothing_leaves_what_people_say(machine: object) -> None:
    found = _by_topics(PEOPLE, machine, 12)
    assert found.weight == 0
    assert found.value[1:4] == found.people[1:4]


def test_bias_of_the_machine_changes_nothing() -> None:
    found, shifted = (_by_topics(PEOPLE, each, 15) for each in (MACHINE, MACHINE / 2 + 0.4))
    assert shifted.value[1:4] == pytest.approx(found.value[1:4], abs=1e-9)
    assert shifted.weight == pytest.approx(2 * found.weight)


def test_ratio_of_sums_over_topics() -> None:
    """By hand: supported citations of all, by the delta method."""
    rng = np.random.RandomState(4)
    sizes = rng.randint(3, 12, 40)
    people, machine = (rng.binomial(sizes, share) for share in (0.6, 0.7))
    stats_of = [np.stack([each, sizes], axis=1).astype(float) for each in (people, machine)]
    found = correct(
        Assessed(stats_of[0][:15], stats_of[1][:15], np.arange(15), np.ones(15)),
        Judged(stats_of[1][15:], np.arange(15, 40), is_rest=True),
        lambda means: float(means[0] / means[1]),
        weight=0.5,
        num_resamples=0,
    )
    sums = stats_of[0][:15].mean(0) + 0.5 * (stats_of[1][15:].mean(0) - stats_of[1][:15].mean(0))
    assert found.value.value == pytest.approx(sums[0] / sums[1], abs=1e-9)
    ratio = people[:15].sum() / sizes[:15].sum()
    own = (people - ratio * sizes)[:15] / sizes[:15].mean()
    error = np.std(own, ddof=1) / np.sqrt(15)
    reach = stats.t.ppf(0.975, 14) * error
    assert found.people.upper == pytest.approx(ratio + reach, abs=1e-9)


def test_drawn_questions_count_by_their_weights_and_topics_are_clusters() -> None:
    """By hand, without the machine: the linearised variance over topics."""
    people = np.array([1.0, 0, 1, 1, 0, 1, 0, 1, 1, 0])
    topics = np.repeat(np.arange(5), 2)
    weights = np.tile([2.0, 5.0], 5)
    judged = Judged(np.ones((30, 1)), np.repeat(np.arange(5), 6), is_rest=False)
    assessed = Assessed(people[:, None], np.ones((10, 1)), topics, weights)
    found = correct(assessed, judged, num_resamples=0).people
    mean = (weights * people).sum() / weights.sum()
    parts = np.bincount(topics, weights * (people - mean)) / weights.sum()
    reach = stats.t.ppf(0.975, 4) * np.sqrt((parts**2).sum() * 5 / 4)
    assert found[1:4] == pytest.approx((mean, mean - reach, mean + reach), abs=1e-9)


def test_questions_of_a_topic_are_no_independent_units() -> None:
    """Ten copies of every question say no more than one."""
    rng = np.random.RandomState(8)
    people = rng.random_sample(12)
    machine = np.clip(people + rng.normal(0, 0.2, 12), 0, 1)
    widths = []
    for copies in (1, 10):
        mine, theirs = (np.repeat(each, copies)[:, None] for each in (people, machine))
        topics = np.repeat(np.arange(12), copies)
        judged = Judged(theirs, topics, is_rest=False)
        found = correct(Assessed(mine, theirs, topics, np.ones(12 * copies)), judged).people
        widths.append((found.upper or 0) - (found.lower or 0))
    assert widths[1] == pytest.approx(widths[0])


@pytest.mark.parametrize(
    ("num", "reason"), [(1, "fewer than"), (MIN_TOPICS - 1, "fewer than"), (MIN_TOPICS, "")]
)
def test_too_few_topics_are_not_corrected(num: int, reason: str) -> None:
    found = _by_topics(PEOPLE, MACHINE, num)
    assert reason in found.value.reason
    assert (found.value.value is None) == bool(reason)
    assert (found.people.lower is None) == (num == 1)


@pytest.mark.parametrize("rest", [0, 1])
def test_where_hardly_anything_is_left_people_decide(rest: int) -> None:
    found = _by_topics(PEOPLE[: 10 + rest], MACHINE[: 10 + rest], 10)
    assert found.value[1:4] == found.people[1:4]


@pytest.mark.parametrize("heavy", [1.0, 1e3, 1e9, 1e15])
@pytest.mark.parametrize("is_rest", [True, False])
def test_whatever_the_weights_the_figures_are_finite(heavy: float, is_rest: bool) -> None:
    people, machine = PEOPLE[:8, None], PEOPLE[:8, None]  # it is always right
    weights = np.array([heavy, *[1.0] * 7])
    judged = Judged(MACHINE[:, None], np.arange(80) + 8 * is_rest, is_rest)
    found = correct(Assessed(people, machine, np.arange(8), weights), judged)
    assert np.isfinite([each or 0.0 for each in (*found.value[1:4], *found.people[1:4])]).all()
    assert found.value.value is not None


def test_equal_assessments_have_no_interval() -> None:
    found = _by_topics(np.full(30, 0.5), MACHINE[:30], 10)
    assert (found.people.value, found.people.lower) == (0.5, None)
    assert (found.value.value, found.value.lower) == (0.5, None)


def test_what_is_undefined_for_the_assessed_units_stays_so() -> None:
    zeros = np.zeros((10, 2))
    found = correct(
        Assessed(zeros, zeros, np.arange(10), np.ones(10)),
        Judged(np.ones((5, 2)), np.arange(10, 15), is_rest=True),
        lambda means: float(means[0] / means[1]) if means[1] else None,
    )
    assert (found.value.value, found.people.value) == (None, None)
    assert "undefined" in found.value.reason


@pytest.mark.parametrize("kind", ["biased", "worthless"])
def test_intervals_cover_the_truth_and_are_no_wider_than_those_of_people(kind: str) -> None:
    rng = np.random.RandomState(5)
    num_trials, covered, widths = 800, 0, np.zeros(2)
    for _ in range(num_trials):
        people = rng.beta(2, 2, 30)
        machine = np.clip(0.3 + 0.6 * people + rng.normal(0, 0.08, 30), 0, 1)
        if kind == "worthless":
            machine = rng.beta(2, 2, 30)
        found = _by_topics(people, machine, 10)
        lower, upper = found.value.lower or 0.0, found.value.upper or 0.0
        covered += lower <= 0.5 <= upper
        widths += upper - lower, (found.people.upper or 0.0) - (found.people.lower or 0.0)
    assert 0.925 <= covered / num_trials <= 0.975
    assert widths[0] <= widths[1] * (1.02 if kind == "worthless" else 0.85)
