"""Who answers a kind of question: one judge, or a cascade of several, the cheapest first.

``cascade:lexical,llm:MODEL``: a judge answers where it is sure, the next one is asked for the rest,
and the last answers whatever reaches it. Whose answer is used is all that a cascade decides: what
every judge says is kept under its own name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from argue_eval.errors import UsageError
from argue_eval.judges import NOT_SURE, Judge
from argue_eval.records import Kind, Question, Reply, Verdict

if TYPE_CHECKING:
    from argue_eval.formats.calibrations import JudgeCalibration, Limits

NAME = "cascade"
JUDGES = "two or more judges, the cheapest first, such as lexical,llm:MODEL"


@dataclass(frozen=True, slots=True)
class Reader:
    """How the answers of a judge are read: by its probabilities, calibrated, or where it is sure.

    A reply without a probability stays as it is. One whose probability is between the limits is no
    answer.

    Attributes:
        signature: the judge's, and what this adds to it.
        limits: on the scale of the calibration, if there is one.
        knows: whether the limits hold for a question, if they are the judge's own.
    """

    signature: str
    calibration: JudgeCalibration | None
    limits: Limits | None
    knows: Callable[[Question], bool] | None = None

    def read(self, question: Question, reply: Reply) -> Reply:
        """The judge's reply with the calibrated probability and the verdict that follows from it.

        A no stays what it was, such as a contradiction.
        """
        if reply.verdict is None or reply.prob is None:
            return reply
        calibration, prob, verdict = self.calibration, reply.prob, reply.verdict
        if calibration is not None:
            prob, thresholds = calibration.prob(prob), calibration.thresholds
            if prob >= thresholds.yes:
                verdict = Verdict.YES
            elif thresholds.partial is not None and prob >= thresholds.partial:
                verdict = Verdict.PARTIAL
            elif verdict.is_positive:
                verdict = Verdict.NO
        if self.limits is not None:
            low, high = self.limits
            if low < prob < high or (self.knows is not None and not self.knows(question)):
                return reply._replace(verdict=None, reason=NOT_SURE)
        return reply._replace(verdict=verdict, prob=prob)


@dataclass(frozen=True, slots=True)
class Stage:
    """One judge among those that answer a kind of question.

    Attributes:
        name: the judge's, as users write it.
        judge: who is asked, and whose answers are stored.
        reader: how these are read; None for as they are.
        must_be_sure: other answers are not used, since another judge comes after it.
    """

    name: str
    judge: Judge
    reader: Reader | None = None
    must_be_sure: bool = False

    @property
    def signature(self) -> str:
        """Whose the answers are that are used: the judge's name, and how it is read."""
        return self.judge.signature if self.reader is None else self.reader.signature

    @property
    def has_limits(self) -> bool:
        """Whether there are answers that are not used, as the judge is not sure."""
        return self.must_be_sure or (self.reader is not None and self.reader.limits is not None)

    def read(self, question: Question, reply: Reply) -> Reply:
        """The judge's reply as it is used."""
        if self.must_be_sure and reply.prob is None and reply.verdict is not None:
            return reply._replace(verdict=None, reason=NOT_SURE)
        return reply if self.reader is None else self.reader.read(question, reply)


Stages = tuple[Stage, ...]
"""The judges of one kind of question, in the order in which they are asked; mostly one."""

Judges = Mapping[Kind, Stages]
"""Who answers, by kind of question."""


def names_in(name: str) -> list[str]:
    """The names of the judges that a name stands for: several for a cascade.

    Raises:
        UsageError: a cascade has fewer than two judges, or one twice, or none, or a cascade.
    """
    head, colon, rest = name.partition(":")
    if head != NAME:
        return [name]
    names = [each.strip() for each in rest.split(",")] if colon else []
    plugins = [each.partition(":")[0] for each in names]
    if len(names) < 2 or "" in names:
        raise UsageError(f"{name!r}: expected {NAME}: and {JUDGES}")
    if NAME in plugins or "none" in plugins:
        what = NAME if NAME in plugins else "none"
        raise UsageError(f"{name!r}: {what!r} cannot be in a cascade; expected {JUDGES}")
    if len(set(names)) < len(names):
        raise UsageError(f"{name!r}: a judge is named twice; expected {JUDGES}")
    return names


def signature_of(stages: Stages) -> str:
    """What a signature says of the judges of a kind."""
    prefix = f"{NAME}:" if len(stages) > 1 else ""
    return prefix + ",".join(each.signature for each in stages)


def is_in(judges: Judges) -> bool:
    """Whether several judges answer some kind of question."""
    return any(len(stages) > 1 for stages in judges.values())


def asked(judges: Judges) -> dict[str, Stage]:
    """The judges that may be asked: a stage of each by the judge's signature, cheap ones first."""
    stages = [each for found in judges.values() for each in found]
    stages.sort(key=lambda each: not each.must_be_sure)
    return {each.judge.signature: each for each in stages}


def replaced(judges: Judges, stand_in: Callable[[Judge], Judge]) -> Judges:
    """The same with another judge in the place of each, which has its signature."""
    instead = {name: stand_in(each.judge) for name, each in asked(judges).items()}
    return {
        kind: tuple(replace(each, judge=instead[each.judge.signature]) for each in stages)
        for kind, stages in judges.items()
    }
