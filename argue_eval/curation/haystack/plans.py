"""Haystacks whose subtopics and insights come about, and what is asked about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from argue_eval.curation.haystack.records import DOMAINS, Haystack, Insight, Shape, Subtopic
from argue_eval.curation.model import Call, Model, Progress, Read
from argue_eval.curation.texts import ReplyError, numbered, request_block
from argue_eval.errors import shorten
from argue_eval.judges.llm.prompts import Block, quoted

TOKENS = 120
"""How long a subtopic or an insight in a reply may be; `PAIR_TOKENS`: a line about two numbers."""
PAIR_TOKENS = 40
REPLY_TOKENS = 512

_MAX_IDEA, _MAX_IDEAS = 1500, 5000
"""Words that are shown of a document for ideas, and of all of them."""

_FORMS = dict(zip(DOMAINS, ("transcripts of conversations", "news articles"), strict=True))

Listed = Sequence[Mapping[str, Any]]
"""The objects of a reply."""


@dataclass(slots=True)
class Plan:
    """A haystack whose subtopics and insights come about.

    Attributes:
        rejected: what was proposed and may not be used, with the reason.
        insights: by the place of their subtopic; `checked`: those that were sorted.
    """

    haystack: Haystack
    shape: Shape
    subtopics: list[Subtopic] = field(default_factory=list)
    rejected: list[tuple[str, str]] = field(default_factory=list)
    insights: dict[int, list[Insight]] = field(default_factory=dict)
    rejected_insights: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    checked: set[str] = field(default_factory=set)
    num_proposed: int = 0

    @property
    def topic_id(self) -> str:
        """The haystack's topic."""
        return self.haystack.request.topic_id

    @property
    def shared(self) -> tuple[Block, Block]:
        """What all calls show."""
        block = request_block(self.haystack.request)
        form = f'documents: "{_FORMS[self.shape.domain]}"'
        return block.with_lines([form]), Block("context", tuple(_ideas(self.haystack)) or ("none",))

    @property
    def all_insights(self) -> list[tuple[int, Insight]]:
        """The insights with the places of their subtopics."""
        return [(place, each) for place, listed in self.insights.items() for each in listed]

    def missing(self, place: int) -> int:
        """How many insights a subtopic still needs."""
        return self.shape.num_insights - len(self.insights.setdefault(place, []))

    def drop(self, place: int, insight: Insight, reason: str) -> None:
        """Takes an insight out, for a reason."""
        self.insights[place].remove(insight)
        self.rejected_insights.setdefault(place, []).append((insight.text, reason))


def open_plans(plans: Iterable[Plan]) -> list[Plan]:
    """The plans of the haystacks that no missing reply has ended."""
    return [each for each in plans if each.haystack.is_planned]


def asked(
    calls: Sequence[tuple[Plan, Call]], read: Read[Listed], model: Model, progress: Progress | None
) -> Iterator[tuple[Plan, Call, Listed]]:
    """Yields the objects of each reply; a haystack without a usable reply is not planned."""
    replies = model.ask([call for _, call in calls], read, progress)
    for (each, call), found in zip(calls, replies, strict=True):
        if found is None:
            each.haystack.is_planned = False
        else:
            yield each, call, found


def check_numbers(numbers: Iterable[int], block: Block) -> None:
    """Refuses a reply with a number that is none of a block's lines."""
    wrong = [number for number in numbers if number not in range(1, len(block.lines) + 1)]
    if wrong:
        raise ReplyError(f"the subtopic {shorten(wrong[0])} does not exist")


def shown(subtopic: Subtopic) -> str:
    """A subtopic as a model is shown it."""
    return f"{subtopic.name}: {subtopic.text}"


def rejections(rejected: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Lines for what was rejected: text and reason."""
    for text, reason in rejected:
        yield f"rejected: {quoted(text)}; {reason}"


def subtopics_block(each: Plan) -> Block:
    """All subtopics of a plan."""
    return numbered("subtopics", map(shown, each.subtopics))


def _ideas(haystack: Haystack) -> Iterator[str]:
    """Lines for the documents from which ideas may be taken."""
    left = _MAX_IDEAS
    for document in haystack.ideas:
        words = document.text.split()[: min(left, _MAX_IDEA)]
        if words:
            left -= len(words)
            yield f"document: {quoted(' '.join(words))}"
