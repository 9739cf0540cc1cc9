"""Fits the lexical judge to people's labels: ``python -m benchmarks.calibrate [--write]``.

Prints the models of `covers` and `support`, and whether they are those in ``coefficients.json``;
``--write`` puts them there. The other kinds have no labels and stay as they are.

The model of coverage is an ordinal one (proportional odds): one score from the features, one
threshold for partial and one for full. A claim is scored by its best bullet, so the best of them
is what is fitted (a smooth maximum of their scores); where a person named the bullet, a second
term makes its score higher than the others' (softmax). The model of support is logistic, full
support against the rest. Weights are shrunk towards 0 (ridge).

What the labels cannot tell is set by hand and not fitted: `BY_HAND`. Sentences that say the
opposite of a claim hardly occur in these data.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argue_eval.judges.lexical.judge import COEFFICIENTS, LexicalJudge
from argue_eval.records import Kind
from benchmarks import labels
from benchmarks.labels import Labels
from benchmarks.measuring import DATA

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

BY_HAND: Mapping[Kind, Mapping[str, float]] = {
    Kind.COVERS: {"other_needs": -12.0, "other_names": -6.0, "negation": -12.0},
    Kind.SUPPORT: {"name_missing": -2.0, "need_missing": -3.0, "negation": -8.0},
}
"""Weights of conflicts, which the pairs of argue_eval/evaluation/probes show and labels hardly do.

Those of support are for the half of the pairs that may be looked at; most sources are in lower case
and have no names.
"""

PARTIAL_PROB = 0.2
"""The probability of full support from which it is partial, set by hand.

A sentence of usual length that has nothing in common with the document is below it.
"""

SURE_YES, SURE_NO = 0.85, 0.75
"""Of the claims of which the judge is sure: the share of its yes verdicts that are right, and the
balanced accuracy of all its verdicts, on each source for which this is more than `FEW` claims.
"""

FEW = 0.05
"""Half a tenth, so that of other claims of a source it is not a tenth either."""

NUM_FOLDS = 10
NUM_RESAMPLES = 1000

RIDGE = 1.0
RANK_WEIGHT = 0.5
SHARPNESS = 4.0
"""Of the smooth maximum over bullets. All three were chosen beforehand."""

DIGITS = 3


class Bag(NamedTuple):
    """What is labelled: its candidates' features, fitted and fixed, and what a person said.

    Attributes:
        source: where the label comes from.
        group: the article or report request, which is kept together.
        is_short: the judge may be sure of its document, which is not long.
    """

    features: Floats
    offset: Floats
    score: float
    link: int | None = None
    source: str = ""
    group: str = ""
    is_short: bool = True

    @property
    def fold(self) -> int:
        """The same number for all labels of a group."""
        return int(sha256(self.group.encode()).hexdigest(), 16) % NUM_FOLDS


class Fitted(NamedTuple):
    """A model: a weight per fitted feature, and the scores that matter.

    Attributes:
        even: where full coverage or support is as probable as not.
        yes: from which the verdict is yes.
        partial: from which it is partial.
    """

    weights: Floats
    even: float
    yes: float
    partial: float

    def scores(self, bag: Bag) -> Floats:
        """The score of each candidate."""
        scores: Floats = bag.features @ self.weights + bag.offset
        return scores


class Bags(NamedTuple):
    """All that is labelled, and the names of the features that are fitted."""

    names: list[str]
    rows: list[Bag]


def bags(kind: Kind, sources: Mapping[str, Labels]) -> Bags:
    """The features for each label, with the term weights that a user of each source would have."""
    fixed = BY_HAND[kind]
    names: list[str] = []
    rows = []
    for source, labelled in sources.items():
        judge = LexicalJudge(labelled.texts, COEFFICIENTS.read_bytes())
        for row in labelled.rows:
            features = [judge.features(question) for question in row.questions]
            names = [name for name in features[0] if name not in fixed]
            rows.append(
                Bag(
                    np.array([[each[name] for name in names] for each in features]),
                    np.array([sum(fixed[each] * at[each] for each in fixed) for at in features]),
                    row.score,
                    row.link,
                    source,
                    row.group,
                    all(judge.knows(question) for question in row.questions),
                )
            )
    return Bags(names, rows)


def fit_coverage(found: Sequence[Bag]) -> Fitted:
    """The ordinal model: a verdict is given where it is more probable than not."""
    weights, partial, full = _fit(found)
    return Fitted(weights, full, full, partial)


def fit_support(found: Sequence[Bag]) -> Fitted:
    """The model of full support against the rest.

    The verdict is yes from where the mean of the sources' balanced accuracies is highest.
    """
    weights, _, even = _fit([bag._replace(score=float(bag.score == 1)) for bag in found])
    fitted = Fitted(weights, even, even, even + float(logit(PARTIAL_PROB)))
    said = by_source(found, np.array([support_prob(fitted, bag) for bag in found]))
    yes = max(
        np.arange(0.2, 0.8, 0.01),
        key=lambda least: np.mean(
            [balanced_accuracy(is_yes, prob >= least) for is_yes, prob in said]
        ),
    )
    return fitted._replace(yes=even + float(logit(yes)))


def support_prob(fitted: Fitted, bag: Bag) -> float:
    """The probability that a model gives to full support."""
    return float(sigmoid(fitted.scores(bag)[0] - fitted.even))


def by_source(found: Sequence[Bag], probs: Floats) -> list[tuple[Bools, Floats]]:
    """For each source, which claims have full support, and their probabilities."""
    sources = np.array([bag.source for bag in found])
    is_yes = np.array([bag.score == 1 for bag in found])
    return [(is_yes[sources == each], probs[sources == each]) for each in dict.fromkeys(sources)]


def interval(groups: Floats, value_of: Callable[[Floats], float], seed: int) -> tuple[float, float]:
    """The 95 percent interval of a value over groups drawn with replacement.

    Args:
        groups: the group of each label.
        value_of: the value of some labels, by their places. Undefined ones, NaN, are left out.
    """
    draw = np.random.default_rng(seed)
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    values = []
    for _ in range(NUM_RESAMPLES):
        drawn = draw.integers(len(members), size=len(members))
        values.append(value_of(np.concatenate([members[each] for each in drawn])))
    low, high = np.nanquantile(values, [0.025, 0.975])
    return float(low), float(high)


def balanced_accuracy(is_yes: Bools, said: Bools) -> float:
    """The mean of the shares found of the yes and of the rest; NaN if one does not occur."""
    shares = [(said == truth)[is_yes == truth] for truth in (True, False)]
    return float(np.mean([each.mean() if len(each) else np.nan for each in shares]))


def cross_validated(found: Sequence[Bag], keys: Sequence[str | int]) -> tuple[Floats, Floats]:
    """What models of support that were fitted to all labels with other keys say.

    Returns:
        For each label the probability of full support, and that from which the verdict is yes.
    """
    fitted = {
        key: fit_support([bag for bag, other in zip(found, keys, strict=True) if other != key])
        for key in dict.fromkeys(keys)
    }
    probs = [support_prob(fitted[key], bag) for bag, key in zip(found, keys, strict=True)]
    return np.array(probs), sigmoid([fitted[key].yes - fitted[key].even for key in keys])


def sure_limits(found: Sequence[Bag], every: Sequence[Floats]) -> tuple[float, float]:
    """The probabilities up to which the judge is sure of a no, and from which of a yes.

    They hold for short documents. In long ones, most words of most sentences stand somewhere.

    Args:
        every: probabilities by models of other articles, and by models of other sources.
    """
    said = [each for probs in every for each in by_source(found, sure_probs(found, probs))]

    def is_right(least: float) -> bool:
        sure = [(is_yes, prob >= least) for is_yes, prob in said]
        return all(is_yes[at].mean() >= SURE_YES for is_yes, at in sure if at.mean() >= FEW)

    def is_balanced(most: float, least: float) -> bool:
        return all(
            sure_accuracy(is_yes, prob, (most, least))[1] >= SURE_NO
            for is_yes, prob in said
            if (prob <= most).mean() >= FEW
        )

    yes = next(least for least in np.arange(0.5, 1.01, 0.01) if is_right(least))
    no = max(most for most in np.arange(0.0, 0.3, 0.0025) if is_balanced(most, yes))
    return round(float(no), 4), round(float(yes), 4)


def sure_probs(found: Sequence[Bag], probs: Floats) -> Floats:
    """The probabilities, of claims about long documents NaN: below and above no limit."""
    return np.where([bag.is_short for bag in found], probs, np.nan)


def sure_accuracy(is_yes: Bools, prob: Floats, limits: tuple[float, float]) -> tuple[float, float]:
    """The share of claims outside of the limits, and the balanced accuracy on them."""
    at = (prob <= limits[0]) | (prob >= limits[1])
    return float(at.mean()), balanced_accuracy(is_yes[at], prob[at] >= limits[1])


def _fit(found: Sequence[Bag]) -> tuple[Floats, float, float]:
    """A weight per feature, and the scores at which partial and full have even odds.

    The two are one where no label is partial.
    """
    from scipy.optimize import minimize

    stacked = np.vstack([bag.features for bag in found])
    mean, spread = stacked.mean(0), stacked.std(0) + 1e-9
    problem = Problem([bag._replace(features=(bag.features - mean) / spread) for bag in found])
    start = np.r_[np.full(len(mean), 0.1), 1.0, 0.0]
    options = {"maxiter": 2_000, "gtol": 1e-8, "ftol": 1e-14}
    best = minimize(problem.loss, start, jac=True, method="L-BFGS-B", options=options).x
    weights = best[:-2] / spread
    partial = float(best[-2] + weights @ mean)
    return weights, partial, partial + problem.gap(best)


class Problem:
    """The loss and its gradient; candidates are padded to the same number."""

    def __init__(self, found: Sequence[Bag]) -> None:
        most = max(len(bag.offset) for bag in found)
        self._features = np.zeros((len(found), most, found[0].features.shape[1]))
        self._offset = np.zeros((len(found), most))
        self._exists = np.zeros((len(found), most), dtype=bool)
        for at, bag in enumerate(found):
            number = len(bag.offset)
            self._features[at, :number] = bag.features
            self._offset[at, :number] = bag.offset
            self._exists[at, :number] = True
        self._scores = np.array([bag.score for bag in found])
        sizes = Counter(bag.source for bag in found)
        mean = len(found) / len(sizes)
        self._shares = np.array([mean / sizes[bag.source] for bag in found])
        self._is_graded = bool((self._scores == 0.5).any())
        is_linked = [bag.link is not None for bag in found]
        self._linked = np.flatnonzero(is_linked)
        self._links = np.array([bag.link for bag in found if bag.link is not None], dtype=int)

    def gap(self, parameters: Floats) -> float:
        """The distance between the two thresholds."""
        return float(np.exp(parameters[-1])) if self._is_graded else 0.0

    def loss(self, parameters: Floats) -> tuple[float, Floats]:
        """The loss and its gradient at weights, a threshold and the gap's logarithm."""
        weights, first, gap = parameters[:-2], parameters[-2], self.gap(parameters)
        scores = np.where(self._exists, self._features @ weights + self._offset, -1e9)
        pooled, shares = _smooth_maximum(scores, SHARPNESS)
        reach = sigmoid(np.array([pooled - first, pooled - first - gap]))
        slopes = reach * (1 - reach)
        is_none, is_full = self._scores == 0, self._scores == 1
        likely = np.where(is_none, 1 - reach[0], np.where(is_full, reach[1], reach[0] - reach[1]))
        likely = np.maximum(likely, 1e-12)
        by_first = np.where(is_none, slopes[0], np.where(is_full, 0.0, -slopes[0])) / likely
        by_second = np.where(is_none, 0.0, np.where(is_full, -slopes[1], slopes[1])) / likely
        by_first, by_second = by_first * self._shares, by_second * self._shares
        by_score = by_first + by_second
        gradient = np.zeros_like(parameters)
        gradient[:-2] = np.einsum("i,ij,ijk->k", by_score, shares, self._features)
        gradient[-2] = -by_score.sum()
        gradient[-1] = -by_second.sum() * gap
        rank, by_rank = self._rank(scores)
        gradient[:-2] += by_rank + RIDGE * weights
        loss = float(-np.log(likely) @ self._shares)
        return float(loss + rank + RIDGE / 2 * weights @ weights), gradient

    def _rank(self, scores: Floats) -> tuple[float, Floats]:
        """The loss for bullets that people named and that do not stand out, and its gradient."""
        if not len(self._linked):
            return 0.0, np.zeros(self._features.shape[2])
        chosen = scores[self._linked]
        top, shares = _smooth_maximum(chosen, 1.0)
        own = np.arange(len(self._linked)), self._links
        loss = RANK_WEIGHT * float((top - chosen[own]).sum())
        shares = shares.copy()
        shares[own] -= 1
        gradient = np.einsum("ij,ijk->k", shares, self._features[self._linked])
        return loss, RANK_WEIGHT * gradient


def _smooth_maximum(scores: Floats, sharpness: float) -> tuple[Floats, Floats]:
    """The logarithm of the sum of exponentials by row, and each score's share in it."""
    top = scores.max(1, keepdims=True)
    powers = np.exp(sharpness * (scores - top))
    total = powers.sum(1, keepdims=True)
    return (top + np.log(total) / sharpness)[:, 0], powers / total


def sigmoid(scores: Any) -> Floats:
    """Probabilities from the logarithms of odds."""
    probs: Floats = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    return probs


def model(kind: Kind, names: Sequence[str], fitted: Fitted) -> dict[str, Any]:
    """The model as in ``coefficients.json``, rounded. Its probability is that of a yes."""
    weights = dict(zip(names, map(float, fitted.weights), strict=True))
    thresholds = {"yes": fitted.yes, "partial": fitted.partial}
    return {
        "bias": round(-fitted.even, DIGITS),
        "weights": {
            name: round(weight, DIGITS) for name, weight in {**weights, **BY_HAND[kind]}.items()
        },
        "thresholds": {
            name: round(float(sigmoid(score - fitted.even)), DIGITS)
            for name, score in thresholds.items()
        },
    }


def logit(probs: Any) -> Floats:
    """The logarithms of the odds."""
    logits: Floats = np.log(probs / (1 - probs))
    return logits


LABELS: Mapping[Kind, Callable[[], Mapping[str, Labels]]] = {
    Kind.SUPPORT: labels.support,
    Kind.COVERS: lambda: {"summhay": labels.coverage()},
}
FIT = {Kind.SUPPORT: fit_support, Kind.COVERS: fit_coverage}


def main(arguments: Sequence[str]) -> int:
    """Fits, prints and compares or writes; returns the exit code."""
    if not DATA.is_dir():
        print(f"the labels are not at hand: {DATA}")
        return 3
    before = COEFFICIENTS.read_bytes()
    table = json.loads(before)
    for kind, read in LABELS.items():
        names, rows = bags(kind, read())
        table["models"][kind.value] = model(kind, names, FIT[kind](rows))
        print(f"{kind.value}: {json.dumps(table['models'][kind.value])}")
        if kind is Kind.SUPPORT:
            apart: Sequence[Sequence[str | int]]
            apart = [bag.fold for bag in rows], [bag.source for bag in rows]
            no, yes = sure_limits(rows, [cross_validated(rows, keys)[0] for keys in apart])
            table["sure"][kind.value] |= {"no": no, "yes": yes}
            print(f"sure: no up to {no}, yes from {yes}")
    is_same = table == json.loads(before)
    if "--write" in arguments:
        COEFFICIENTS.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
        return 0
    print(f"these are {'the' if is_same else 'NOT the'} coefficients in {COEFFICIENTS.name}")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
