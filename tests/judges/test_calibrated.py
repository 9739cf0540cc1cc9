"""Judges whose answers are read by a calibration, or taken only where they are sure of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp, log
from pathlib import Path
from typing import Any

import pytest

from argue_eval.errors import InputError, UsageError
from argue_eval.formats.calibrations import (
    JudgeCalibration,
    Point,
    Thresholds,
    read_calibrations,
    write_calibrations,
)
from argue_eval.judges import NOT_SURE, Judge, Settings, Workload
from argue_eval.judges.calibration import applied
from argue_eval.judges.cascade import Stage
from argue_eval.records import Kind, Question, Reply, Verdict
from tests.judges import asking
from tests.judges.asking import answers, support

Said = tuple[Verdict | None, float | None]

YES, PARTIAL, NO, CONTRADICTS = Verdict
QUESTIONS = [support("s", "d")]


class Parrot:
    """A judge that says what it was told to."""

    kinds = frozenset(Kind)
    joint: frozenset[Kind] = frozenset()

    def __init__(self, *said: Said, signature: str = "parrot@1/abc") -> None:
        self.signature = signature
        self._said = said

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        for index, _ in enumerate(questions):
            verdict, prob = self._said[index % len(self._said)]
            yield Reply(index, verdict, prob, reason="" if verdict else "no idea")

    def workload(self, questions: Sequence[Question]) -> Workload:
        return Workload(num_calls=len(questions))


class Knowing(Parrot):
    """One that knows where it cannot know, and has a version apart from its texts."""

    version = "parrot@1"
    sure: Mapping[Kind, tuple[float, float]] = {Kind.SUPPORT: (0.2, 0.8)}

    def knows(self, question: Question) -> bool:
        """Nothing of sentences that it has never heard of."""
        return "unheard" not in question.text


CURVE = (
    Point(1.0, (0.59, 0.6), 0.8, 0.8),
    Point(0.5, (0.3, 0.7), 0.9, 0.9),
    Point(0.2, (0.1, 0.95), 0.97, 0.95),
)
PLAIN = JudgeCalibration(
    judge="parrot@1/abc",
    kind=Kind.SUPPORT,
    num=100,
    num_yes=40,
    slope=1,
    intercept=0,
    thresholds=Thresholds(0.6),
    sure=(0.3, 0.7),
    curve=CURVE,
)
CHANGES: Mapping[str, Any] = {
    "partial": {"thresholds": Thresholds(0.6, 0.4)},
    "sloped": {"slope": 2, "intercept": -1},
}


def changed(**changes: Any) -> JudgeCalibration:
    values = {name: getattr(PLAIN, name) for name in PLAIN.__struct_fields__}
    return JudgeCalibration(**{**values, **changes})


def used(
    path: Path, judge: Judge, *calibrations: JudgeCalibration, **settings: Any
) -> dict[Kind, Stage]:
    """The judge for two kinds of question, read by a file of calibrations if there are any."""
    file = str(path / "cal.json")
    if calibrations:
        write_calibrations(file, calibrations)
    names = [file] if calibrations else []
    made = Settings(**{"calibrations": names, **settings})
    stages = (Stage("parrot", judge),)
    found = applied({Kind.SUPPORT: stages, Kind.ANSWERS: stages}, made)
    return {kind: stage for kind, (stage,) in found.items()}


def replies(stage: Stage, questions: Sequence[Question]) -> list[Reply]:
    """One reply per question, as it is used."""
    said = asking.replies(stage.judge, questions)
    return [stage.read(question, reply) for question, reply in zip(questions, said, strict=True)]


@pytest.mark.parametrize(
    ("name", "said", "expected"),
    [
        ("", (NO, 0.61), (YES, 0.61)),
        ("", (YES, 0.6), (YES, 0.6)),
        ("", (YES, 0.59), (NO, 0.59)),
        ("", (PARTIAL, 0.5), (NO, 0.5)),
        ("", (CONTRADICTS, 0.1), (CONTRADICTS, 0.1)),
        ("", (YES, None), (YES, None)),
        ("", (None, None), (None, None)),
        ("partial", (NO, 0.4), (PARTIAL, 0.4)),
        ("partial", (YES, 0.39), (NO, 0.39)),
        ("sloped", (YES, 0.6), (NO, round(1 / (1 + exp(1 - 2 * log(1.5))), 6))),
        ("sloped", (NO, 0.75), (YES, round(1 / (1 + exp(1 - 2 * log(3))), 6))),
        ("sloped", (YES, 1.0), (YES, round(1 / (1 + exp(1 - 14)), 6))),
    ],
)
def test_the_verdict_follows_from_the_calibrated_probability(
    tmp_path: Path, name: str, said: Said, expected: Said
) -> None:
    calibration = changed(**CHANGES.get(name, {}))
    judge = used(tmp_path, Parrot(said), calibration)[Kind.SUPPORT]
    (reply,) = replies(judge, QUESTIONS)
    assert (reply.verdict, reply.prob) == expected


def test_other_kinds_are_answered_as_before(tmp_path: Path) -> None:
    judge = used(tmp_path, Parrot((YES, 0.59)), PLAIN)[Kind.ANSWERS]
    (reply,) = replies(judge, [answers("q", "a", "s")])
    assert (reply.verdict, reply.prob) == (YES, 0.59)


@pytest.mark.parametrize(
    ("agreement", "unsure"),
    [
        (None, [0.31, 0.69]),
        (0.8, []),
        (0.85, [0.31, 0.69]),
        (0.97, [0.11, 0.3, 0.31, 0.69, 0.7, 0.94]),
    ],
)
def test_between_its_limits_a_judge_leaves_questions_open(
    tmp_path: Path, agreement: float | None, unsure: list[float]
) -> None:
    probs = [0.1, 0.11, 0.3, 0.31, 0.69, 0.7, 0.94, 0.95]
    parrot = Parrot(*((NO, prob) for prob in probs))
    judge = used(tmp_path, parrot, PLAIN, sure=agreement is None, agreement=agreement)
    found = replies(judge[Kind.SUPPORT], QUESTIONS * len(probs))
    open_ = [prob for prob, reply in zip(probs, found, strict=True) if reply.verdict is None]
    assert {each.reason for each in found if each.verdict is None} <= {NOT_SURE}
    assert open_ == [
        each for each in probs if each in unsure or (agreement == 0.97 and 0.1 < each < 0.95)
    ]


def test_without_a_calibration_the_judges_own_limits_count(tmp_path: Path) -> None:
    judges = used(tmp_path, Knowing((NO, 0.2), (YES, 0.79), (YES, 0.8)), sure=True)
    found = [each.verdict for each in replies(judges[Kind.SUPPORT], QUESTIONS * 3)]
    assert found == [NO, None, YES]
    assert judges[Kind.SUPPORT].signature == "parrot@1/abc/sure"


def test_own_limits_hold_for_what_the_judge_knows_and_those_of_a_calibration_for_all(
    tmp_path: Path,
) -> None:
    unheard = support("An unheard of sentence.", "d")
    judges = used(tmp_path, Knowing((YES, 0.9)), sure=True)
    (found,) = replies(judges[Kind.SUPPORT], [unheard])
    assert (found.verdict, found.reason) == (None, NOT_SURE)
    judges = used(tmp_path, Knowing((YES, 0.9)), PLAIN, sure=True)
    assert replies(judges[Kind.SUPPORT], [unheard])[0].verdict is YES


def test_the_signature_names_the_file_and_the_limits(tmp_path: Path) -> None:
    judge = Parrot((YES, 1.0))
    plain = used(tmp_path, judge, PLAIN)[Kind.SUPPORT].signature
    digest = read_calibrations(str(tmp_path / "cal.json")).digest
    assert plain == f"parrot@1/abc/calibrated-{digest}"
    assert used(tmp_path, judge, PLAIN, sure=True)[Kind.SUPPORT].signature == f"{plain}/sure"
    at = used(tmp_path, judge, PLAIN, agreement=0.9)[Kind.SUPPORT].signature
    assert at == f"{plain}/sure0.9"
    other = used(tmp_path, judge, changed(num=99))[Kind.SUPPORT].signature
    assert other != plain


@pytest.mark.parametrize(
    ("signature", "is_used"),
    [("parrot@1/abc", True), ("parrot@1/of-other-texts", True), ("parrot@12/abc", False)],
)
def test_a_calibration_is_of_a_version_whatever_the_texts(
    tmp_path: Path, signature: str, is_used: bool
) -> None:
    calibration = changed(judge=signature)
    if is_used:
        judge = used(tmp_path, Knowing((NO, 0.61)), calibration)[Kind.SUPPORT]
        assert replies(judge, QUESTIONS)[0].verdict is YES
        return
    with pytest.raises(InputError, match="'parrot@12/abc' on support; the judges are parrot@1/abc"):
        used(tmp_path, Knowing((NO, 0.61)), calibration)


def test_a_judge_without_a_version_needs_its_very_signature(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        used(tmp_path, Parrot((NO, 0.61)), changed(judge="parrot@1/other"))
    assert raised.value.findings[0].code == "other_judge"


def test_of_several_the_one_with_the_signature_is_used(tmp_path: Path) -> None:
    other = changed(judge="parrot@1/x", thresholds=Thresholds(0.9))
    judge = used(tmp_path, Knowing((NO, 0.61)), other, PLAIN)[Kind.SUPPORT]
    assert replies(judge, QUESTIONS)[0].verdict is YES
    with pytest.raises(InputError) as raised:
        used(tmp_path, Knowing((NO, 0.61)), other, changed(judge="parrot@1/y"))
    assert raised.value.findings[0].code == "several_calibrations"


@pytest.mark.parametrize(
    ("calibrations", "settings", "message"),
    [
        ([], {"sure": True}, "--sure needs a judge that has limits of its own, or --calibration"),
        ([], {"agreement": 0.9}, "--agreement 0.9 needs --calibration FILE; the judges are"),
        ([changed(sure=None)], {"sure": True}, "--sure: the calibration has no limits"),
        ([PLAIN], {"agreement": 0.98}, "expected to reach 0.970 at most"),
        ([changed(curve=())], {"agreement": 0.9}, "expected to reach 0.000 at most"),
        ([], {"agreement": 0.5}, "above 0.5, up to 1, found 0.5"),
        ([], {"agreement": float("nan")}, "found nan"),
        ([], {"calibrations": "cal.json"}, "expected a list of files, found 'cal.json'"),
    ],
)
def test_limits_that_nobody_knows_are_refused(
    tmp_path: Path,
    calibrations: list[JudgeCalibration],
    settings: dict[str, Any],
    message: str,
) -> None:
    with pytest.raises(UsageError, match=message.replace(".", r"\.")):
        used(tmp_path, Parrot((YES, 1.0)), *calibrations, **settings)


def test_a_kind_that_does_not_reach_the_agreement_stays_open(tmp_path: Path) -> None:
    poor = changed(kind=Kind.ANSWERS, curve=CURVE[:1])
    judges = used(tmp_path, Parrot((YES, 0.99)), PLAIN, poor, agreement=0.9)
    assert replies(judges[Kind.SUPPORT], QUESTIONS)[0].verdict is YES
    assert replies(judges[Kind.ANSWERS], [answers("q", "a", "s")])[0].reason == NOT_SURE
