"""What questions are to be like, and what they were made from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from argue_eval.errors import Finding, Severity, UsageError, shorten
from argue_eval.records import ReportRequest

CATEGORIES = {
    "factual": "asks for facts: what, who, when, where, how much",
    "explanatory": "asks how something works, or what it means",
    "comparative": "asks in what things differ, or which of them suits a purpose better",
    "subjective": "asks for an opinion, a judgement of value, or a recommendation",
    "methodological": "asks how to do something: steps, methods, means",
    "causal": "asks why something is so, or what came of it",
    "hypothetical": "asks what would be, or would have been, if something were otherwise",
    "predictive": "asks what will happen, or how something will develop",
}
"""The categories of the paper, in our words. Others may be named, which say what they are."""

DOMAINS = (
    "artificial intelligence",
    "biology",
    "economics",
    "film",
    "health",
    "history",
    "law",
    "music",
    "politics",
    "sports",
)
"""As many as in the paper, whose text names only two of its ten: AI and film."""

CRITERIA = ("not_common_sense", "clear", "unambiguous", "complex", "opinion")
"""The criteria of the paper's prompt; its text counts the second and third as one."""

DEPTH, WIDTH = WAYS = ("depth", "width")

_OUTSIDE = re.compile(r"[\W_]+")


class QuestionOptions(NamedTuple):
    """Which questions are to be made. The defaults are those of the paper, except for the domains.

    Attributes:
        per_pair: for each pair of a category and a domain.
        num_criteria: how many of the criteria a seed has to meet.
    """

    categories: Sequence[str] = tuple(CATEGORIES)
    domains: Sequence[str] = DOMAINS
    per_pair: int = 7
    num_criteria: int = 4

    def check(self) -> None:
        """Checks that categories and domains can be told apart by their names.

        Raises:
            UsageError: they cannot, a name is empty, or there is only one text in place of a list.
        """
        for what, names in (("category", self.categories), ("domain", self.domains)):
            if isinstance(names, str):
                raise UsageError(f"expected a list of names, found the {what} {shorten(names)}")
            if not names:
                raise UsageError(f"questions need a {what}, and none is named")
            known: dict[str, str] = {}
            for name in names:
                other = known.setdefault(slug(name), name)
                if not slug(name):
                    raise UsageError(f"{what} {shorten(name)}: expected a name with letters")
                if other != name or names.count(name) > 1:
                    raise UsageError(f"{what} {shorten(name)} is named twice: name each once")


def slug(name: str) -> str:
    """A name as a part of topic ids.

    >>> slug("Artificial Intelligence ")
    'artificial-intelligence'
    """
    return _OUTSIDE.sub("-", name.casefold()).strip("-")


class Seed(NamedTuple):
    """A question from which others are evolved.

    Attributes:
        category: empty if it has none of those that are wanted.
        criteria: which it meets; empty if the model did not say.
        why: what the model says about that.
        is_kept: whether it meets enough of them.
    """

    request: ReportRequest
    category: str = ""
    criteria: Mapping[str, bool] = {}
    why: str = ""
    is_kept: bool = False

    @property
    def text(self) -> str:
        """What it asks."""
        return self.request.narrative

    @property
    def assessed(self) -> ReportRequest:
        """The seed with what was found about it."""
        said = {"category": self.category, "criteria": self.criteria, "why": self.why}
        extra = {**self.request.extra, **said, "is_kept": self.is_kept}
        return self.request._replace(extra=extra)


class Evolved(NamedTuple):
    """A question that was made of a seed, in the n-th round."""

    text: str
    seed: Seed
    way: str
    round: int


@dataclass(slots=True)
class Pair:
    """A category with a domain, and the questions that it gets.

    Attributes:
        ways: seeds with a way to evolve them, in the order in which they take their turns.
        num_asked: how many turns were taken.
        rejected: what was proposed and may not be used, with the reason.
        is_stuck: no call of the last turns has a usable reply: the next would be the same.
    """

    category: str
    domain: str
    ways: Sequence[tuple[Seed, str]]
    num_asked: int = 0
    questions: list[Evolved] = field(default_factory=list)
    rejected: list[tuple[str, str]] = field(default_factory=list)
    is_stuck: bool = False

    def reject(self, question: Evolved, reason: str) -> None:
        """Takes a question out, for a reason."""
        self.questions.remove(question)
        self.rejected.append((question.text, reason))

    def requests(self, made_by: Mapping[str, str]) -> list[ReportRequest]:
        """The questions as requests that say where they come from.

        Args:
            made_by: by the way to evolve, what replies depend on.
        """
        return [
            ReportRequest(
                f"{slug(self.category)}-{slug(self.domain)}-{number}",
                problem_statement=each.text,
                extra={
                    "category": self.category,
                    "domain": self.domain,
                    "evolved": each.way,
                    "seed": {
                        "topic_id": each.seed.request.topic_id,
                        "question": each.seed.text,
                        "criteria": dict(each.seed.criteria),
                    },
                    "made_by": [made_by[each.way]],
                },
            )
            for number, each in enumerate(self.questions, 1)
        ]


@dataclass(slots=True)
class Questions:
    """Questions that were made.

    Attributes:
        requests: by category and domain; each says of which seed it was evolved, and how.
        seeds: all seeds, with what was found about them.
        num_repeated: questions that were left out, since they repeat another.
        findings: what is not as it was to be; `unanswered`: why calls have no usable reply.
    """

    requests: list[ReportRequest] = field(default_factory=list)
    seeds: list[Seed] = field(default_factory=list)
    num_repeated: int = 0
    findings: list[Finding] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)

    def warn(self, code: str, message: str, hint: str) -> None:
        """Adds a finding."""
        self.findings.append(Finding(code, message, hint, severity=Severity.WARNING))
