"""What people assessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from os import PathLike
from typing import NamedTuple

from argue_eval.analysis.significance import LEVEL
from argue_eval.errors import Finding, InputError, UsageError
from argue_eval.formats import iter_assessed
from argue_eval.formats.files import listed
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.records import Judgment, Kind

File = str | PathLike[str]

_LEAST_CHANCE = 1e-9
"""A unit that was less probable than this counts alone in either case."""


class People(NamedTuple):
    """What people assessed.

    Attributes:
        judgments: their `prob` is the probability with which the question was drawn.
        chances: of the topics with an assessment, the probability with which they were drawn: 1 if
            no file says; NaN if different parts of one were drawn with different ones.
        kinds: of the questions that they answered.
        is_drawn: does a file say with which probabilities its questions were drawn?
        is_partial: rows of a sheet are open or missing.
        file: the first one's name.
        level: intervals cover 1 - level.
    """

    judgments: JudgmentIndex
    chances: Mapping[str, float]
    kinds: frozenset[Kind]
    is_drawn: bool
    is_partial: bool = False
    file: str = ""
    level: float = LEVEL


def read_people(
    assessed: File | Sequence[File | Judgment],
    warnings: list[Finding] | None = None,
    level: float = LEVEL,
) -> People:
    """Reads assessments.

    Raises:
        UsageError: the level is not between 0 and 1.
        InputError: a file has errors, or there is no assessment.
        MissingResourceError: there is no such file.
    """
    if not 0 < level < 1:
        raise UsageError(f"--level: expected a number between 0 and 1, found {level}")
    given = listed("assessed", assessed, Judgment, may_be_empty=True)
    files = list(dict.fromkeys(each for each in given if not isinstance(each, Judgment)))
    told: list[Finding] = []
    file = str(files[0]) if files else ""
    found = [(each, None) for each in given if isinstance(each, Judgment)]
    read = iter_assessed(files, warnings=told) if files else ()
    drawn = [*found, *((each, prob and max(prob, _LEAST_CHANCE)) for each, prob, _ in read)]
    if warnings is not None:
        warnings += told
    if not drawn:
        hint = "name a file of judgments by people, or a sheet that is filled in"
        raise InputError(Finding("nothing_assessed", "there is no assessment", hint, file))
    index = JudgmentIndex.of(judgment._replace(prob=prob) for judgment, prob in drawn)
    probs: dict[str, set[float | None]] = {}
    for judgment, prob in drawn:
        probs.setdefault(judgment.topic_id, set()).add(prob)
    chances = {topic_id: _chance(each) for topic_id, each in probs.items()}
    kinds = frozenset(judgment.kind for judgment, _ in drawn)
    is_drawn = any(prob is not None for _, prob in drawn)
    is_partial = any(each.code in ("open_rows", "missing_rows") for each in told)
    return People(index, chances, kinds, is_drawn, is_partial, file, level)


def _chance(probs: set[float | None]) -> float:
    if None in probs:
        return 1.0
    return nan if len(probs) > 1 else max(filter(None, probs))
