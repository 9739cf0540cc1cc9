"""The script that fits the lexical judge, on labels made up here and on the real ones."""

from __future__ import annotations

import numpy as np
import pytest

from argue_eval.records import Kind
from benchmarks import calibrate, labels, people
from benchmarks.calibrate import Bag

needs_labels = pytest.mark.skipif(
    not labels.DATA.is_dir(), reason="the labels of SummHay and WiCE are not at hand"
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


def test_figures_equal_those_of_scikit_learn() -> None:
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score

    draw = np.random.default_rng(3)
    truth = draw.choice([0.0, 0.5, 1.0], size=200)
    prob = np.round(draw.uniform(size=200), 1)
    said = np.where(prob > 0.6, 1.0, 0.0)
    assert people.roc_auc(truth, prob) == pytest.approx(roc_auc_score(truth == 1, prob), abs=1e-12)
    assert people.balanced_accuracy(truth, said) == pytest.approx(
        balanced_accuracy_score(truth == 1, said == 1), abs=1e-12
    )


@needs_labels
def test_the_coefficients_are_what_the_script_fits(capsys: pytest.CaptureFixture[str]) -> None:
    assert calibrate.main([]) == 0
    assert "these are the coefficients in coefficients.json" in capsys.readouterr().out


@needs_labels
def test_no_label_is_compared_with_a_model_that_was_fitted_to_its_group() -> None:
    coverage = labels.coverage()
    folds = people.numbered([row.group for row in coverage.rows])
    assert len(set(folds)) == 20
    articles = people.support_folds([row.group for row in labels.support().rows])
    assert set(articles) == set(range(people.SUPPORT_FOLDS))


@needs_labels
def test_cross_validated_figures_reach_what_the_page_says() -> None:
    coverage = labels.coverage()
    compared = people.cross_validated(
        Kind.COVERS, coverage, people.numbered([row.group for row in coverage.rows])
    )
    assert people.MEASURES["correlation of verdicts"](compared) >= 0.72
    assert people.linking(compared) >= 0.87
    support = labels.support()
    compared = people.cross_validated(
        Kind.SUPPORT, support, people.support_folds([row.group for row in support.rows])
    )
    assert people.roc_auc(compared.truth, compared.prob) >= 0.82
    assert people.balanced_accuracy(compared.truth, compared.said) >= 0.72
