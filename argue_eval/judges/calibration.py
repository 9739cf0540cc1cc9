"""By what the answers of judges are read: calibrations, and the limits from which they are sure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from argue_eval.errors import Finding, InputError, UsageError, shorten
from argue_eval.formats.calibrations import (
    READ_ANEW,
    CalibrationFile,
    JudgeCalibration,
    Limits,
    read_calibrations,
)
from argue_eval.judges import Judge, Settings, Sure, Versioned
from argue_eval.judges.cascade import Judges, Reader, Stages, asked
from argue_eval.records import Kind

NEVER: Limits = (-1.0, 2.0)
"""The limits of a judge that is sure of nothing."""

_HINT = "Assess some 100 questions and calibrate it: argue-eval meta-eval … --calibrate FILE"


def applied(judges: Judges, settings: Settings) -> dict[Kind, Stages]:
    """The judges with readers of their answers, as the settings want it.

    Those of a cascade before the last are sure; one that knows no limits for a kind is left out.

    Raises:
        InputError: a calibration has errors, or is of none of the judges.
        MissingResourceError: there is no such file.
        UsageError: they are to be sure, and nobody knows where they are.
    """
    files = [read_calibrations(each) for each in dict.fromkeys(settings.calibrations)]
    every = {
        (kind, each.judge.signature): each.judge
        for kind, stages in judges.items()
        for each in stages
    }
    matching = {
        key: found for key, judge in every.items() if (found := _of_judge(judge, key[0], files))
    }
    _check_used(files, every, matching)
    limits = _limits(judges, matching, settings)
    at = "" if settings.agreement is None else f"{settings.agreement:g}"
    readers: dict[_Asked, Reader] = {}
    for key in matching.keys() | limits.keys():
        signature, calibration, judge = key[1], None, every[key]
        if key in matching:
            file, calibration = matching[key]
            signature += f"{READ_ANEW[0]}{file.digest}"
        if key in limits:
            signature += f"{READ_ANEW[1]}{at}"
        knows = judge.knows if calibration is None and isinstance(judge, Sure) else None
        readers[key] = Reader(signature, calibration, limits.get(key), knows)
    return {
        kind: tuple(
            replace(each, reader=readers.get((kind, each.judge.signature)))
            for each in stages
            if not each.must_be_sure or limits.get((kind, each.judge.signature), NEVER) is not NEVER
        )
        for kind, stages in judges.items()
    }


_Found = tuple[CalibrationFile, JudgeCalibration]
_Asked = tuple[Kind, str]
"""A kind of question, and the signature of a judge that is asked."""


def _of_judge(judge: Judge, kind: Kind, files: Iterable[CalibrationFile]) -> _Found | None:
    """The calibration of a judge for a kind of question: of its very signature, if there is one.

    Raises:
        InputError: there are several.
    """
    every = [(file, each) for file in files for each in file.calibrations if each.kind is kind]
    exact = [found for found in every if found[1].judge == judge.signature]
    version = judge.version if isinstance(judge, Versioned) else judge.signature
    near = exact or [each for each in every if f"{each[1].judge}/".startswith(f"{version}/")]
    if len(near) > 1:
        names = _listed(f"{shorten(each.judge)} in {file.name}" for file, each in near)
        message = f"several calibrations fit {judge.signature} on {kind.value}: {names}"
        raise InputError(
            Finding("several_calibrations", message, "keep one of them", near[-1][0].name)
        )
    return near[0] if near else None


def _check_used(
    files: Iterable[CalibrationFile], every: Iterable[_Asked], used: Mapping[_Asked, _Found]
) -> None:
    """Refuses files of which nothing is used."""
    names = {found[0].name for found in used.values()}
    for file in files:
        if file.name in names:
            continue
        has = _listed(f"{shorten(each.judge)} on {each.kind.value}" for each in file.calibrations)
        by_name: dict[str, list[str]] = {}
        for kind, judge in every:
            by_name.setdefault(judge, []).append(kind.value)
        wanted = _listed(f"{name} on {', '.join(kinds)}" for name, kinds in by_name.items())
        message = f"the calibration is of {has}; the judges are {wanted}"
        hint = "name the judge that was calibrated, in its version; or calibrate this one again"
        raise InputError(Finding("other_judge", message, hint, file.name))


def _limits(
    judges: Judges, calibrated: Mapping[_Asked, _Found], settings: Settings
) -> dict[_Asked, Limits]:
    """The limits of the judges that are to be sure; none where nobody knows any.

    Raises:
        UsageError: nobody knows any, or no calibration reaches the agreement.
    """
    agreement = settings.agreement
    limits: dict[_Asked, Limits] = {}
    for kind, stages in judges.items():
        is_wanted = settings.sure or (agreement is not None and len(stages) == 1)
        for stage in stages:
            key = (kind, stage.judge.signature)
            if not (is_wanted or stage.must_be_sure):
                continue
            if key in calibrated:
                limits[key] = calibrated[key][1].limits(agreement) or NEVER
            elif agreement is None and isinstance(stage.judge, Sure) and kind in stage.judge.sure:
                limits[key] = stage.judge.sure[kind]
    if not settings.leaves_unsure or any(each is not NEVER for each in limits.values()):
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
    names = _listed(asked(judges))
    raise UsageError(f"{option} needs {need}--calibration FILE; the judges are {names}. {_HINT}")


def _listed(names: Iterable[str]) -> str:
    return "; ".join(names) or "none"
