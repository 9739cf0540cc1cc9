"""Calibrations of judges: files that ``meta-eval --calibrate`` writes and ``--calibration`` names.

A file is one JSON object with a calibration for each judge and kind of question. Signatures name
what the SHA-256 of its content starts with.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Annotated

import msgspec

from argue_eval.errors import describe, shorten
from argue_eval.formats.jsonl import Source, atomic_writer
from argue_eval.records import Kind

FORMAT = "argue-eval/calibration/1"
MAX_LOGIT = 7.0
"""Of a probability, whatever it is: of the votes of a model, all may be yes."""

DECIMALS = 6
READ_ANEW = ("/calibrated-", "/sure")
"""What comes after the signature of a judge whose answers are read in another way."""

_HINT = "write it again: argue-eval meta-eval … --calibrate FILE"

Prob = Annotated[float, msgspec.Meta(ge=0, le=1)]
Limits = tuple[Prob, Prob]
"""Up to the first the answer is no, from the second on yes, and in between nobody knows."""


class Point(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often a judge agrees with people if it answers some questions only.

    Attributes:
        share: of the assessed questions, how many are beyond the limits.
        agreement: the expected share of its answers that people give too, yes against the rest.
        balanced_accuracy: the expected mean of the shares that it finds of people's yes and of the
            rest, of what it answers.
    """

    share: Prob
    sure: Limits
    agreement: Prob
    balanced_accuracy: Prob


class Thresholds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """From which probability on the verdict is yes, and otherwise partial; None if it never is."""

    yes: Prob
    partial: Prob | None = None


class BalancedAccuracy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Yes against the rest, of the judge's own verdicts and of calibrated ones, cross-validated."""

    before: Prob | None
    after: Prob | None


class JudgeCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the probabilities of one judge are read for one kind of question.

    The calibrated probability is the logistic function of `slope` times the log odds of the judge's
    probability, plus `intercept`. Thresholds and limits are on its scale.

    Attributes:
        judge: the judge's signature.
        num: assessed questions that it was fitted to; `num_yes`: those that people answer with yes.
        sure: limits; None if the judge is sure of too few questions.
        curve: for limits that are further and further apart.
    """

    judge: str
    kind: Kind
    num: Annotated[int, msgspec.Meta(ge=1)]
    num_yes: Annotated[int, msgspec.Meta(ge=0)]
    slope: Annotated[float, msgspec.Meta(gt=0)]
    intercept: float
    thresholds: Thresholds
    sure: Limits | None = None
    curve: tuple[Point, ...] = ()
    balanced_accuracy: BalancedAccuracy = BalancedAccuracy(None, None)

    def prob(self, prob: float) -> float:
        """The calibrated probability."""
        return of_logit(self.slope * logit(prob) + self.intercept)

    def limits(self, agreement: float | None = None) -> Limits | None:
        """The limits beyond which the judge is sure; None if there are none.

        Args:
            agreement: those with which it answers most and is expected to agree with people so
                often; None for the calibration's own.
        """
        if agreement is None:
            return self.sure
        reaching = (each.sure for each in self.curve if each.agreement >= agreement)
        return next(reaching, None)


class CalibrationFile(msgspec.Struct, frozen=True):
    """What a file says; `digest` is what the SHA-256 of its unpacked content starts with."""

    name: str
    digest: str
    calibrations: tuple[JudgeCalibration, ...]


class _Content(msgspec.Struct, frozen=True):
    format: str
    calibrations: tuple[JudgeCalibration, ...]


def logit(prob: float) -> float:
    """The log odds of a probability, between plus and minus `MAX_LOGIT`.

    >>> logit(0.5), logit(1), logit(0)
    (0.0, 7.0, -7.0)
    """
    if not 0 < prob < 1:
        return MAX_LOGIT if prob >= 1 else -MAX_LOGIT
    return max(-MAX_LOGIT, min(MAX_LOGIT, log(prob / (1 - prob))))


def of_logit(value: float) -> float:
    """The probability of some log odds, rounded so that it is the same on every machine."""
    return round(1 / (1 + exp(-max(-50.0, min(50.0, value)))), DECIMALS)


def write_calibrations(path: str, calibrations: Sequence[JudgeCalibration]) -> None:
    """Writes a file that appears when it is complete. Equal calibrations give equal bytes.

    Raises:
        MissingResourceError: it cannot be written.
    """
    content = _Content(FORMAT, tuple(calibrations))
    raw = msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=1)
    with atomic_writer(path) as stream:
        stream.write(raw.decode() + "\n")


def read_calibrations(path: str) -> CalibrationFile:
    """Reads a file.

    Raises:
        InputError: it is no calibration.
        MissingResourceError: there is no such file.
    """
    source = Source(path)
    value = source.document()
    said = value.get("format") if type(value) is dict else None
    if said != FORMAT:
        is_other = isinstance(said, str) and said.startswith(FORMAT[:-1])
        found = f"the format {shorten(said)}" if said else describe(value)
        message = f"expected a calibration, format {FORMAT!r}, found {found}"
        raise source.error("unknown_version" if is_other else "unknown_format", message, hint=_HINT)
    try:
        found_here = msgspec.convert(value, _Content).calibrations
    except msgspec.ValidationError as exc:
        raise source.error("broken_calibration", f"{exc}", hint=_HINT) from None
    if not found_here:
        raise source.error("broken_calibration", "the file has no calibrations", hint=_HINT)
    seen: set[tuple[str, Kind]] = set()
    for each in found_here:
        where = f"{shorten(each.judge)} on {each.kind.value}"
        if (each.judge, each.kind) in seen:
            message = f"there are two calibrations of {where}; expected one"
            raise source.error("broken_calibration", message, hint="keep one of the two")
        seen.add((each.judge, each.kind))
        for low, high in filter(None, (each.sure, *(point.sure for point in each.curve))):
            if low >= high:
                message = f"{where}: expected limits with the lower one first, found {low}, {high}"
                raise source.error("broken_calibration", message, hint=_HINT)
    return CalibrationFile(path, source.digest()[:8], found_here)
