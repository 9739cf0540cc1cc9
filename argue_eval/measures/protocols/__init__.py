"""Protocols: which units a report has and where each of them ends, given what is judged.

A protocol is pure: it never asks a judge. `step` returns an outcome whose `needs` are the
questions without a verdict that decide it; the planner has them answered and asks again.
"""

from __future__ import annotations

from typing import Protocol

from argue_eval.records import Kind, Verdict

CLAIMS_SOUGHT_IN = ("sentence", "report")
"""What can be asked about to find a claim: every sentence, or the report as a whole."""

Target = str | tuple[str, str]
"""What a question is about besides the sentence: a doc_id, a nugget_id, or (nugget_id, answer)."""


class Judged(Protocol):
    """An answer to a question; `argue_eval.judgments.index.Stored` is one."""

    @property
    def verdict(self) -> Verdict:
        """Returns the answer."""

    @property
    def judge(self) -> str:
        """Returns who gave it."""

    @property
    def prob(self) -> float | None:
        """Returns how probable a yes is to the judge; None if it does not say."""


class Known(Protocol):
    """What is judged about one sentence: a dict of answers by question, or what looks like one."""

    def get(self, question: tuple[Kind, Target], /) -> Judged | None:
        """Returns the answer to a question; None if nobody has judged it."""


def verdict_of(known: Known, kind: Kind, target: Target = "") -> Verdict | None:
    """Returns the verdict on a question; None if nobody has judged it."""
    judged = known.get((kind, target))
    return None if judged is None else judged.verdict
