"""What a folder of ``score -o`` holds, as typed lines that are read topic by topic.

A large track has more lines than memory: of each file only the places of its lines are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from argue_eval.errors import Finding, InputError

_T = TypeVar("_T")


class Step(msgspec.Struct, frozen=True):
    """One question of the flowchart and its answer."""

    question: str
    answer: str
    judge: str = ""
    evidence: str = ""


class Ended(msgspec.Struct, frozen=True):
    """Where one citation of a sentence ends."""

    doc_id: str
    outcome: int | None = None
    possible: tuple[int, ...] = ()
    is_relevant: bool | None = None
    support: str | None = None
    answered: tuple[tuple[str, str], ...] = ()
    unanswered: tuple[tuple[str, str], ...] = ()


class Credit(msgspec.Struct, frozen=True):
    """An answer that a sentence is credited with."""

    nugget_id: str
    answer: str = ""


class Unit(msgspec.Struct, frozen=True):
    """A line of ``RUN.outcomes.jsonl``: a sentence, or a claim that was sought in the report.

    Attributes:
        sentence_index: None for a claim.
        claim: empty for a sentence.
        coverage: of a claim: ``yes``, ``partial``, ``no`` or ``contradicts``; None if
            unjudged.
    """

    topic_id: str
    sentence_index: int | None = None
    outcome: int | None = None
    effect: str = ""
    possible: list[Any] = []
    path: tuple[Step, ...] = ()
    citations: list[Any] = []
    credited: tuple[Credit, ...] = ()
    nugget_id: str = ""
    claim: str = ""
    coverage: str | None = None
    bullet: int | None = None
    is_covered: bool | None = None
    is_entailed: bool | None = None
    sentences: tuple[int, ...] = ()
    judge: str = ""

    @property
    def ended(self) -> list[Ended]:
        """Where the citations of a sentence end."""
        return msgspec.convert(self.citations, list[Ended])


class Answered(msgspec.Struct, frozen=True):
    """A line of ``RUN.nuggets.jsonl``."""

    topic_id: str
    nugget_id: str
    is_correct: bool | None = None
    credited: tuple[tuple[int, str], ...] = ()


class Judged(msgspec.Struct, frozen=True):
    """A line of ``RUN.judgments.jsonl``."""

    topic_id: str
    kind: str
    verdict: str
    judge: str
    sentence: str | None = None
    run_id: str = ""
    sentence_index: int | None = None
    doc_id: str = ""
    nugget_id: str = ""
    answer: str = ""
    prob: float | None = None
    rationale: str = ""


class KeptSentence(msgspec.Struct, frozen=True):
    """A sentence of a report and what it cites."""

    text: str
    citations: list[str] | dict[str, float | None] = []


class KeptDocument(msgspec.Struct, frozen=True):
    """A cited document, or the start of a long one.

    Attributes:
        num_characters: the length of the whole; None if it is all there.
    """

    title: str = ""
    text: str = ""
    doc_id: str = ""
    language: str | None = None
    num_characters: int | None = None


class _Ids(msgspec.Struct, frozen=True):
    topic_id: str


class KeptReport(msgspec.Struct, frozen=True):
    """A line of ``RUN.reports.jsonl``."""

    metadata: _Ids
    responses: tuple[KeptSentence, ...] = ()
    documents: dict[str, KeptDocument] = {}


class Head(msgspec.Struct, frozen=True):
    """What every kind of line is found by, and what is counted on the way."""

    topic_id: str = ""
    doc_id: str = ""
    metadata: _Ids | None = None
    sentence_index: int | None = None
    outcome: int | None = None
    effect: str = ""
    kind: str = ""
    judge: str = ""


class About(msgspec.Struct, frozen=True):
    """``RUN.meta.json``: how a run was scored."""

    run_id: str
    team_id: str = ""
    signature: str = ""
    argue_eval: str = ""
    judges: dict[str, str] = {}
    options: dict[str, Any] = {}
    protocol: str = ""
    num_unjudged: int = 0
    missing_topics: list[str] = []
    unjudged: list[dict[str, Any]] = []


_HEADS = msgspec.json.Decoder(Head)


class Lines(Generic[_T]):
    """The lines of a file, found by topic or by document.

    Args:
        see: is called with the head of each line.

    Raises:
        InputError: the file is none that ``score -o`` wrote.
    """

    def __init__(
        self, path: Path, of: type[_T], see: Callable[[Head], None] = lambda head: None
    ) -> None:
        self.path = path
        self._decoder = msgspec.json.Decoder(of)
        self._places: dict[str, list[tuple[int, int]]] = {}
        if not path.is_file():
            raise _not_ours(path, "the file is missing")
        at = 0
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                try:
                    head = _HEADS.decode(line)
                except msgspec.DecodeError as exc:
                    raise _not_ours(path, str(exc), number) from None
                key = head.metadata.topic_id if head.metadata else head.topic_id or head.doc_id
                self._places.setdefault(key, []).append((at, len(line)))
                at += len(line)
                see(head)

    @property
    def keys(self) -> list[str]:
        """The topics or documents, in file order."""
        return list(self._places)

    def has(self, key: str) -> bool:
        """Whether there is a line of a topic or document."""
        return key in self._places

    def of(self, key: str) -> list[_T]:
        """The lines of a topic, or the line of a document."""
        found: list[_T] = []
        if not self.has(key):
            return found
        with self.path.open("rb") as stream:
            for start, size in self._places[key]:
                stream.seek(start)
                try:
                    found.append(self._decoder.decode(stream.read(size)))
                except msgspec.DecodeError as exc:
                    raise _not_ours(self.path, f"{key}: {exc}") from None
        return found


def about(path: Path) -> About:
    """How a run was scored.

    Raises:
        InputError: the file is none that ``score -o`` wrote.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=About)
    except msgspec.DecodeError as exc:
        raise _not_ours(path, str(exc)) from None


def _not_ours(path: Path, what: str, line: int | None = None) -> InputError:
    hint = "score the runs again: argue-eval score RUN... QRELS... -o DIR"
    return InputError(Finding("unknown_format", what, hint, str(path), line))
