"""The script that fits the lexical judge, on labels made up here and on the real ones."""

from __future__ import annotations

import numpy as np
import pytest

from argue_eval.records import Kind
from benchmarks import calibrate, labels, people, support
from benchmarks.calibrate import Bag
from benchmarks.measuring import DATA

needs_labels = pytest.mark.skipif(
    not DATA.is_dir(), reason="the labels of SummHay and WiCE are not at hand"
)


def _bags(number: int) -> list[Bag]:
    """Bags of three candidates, of which the best decides: 2 x first - 1 x second."""
    draw = np.random.default_rng(7)
    found = []
    for _ in range(number):
        features = draw.normal(size=(3, 2))
        scores = features @ np.array([2.0, -1.0])
        best = float(scores.max()) + draw.logistic()
        score = 0.0 if best < 1 else 0.5 if best < 3 else 1.0
        link = int(scores.argmax()) if score else None
        found.append(Bag(features, np.zeros(3), score, link))
    return found


def test_the_model_behind_made_up_labels_is_found_again() -> None:
    fitted = calibrate.fit_coverage(_bags(4000))
    assert fitted.weights[0] / fitted.weights[1] == pytest.approx(-2.0, rel=0.1)
    assert fitted.partial < fitted.yes == fitted.even
    assert fitted.yes - fitted.partial == pytest.approx(2.0, abs=0.35)


def test_the_gradient_is_that_of_the_loss() -> None:
    problem = calibrate.Problem(_bags(40))
    at = np.array([0.3, -0.2, 0.5, 0.1])
    _, gradient = problem.loss(at)
    for place, slope in enumerate(gradient):
        step = np.zeros(4)
        step[place] = 1e-6
        numeric = (problem.loss(at + step)[0] - problem.loss(at - step)[0]) / 2e-6
        assert slope == pytest.approx(numeric, rel=1e-4, abs=1e-5)


def test_support_gets_a_lower_threshold_for_partial_than_for_full() -> None:
    bags = [bag._replace(features=bag.features[:1], offset=np.zeros(1)) for bag in _bags(600)]
    fitted = calibrate.fit_support([bag._replace(link=None) for bag in bags])
    assert fitted.partial < fitted.yes


def test_sources_weigh_the_same_however_many_claims_they_have() -> None:
    draw = np.random.default_rng(5)

    def claims(number: int, source: str, slope: float) -> list[Bag]:
        values = draw.normal(size=number)
        is_yes = draw.uniform(size=number) < 1 / (1 + np.exp(-slope * values))
        return [
            Bag(np.array([[value]]), np.zeros(1), float(yes), None, source)
            for value, yes in zip(values, is_yes, strict=True)
        ]

    few, many = claims(400, "few", 3.0), claims(4000, "many", -3.0)
    alone = calibrate.fit_support([bag._replace(source="") for bag in (*few, *many)])
    assert alone.weights[0] < -1.0
    assert calibrate.fit_support([*few, *many]).weights[0] == pytest.approx(0.0, abs=0.3)


def test_a_judge_is_sure_where_its_verdicts_are_right() -> None:
    """Of 100 claims with a rising probability: no up to 0.2, both from 0.2 to 0.7, yes above."""
    rows = []
    probs = np.arange(1, 101) / 101
    for prob in probs:
        is_yes = prob > 0.7 or (prob > 0.2 and round(prob * 101) % 2 == 0)
        rows.append(Bag(np.array([[prob]]), np.zeros(1), float(is_yes), None, "one", str(prob)))
    no, yes = calibrate.sure_limits(rows, [probs, probs])
    truth = np.array([bag.score == 1 for bag in rows])
    assert truth[probs >= yes].mean() >= calibrate.SURE_YES > truth[probs >= yes - 0.01].mean()
    share, balanced = calibrate.sure_accuracy(truth, probs, (no, yes))
    assert 0.5 < share < 1.0
    assert balanced >= calibrate.SURE_NO
    wrong = [bag._replace(source="other", score=1 - bag.score, is_short=False) for bag in rows]
    both = np.concatenate([probs, probs])
    assert calibrate.sure_limits([*rows, *wrong], [both]) == (no, yes)


def test_figures_equal_those_of_scikit_learn() -> None:
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score

    draw = np.random.default_rng(3)
    is_yes = draw.choice([True, False], size=200)
    prob = np.round(draw.uniform(size=200), 1)
    said = prob > 0.6
    assert support.roc_auc(is_yes, prob) == pytest.approx(roc_auc_score(is_yes, prob), abs=1e-12)
    assert calibrate.balanced_accuracy(is_yes, said) == pytest.approx(
        balanced_accuracy_score(is_yes, said), abs=1e-12
    )


@needs_labels
def test_the_coefficients_are_what_the_script_fits(capsys: pytest.CaptureFixture[str]) -> None:
    assert calibrate.main([]) == 0
    assert "these are the coefficients in coefficients.json" in capsys.readouterr().out


@needs_labels
def test_cross_validated_coverage_reaches_what_the_page_says() -> None:
    coverage = labels.coverage()
    folds = people.numbered([row.group for row in coverage.rows])
    assert len(set(folds)) == 20
    compared = people.cross_validated(Kind.COVERS, coverage, folds)
    assert people.MEASURES["correlation of verdicts"](compared) >= 0.72
    assert people.linking(compared) >= 0.88


@needs_labels
def test_support_of_each_source_by_the_others_reaches_what_the_page_says() -> None:
    _, rows = calibrate.bags(Kind.SUPPORT, labels.support())
    said = support.said_by_others(rows, [bag.source for bag in rows])
    gains = [said[source].auc() - before for source, (before, _) in support.BEFORE.items()]
    assert np.mean(gains) >= support.GAIN
    assert min(gains) >= -support.LOSS
    articles = support.said_by_others(rows, [bag.fold for bag in rows])
    assert articles["wice"].auc() >= support.WICE_ACROSS_ARTICLES
