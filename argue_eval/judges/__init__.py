"""Judges: ways to answer an `Ask`. A file is a judge; its `create` makes one.

A judge sees texts only, never a run or a score, and answers every ask on its own: what else is
asked, and in which order, makes no difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from argue_eval.records import Ask, JudgeFailure, Judgment, Kind


class Judge(Protocol):
    """What the caller needs to know of a judge.

    Attributes:
        signature: name, version and whatever else could change a verdict, without white space
            and without a bar: ``lexical@1/ab12cd34``.
        kinds: the kinds of question that it can answer.
    """

    @property
    def signature(self) -> str:
        """Returns the judge's name, version and the hash of whatever could change a verdict."""

    @property
    def kinds(self) -> frozenset[Kind]:
        """Returns the kinds of question that the judge can answer."""

    def judge(self, asks: Sequence[Ask]) -> list[Judgment | JudgeFailure]:
        """Returns one judgment or failure per ask, in the same order."""
