"""Fits how a judge's probabilities are read: thresholds, a slope, and where the judge is sure.

Thresholds are those with the best balanced accuracy of yes against the rest. On a hundred questions
the empirical best is partly chance, so the shares found of the yes and of the rest are smoothed
first, over the log odds of the probability, with a narrow normal kernel. Nothing is assumed about
the distributions, as a logistic model does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from argue_eval.analysis.agreement.matching import Matched
from argue_eval.analysis.bootstrap import SEED, Floats
from argue_eval.errors import Finding, InputError, Severity, count, shorten
from argue_eval.formats.calibrations import (
    DECIMALS,
    READ_ANEW,
    BalancedAccuracy,
    JudgeCalibration,
    Limits,
    Point,
    Thresholds,
    logit,
    of_logit,
)
from argue_eval.records import GRADED_KINDS, Verdict

MIN_QUESTIONS = 20
MIN_OF_LABEL = 5
"""With fewer of either, nothing is fitted."""

ENOUGH_QUESTIONS = 60
ENOUGH_OF_LABEL = 20
"""With fewer, thresholds are rough, and the slope stays 1."""

SURE_BALANCED_ACCURACY = 0.75
LEAST_SHARE = 0.1
_ERRORS = 1.28
"""A judge is sure where it reaches the first on at least the second, nine times in ten: so many
standard errors below what is expected has to.
"""

_SHARES = np.arange(20, 1, -1) / 20
_BANDWIDTH = 0.5
"""Times the standard deviation and the fifth root of the number of questions: the width of the
kernel. Half of what is usual for densities: it was the best of four on six sets of labels.
"""
_LEAST_WIDTH = 0.01
_FEW_VALUES = 10
"""Up to so many different probabilities, such as shares of votes, nothing is smoothed."""

_NUM_STEPS = 400
_MANY = 2_000
_FOLDS = 10
_MAX_STEPS = 100
_SLOPE_DEVIATION, _INTERCEPT_DEVIATION = 1.0, 10.0
_LEAST_SLOPE = 0.05
_NEXT = 1e-4
_TINY = 1e-9


class Sample(NamedTuple):
    """Assessed questions: log odds of the judge's probability, and what people and judge say.

    Attributes:
        is_yes: what people answer; `is_positive`: whether that is a yes, in full or in part.
        says_yes: what the judge answers.
        topics: the number of each question's topic.
        weights: how many questions each stands for, the mean being 1: it has the inverse of the
            probability with which it was drawn.
    """

    logits: Floats
    is_yes: Floats
    is_positive: Floats
    says_yes: Floats
    topics: Floats
    weights: Floats

    def curves(self, chosen: Floats | slice = slice(None)) -> Curves:
        """The curves of yes against the rest, of some of the questions."""
        return Curves(self.logits[chosen], self.is_yes[chosen], self.weights[chosen])


def calibrate(matches: Sequence[Matched], warnings: list[Finding]) -> list[JudgeCalibration]:
    """The calibration of every judge and kind of question of which enough is assessed.

    Args:
        warnings: gets one for each that is left out or rough.

    Raises:
        InputError: there is none.
    """
    found: list[JudgeCalibration] = []
    refused: list[Finding] = []
    for each in matches:
        where = f"{shorten(each.judge)} on {each.kind.value}"
        sample = _sample(each)
        reason, hint = _unusable(each, sample)
        if reason:
            refused.append(Finding("not_calibrated", f"{where}: {reason}", hint))
            continue
        found.append(_fitted(each, sample))
        num_yes, num = int(sample.is_yes.sum()), len(sample.is_yes)
        if num < ENOUGH_QUESTIONS or min(num_yes, num - num_yes) < ENOUGH_OF_LABEL:
            message = (
                f"{where}: fitted to {count(num, 'question')}, {num_yes:,} of them yes; thresholds "
                f"from fewer than {ENOUGH_QUESTIONS}, or from fewer than {ENOUGH_OF_LABEL} of "
                "either answer, are rough"
            )
            hint = "assess some 100 questions, drawn at random: argue-eval sample"
            warnings.append(Finding("rough_calibration", message, hint, severity=Severity.WARNING))
    if not found:
        raise InputError(refused)
    warnings += [each._replace(severity=Severity.WARNING) for each in refused]
    return found


def _sample(matched: Matched) -> Sample:
    pairs = [pair for pair in matched.pairs if pair.prob is not None]
    names = {name: number for number, name in enumerate(sorted({p.topic_id for p in pairs}))}
    weights = np.array([1 / pair.drawn for pair in pairs], dtype=float)
    return Sample(
        np.array([logit(pair.prob or 0.0) for pair in pairs], dtype=float),
        np.array([pair.truth is Verdict.YES for pair in pairs], dtype=bool),
        np.array([pair.truth.is_positive for pair in pairs], dtype=bool),
        np.array([pair.judge is Verdict.YES for pair in pairs], dtype=bool),
        np.array([names[pair.topic_id] for pair in pairs], dtype=int),
        weights / weights.mean() if pairs else weights,
    )


def _unusable(matched: Matched, sample: Sample) -> tuple[str, str]:
    """Why nothing can be fitted, and what to do; two empty texts if it can."""
    more = "assess more questions, drawn at random: argue-eval sample"
    if any(mark in matched.judge for mark in READ_ANEW):
        own = matched.judge
        for mark in READ_ANEW:
            own = own.partition(mark)[0]
        return "its answers were read by a calibration", f"judge with {shorten(own)} alone"
    num, num_yes = len(sample.is_yes), int(sample.is_yes.sum())
    if not num:
        hint = "calibrate a judge that does: lexical, nli:MODEL, or llm:MODEL with --repeat 5"
        return "the judge gives no probabilities", hint
    if num < MIN_QUESTIONS:
        return f"{count(num, 'question')} assessed, expected {MIN_QUESTIONS} or more", more
    if num_yes in (0, num):
        which = f"all {num:,}" if num_yes else f"none of the {num:,}"
        return f"people say yes on {which} questions, so no threshold tells them apart", more
    if min(num_yes, num - num_yes) < MIN_OF_LABEL:
        said = f"{num_yes:,} of {num:,} assessed questions are a yes"
        return f"{said}, expected {MIN_OF_LABEL} or more of a yes and of the rest", more
    if np.ptp(sample.logits) == 0:
        return "the judge gives all questions the same probability", "calibrate another judge"
    return "", ""


def _fitted(matched: Matched, sample: Sample) -> JudgeCalibration:
    num, num_yes = len(sample.is_yes), int(sample.is_yes.sum())
    has_slope = min(num_yes, num - num_yes) >= ENOUGH_OF_LABEL
    slope, intercept = logistic(sample.logits, sample.is_yes, sample.weights, has_slope=has_slope)

    def prob(value: float) -> float:
        return of_logit(slope * value + intercept)

    curves = sample.curves()
    yes = curves.best()
    partial = None
    graded = sample.is_positive
    num_partial, num_not = int((graded & ~sample.is_yes).sum()), int((~graded).sum())
    if matched.kind in GRADED_KINDS and min(num_partial, num_not) >= MIN_OF_LABEL:
        partial = prob(min(yes, Curves(sample.logits, graded, sample.weights).best()))
    held = _cross_validated(sample)
    points: dict[Limits, Answered] = {}
    for each in _as_on_others(list(curves.sure(sample.logits, yes)), sample, held):
        limits = prob(each.no), prob(each.yes)
        if limits[0] < limits[1]:
            points.setdefault(limits, each)
    return JudgeCalibration(
        judge=matched.judge,
        kind=matched.kind,
        num=num,
        num_yes=num_yes,
        slope=slope,
        intercept=intercept,
        thresholds=Thresholds(prob(yes), partial),
        sure=next((limits for limits, each in points.items() if each.is_enough), None),
        curve=tuple(
            Point(
                share=_rounded(each.share),
                sure=limits,
                agreement=_rounded(each.agreement),
                balanced_accuracy=_rounded(each.balanced_accuracy),
            )
            for limits, each in points.items()
        ),
        balanced_accuracy=BalancedAccuracy(
            before=balanced_accuracy(sample.is_yes, sample.says_yes, sample.weights),
            after=balanced_accuracy(sample.is_yes, held, sample.weights),
        ),
    )


class Answered(NamedTuple):
    """What is expected if questions beyond two log odds are answered, with no and yes.

    Attributes:
        share: how many are answered.
        error: the standard error of the balanced accuracy.
    """

    share: float
    no: float
    yes: float
    agreement: float
    balanced_accuracy: float
    error: float

    @property
    def is_enough(self) -> bool:
        """Whether a judge may be called sure there."""
        worst = self.balanced_accuracy - _ERRORS * self.error
        return worst >= SURE_BALANCED_ACCURACY and self.share >= LEAST_SHARE


class Curves:
    """The smoothed shares of the yes and of the rest that have at least some log odds.

    Args:
        logits: of assessed questions, of which `is_yes` says what people answer; some have a yes,
            and some have none.
        weights: of the questions.
    """

    def __init__(self, logits: Floats, is_yes: Floats, weights: Floats) -> None:
        # In steps, where there are very many of them.
        coarse = logits if len(logits) <= _MANY else logits.round(2)
        self._values, places = np.unique(coarse, return_inverse=True)
        size = len(self._values)
        yes, rest = weights * is_yes, weights * ~is_yes
        self._yes = np.bincount(places, yes, minlength=size) / yes.sum()
        self._rest = np.bincount(places, rest, minlength=size) / rest.sum()
        self._share_yes = float(yes.sum() / weights.sum())
        self._num = float(  # questions of equal weight, to which these amount (Kish)
            weights.sum() ** 2 / (weights**2).sum()
        )
        width = _BANDWIDTH * float(logits.std()) * self._num**-0.2
        self._width = _LEAST_WIDTH if size <= _FEW_VALUES else max(_LEAST_WIDTH, width)

    def above(self, values: Floats) -> tuple[Floats, Floats]:
        """The share of the yes, and of the rest, from each value on."""
        from scipy.special import ndtr

        shares = ndtr((self._values[None, :] - np.atleast_1d(values)[:, None]) / self._width)
        return shares @ self._yes, shares @ self._rest

    def best(self) -> float:
        """The threshold with the best balanced accuracy; the middle one of several."""
        steps = np.linspace(self._values[0], self._values[-1], _NUM_STEPS + 1)
        yes, rest = self.above(steps)
        is_best = yes - rest >= (yes - rest).max() - _TINY
        return float(np.median(steps[is_best]))

    def sure(self, logits: Floats, threshold: float) -> Iterator[Answered]:
        """Yields what is expected if equal shares of the surest questions on both sides of a
        threshold are answered, from all of them on.
        """
        below, rest = logits[logits < threshold], logits[logits >= threshold]
        if not len(below) or not len(rest):
            return
        share_yes, num = self._share_yes, self._num
        for share in _SHARES:
            no, yes = float(np.quantile(below, share)), float(np.quantile(rest, 1 - share))
            if share == 1:
                no, yes = threshold - _NEXT, threshold
            found, wrong = (float(each[0]) for each in self.above(np.array([yes])))
            missed, right = (1 - float(each[0]) for each in self.above(np.array([no])))
            of_yes, of_rest = found + missed, right + wrong
            total = share_yes * of_yes + (1 - share_yes) * of_rest
            if min(of_yes, of_rest) <= _TINY:
                return
            variances = (
                found * missed / of_yes**2 / (num * share_yes * of_yes),
                right * wrong / of_rest**2 / (num * (1 - share_yes) * of_rest),
            )
            yield Answered(
                total,
                no,
                yes,
                agreement=(share_yes * found + (1 - share_yes) * right) / total,
                balanced_accuracy=(found / of_yes + right / of_rest) / 2,
                error=sum(variances) ** 0.5 / 2,
            )


def logistic(
    logits: Floats, is_yes: Floats, weights: Floats, *, has_slope: bool
) -> tuple[float, float]:
    """The slope and the intercept with which log odds fit the answers best.

    The slope is drawn towards 1 and is never below a small positive number, so that the order of
    probabilities stays; without `has_slope` it is 1.
    """
    inputs = np.stack([logits, np.ones(len(logits))], axis=1)
    start = np.array([1.0, 0.0])
    spread = np.array([_SLOPE_DEVIATION if has_slope else _TINY, _INTERCEPT_DEVIATION])
    found = start
    for _ in range(_MAX_STEPS):
        probs = 1 / (1 + np.exp(-inputs @ found))
        slopes = inputs.T @ (weights * (probs - is_yes)) + (found - start) / spread**2
        bends = inputs.T * (weights * probs * (1 - probs)) @ inputs + np.diag(spread**-2.0)
        step = np.linalg.solve(bends, slopes)
        found = found - np.clip(step, -1, 1)
        if np.abs(step).max() < _TINY:
            break
    slope = max(_LEAST_SLOPE, float(found[0])) if has_slope else 1.0
    return round(slope, DECIMALS), round(float(found[1]), DECIMALS)


def balanced_accuracy(is_yes: Floats, says_yes: Floats, weights: Floats | None = None) -> float:
    """The mean of the shares found of the yes and of the rest."""
    each = np.ones(len(is_yes)) if weights is None else weights
    yes, rest = each * is_yes, each * ~is_yes
    found = yes @ says_yes / yes.sum() + rest @ ~says_yes / rest.sum()
    return round(float(found) / 2, DECIMALS)


def _as_on_others(answered: Sequence[Answered], sample: Sample, held: Floats) -> list[Answered]:
    """What is expected on other questions: what was fitted to the same ones looks better than that.

    Args:
        answered: all of the questions first; `held`: what cross-validation says to these.
    """
    if not answered:
        return []
    weights = sample.weights
    agreement = answered[0].agreement - float(weights @ (held == sample.is_yes) / weights.sum())
    right = balanced_accuracy(sample.is_yes, held, weights)
    accuracy = answered[0].balanced_accuracy - right
    return [
        each._replace(
            agreement=each.agreement - max(0.0, agreement),
            balanced_accuracy=each.balanced_accuracy - max(0.0, accuracy),
        )
        for each in answered
    ]


def _cross_validated(sample: Sample) -> Floats:
    """What thresholds say that were fitted to the questions of other topics."""
    names = np.unique(sample.topics)
    units = sample.topics if len(names) >= _FOLDS else np.arange(len(sample.is_yes))
    numbers = np.random.RandomState(SEED).permutation(units.max() + 1)
    folds = numbers[units] % _FOLDS
    says_yes = sample.says_yes.copy()
    for fold in range(_FOLDS):
        held, rest = folds == fold, folds != fold
        if len(np.unique(sample.is_yes[rest])) == 2:
            says_yes[held] = sample.logits[held] >= sample.curves(rest).best()
    return says_yes


def _rounded(share: float) -> float:
    return round(min(1.0, max(0.0, share)), DECIMALS)
