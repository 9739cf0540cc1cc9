"""Judges whose answers are read by a calibration, or taken only where they are sure of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from argue_eval.errors import Finding, InputError, UsageError, shorten
from argue_eval.formats.calibrations import (
    READ_ANEW,
    CalibrationFile,
    JudgeCalibration,
    Limits,
    read_calibrations,
)
from argue_eval.judges import NOT_SURE, Judge, Settings, Sure, Versioned, Workload
from argue_eval.records import Kind, Question, Reply, Verdict

NEVER: Limits = (-1.0, 2.0)
"""The limits of a judge that is sure of nothing."""

_HINT = "Assess some 100 questions and calibrate it: argue-eval meta-eval … --calibrate FILE"


class CalibratedJudge:
    """A judge whose probabilities are calibrated and then decide the verdict.

    A reply without a probability stays as it is. With `limits`, one whose probability is between
    them is no answer.

    Args:
        judge: whose answers are read.
        calibrations: by kind of question; other kinds are read as they are.
        limits: by kind, on the scale of the calibration if it has one.
        name: what its signature adds to the judge's.
    """

    def __init__(
        self,
        judge: Judge,
        calibrations: Mapping[Kind, JudgeCalibration],
        limits: Mapping[Kind, Limits],
        name: str,
    ) -> None:
        self.asked = judge
        self.limits = limits
        self.calibrations = calibrations
        self.signature = f"{judge.signature}{name}"
        self.kinds = judge.kinds
        self.joint = judge.joint
        self._name = name

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """Yields one reply per question."""
        for reply in self.asked.answer(questions):
            yield self.read(questions[reply.index].kind, reply)

    def workload(self, questions: Sequence[Question]) -> Workload:
        """What it takes the judge to answer these questions."""
        return self.asked.workload(questions)

    def over(self, judge: Judge) -> CalibratedJudge:
        """The same, of the answers of another judge."""
        return CalibratedJudge(judge, self.calibrations, self.limits, self._name)

    def read(self, kind: Kind, reply: Reply) -> Reply:
        """The judge's reply with the calibrated probability and the verdict that follows from it.

        A no stays what it was, such as a contradiction.
        """
        if reply.verdict is None or reply.prob is None:
            return reply
        calibration, prob, verdict = self.calibrations.get(kind), reply.prob, reply.verdict
        if calibration is not None:
            prob, thresholds = calibration.prob(prob), calibration.thresholds
            if prob >= thresholds.yes:
                verdict = Verdict.YES
            elif thresholds.partial is not None and prob >= thresholds.partial:
                verdict = Verdict.PARTIAL
            elif verdict.is_positive:
                verdict = Verdict.NO
        low, high = self.limits.get(kind, (1.0, 0.0))
        if low < prob < high:
            return reply._replace(verdict=None, reason=NOT_SURE)
        return reply._replace(verdict=verdict, prob=prob)


def applied(judges: Mapping[Kind, Judge], settings: Settings) -> dict[Kind, Judge]:
    """The judges as the settings want their answers to be read.

    Raises:
        InputError: a calibration has errors, or is of none of the judges.
        MissingResourceError: there is no such file.
        UsageError: they are to be sure, and nobody knows where they are.
    """
    files = [read_calibrations(each) for each in dict.fromkeys(settings.calibrations)]
    matching = {
        kind: found for kind, judge in judges.items() if (found := _of_judge(judge, kind, files))
    }
    _check_used(files, judges, matching)
    limits = _limits(judges, matching, settings) if settings.leaves_unsure else {}
    made: dict[str, Judge] = {}
    for judge in judges.values():
        kinds = [kind for kind, each in judges.items() if each is judge]
        own = {kind: matching[kind] for kind in kinds if kind in matching}
        sure = {kind: limits[kind] for kind in kinds if kind in limits}
        if judge.signature not in made and (own or sure):
            digests = dict.fromkeys(file.digest for file, _ in own.values())
            name = "".join(f"{READ_ANEW[0]}{digest}" for digest in digests)
            if sure:
                at = "" if settings.agreement is None else f"{settings.agreement:g}"
                name += f"{READ_ANEW[1]}{at}"
            calibrations = {kind: found for kind, (_, found) in own.items()}
            made[judge.signature] = CalibratedJudge(judge, calibrations, sure, name)
    return {kind: made.get(judge.signature, judge) for kind, judge in judges.items()}


_Found = tuple[CalibrationFile, JudgeCalibration]


def _of_judge(judge: Judge, kind: Kind, files: Iterable[CalibrationFile]) -> _Found | None:
    """The calibration of a judge for a kind of question: of its very signature, if there is one.

    Raises:
        InputError: there are several.
    """
    every = [(file, each) for file in files for each in file.calibrations if each.kind is kind]
    exact = [found for found in every if found[1].judge == judge.signature]
    near = exact or [found for found in every if _is_of(found[1], judge)]
    if len(near) > 1:
        names = _listed(f"{shorten(each.judge)} in {file.name}" for file, each in near)
        message = f"several calibrations fit {judge.signature} on {kind.value}: {names}"
        raise InputError(
            Finding("several_calibrations", message, "keep one of them", near[-1][0].name)
        )
    return near[0] if near else None


def _is_of(calibration: JudgeCalibration, judge: Judge) -> bool:
    version = judge.version if isinstance(judge, Versioned) else judge.signature
    return f"{calibration.judge}/".startswith(f"{version}/")


def _check_used(
    files: Iterable[CalibrationFile], judges: Mapping[Kind, Judge], used: Mapping[Kind, _Found]
) -> None:
    """Refuses files of which nothing is used."""
    names = {found[0].name for found in used.values()}
    for file in files:
        if file.name in names:
            continue
        has = _listed(f"{shorten(each.judge)} on {each.kind.value}" for each in file.calibrations)
        asked: dict[str, list[str]] = {}
        for kind, judge in judges.items():
            asked.setdefault(judge.signature, []).append(kind.value)
        wanted = _listed(f"{name} on {', '.join(kinds)}" for name, kinds in asked.items())
        message = f"the calibration is of {has}; the judges are {wanted}"
        hint = "name the judge that was calibrated, in its version; or calibrate this one again"
        raise InputError(Finding("other_judge", message, hint, file.name))


def _limits(
    judges: Mapping[Kind, Judge], calibrated: Mapping[Kind, _Found], settings: Settings
) -> dict[Kind, Limits]:
    """The limits by kind; none for a kind that nobody knows limits of.

    Raises:
        UsageError: nobody knows any, or no calibration reaches the agreement.
    """
    agreement = settings.agreement
    limits: dict[Kind, Limits] = {}
    for kind, judge in judges.items():
        if kind in calibrated:
            limits[kind] = calibrated[kind][1].limits(agreement) or NEVER
        elif agreement is None and isinstance(judge, Sure) and kind in judge.sure:
            limits[kind] = judge.sure[kind]
    if any(each is not NEVER for each in limits.values()):
        return limits
    option = "--sure" if agreement is None else f"--agreement {agreement:g}"
    if limits:
        points = [point.agreement for _, each in calibrated.values() for point in each.curve]
        most = f"{max(points, default=0):.3f} at most"
        found = "has no limits" if agreement is None else f"is expected to reach {most}"
        files = _listed(dict.fromkeys(file.name for file, _ in calibrated.values()))
        raise UsageError(
            f"{option}: the calibration {found}: {files}; leave out {option}, or assess more "
            "questions and calibrate again, or use another judge"
        )
    need = "a judge that has limits of its own, or " if agreement is None else ""
    names = _listed(dict.fromkeys(judge.signature for judge in judges.values()))
    raise UsageError(f"{option} needs {need}--calibration FILE; the judges are {names}. {_HINT}")


def _listed(names: Iterable[str]) -> str:
    return "; ".join(names) or "none"
