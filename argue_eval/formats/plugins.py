"""What a format is: a module of the package, or one that another package installs.

A format's module is the file ``argue_eval/formats/<kind>/<name>.py``, or what an entry point in the
group ``argue_eval.formats.<kind>`` names. It has the members of `Format`; those of the other
protocols where they apply.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    NamedTuple,
    Protocol,
    TypeVar,
    cast,
    runtime_checkable,
)

from argue_eval import _registry
from argue_eval.formats.checking import Check
from argue_eval.records import Document, Judgment, Nugget, Report, ReportRequest, TopicNuggets

if TYPE_CHECKING:
    from argue_eval.formats.judgment_lines import Part

Shape = tuple[str, ...]
"""Keys that an item of a format has, such as ``("metadata.topic_id", "responses")``."""

KINDS = ("requests", "nuggets", "runs", "documents", "judgments")
WRITTEN_KINDS = ("runs", "nuggets", "requests")
"""The kinds of files that can be written in several formats."""

Record_co = TypeVar("Record_co", covariant=True)
Record_contra = TypeVar("Record_contra", contravariant=True)


class Detected(Protocol):
    """What every format of another package has besides. Those of ours are listed in `shapes`."""

    @property
    def SHAPES(self) -> Sequence[Shape]:  # noqa: N802
        """The sets of keys by which its items are detected; of all that fit, the largest counts.
        Empty for a format that is detected in another way.
        """


class Format(Protocol[Record_co]):
    """A format whose items can be read one by one."""

    def read(self, values: Iterable[Any], check: Check) -> Iterator[Record_co]:
        """Yields the records of the items of a file; `check` notes errors and warnings."""


RequestFormat = Format[ReportRequest]
NuggetFormat = Format[TopicNuggets]
RunFormat = Format[Report]


class DocumentFormat(Protocol):
    """A format of documents."""

    def read(
        self, values: Iterable[Any], check: Check, wanted: Collection[str] | None = None
    ) -> Iterator[Document]:
        """Yields the documents with the wanted ids, or all of them."""


class JudgmentFormat(Protocol):
    """A format of judgments."""

    def read(
        self, values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
    ) -> Iterator[Judgment]:
        """Yields judgments, and warns of those that refer to none of the nuggets."""


@runtime_checkable
class InBlocks(Protocol):
    """A format whose files may have millions of lines, which it reads many at a time."""

    def read_blocks(self, check: Check, nuggets: Sequence[TopicNuggets] = ()) -> Iterator[Judgment]:
        """Yields the records of all lines of the source of `check`."""


@runtime_checkable
class InParts(Protocol):
    """A format of judgments whose files may have millions of lines, which it packs for an index."""

    def read_parts(
        self, check: Check, nuggets: Sequence[TopicNuggets] = (), start: int = 0
    ) -> Iterator[Judgment | Part]:
        """Yields what the lines of the source of `check` say; facts are numbered from `start`."""


@runtime_checkable
class Plain(Protocol):
    """A format whose items are lines of text, not of JSON."""

    IS_TEXT: ClassVar[bool]


@runtime_checkable
class Itemized(Protocol):
    """A format whose files are neither JSON nor lines: it finds their items itself."""

    def items(self, check: Check, /) -> Iterator[Any]:
        """Yields the items of the source of `check`, which it tells where they stand."""


class Assessed(NamedTuple):
    """A judgment by a person.

    Attributes:
        probability: of its question to be drawn; None if it was not drawn by chance.
        time: when it was given, as ISO 8601; empty if nobody knows.
    """

    judgment: Judgment
    probability: float | None = None
    time: str = ""


@runtime_checkable
class Drawn(Protocol):
    """A format of judgments that were drawn with known probabilities."""

    def read_assessed(
        self, values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
    ) -> Iterator[Assessed]:
        """Yields each judgment with what is known of how it came about."""


@runtime_checkable
class Writable(Protocol[Record_contra]):
    """A format that can be written, one record a line unless it is `Framed`."""

    def encode(self, record: Record_contra, /) -> Any:
        """The record as a JSON value; as a line if the format is `Plain`."""


@runtime_checkable
class Framed(Protocol):
    """A format of one document: what is written before, between and after the records."""

    START: str
    BETWEEN: str
    END: str


@runtime_checkable
class Selective(Protocol[Record_contra]):
    """A format that cannot hold every record; of nuggets, not every nugget."""

    def why_not(self, record: Record_contra, /) -> str:
        """Why it cannot hold a record or nugget; an empty text if it can."""


@runtime_checkable
class Arranging(Protocol):
    """A format of nuggets that cannot hold them in any order, or under equal texts."""

    def arranged(self, nuggets: Iterable[tuple[int, Nugget]]) -> list[tuple[int, Nugget]]:
        """The nuggets with their places, as the format can hold them."""


def names(kind: str) -> list[str]:
    """The names of the built-in formats of a kind of file.

    Args:
        kind: one of `KINDS`.
    """
    return list(_registry.files_of(f"formats.{kind}"))


def all_names(kind: str) -> list[str]:
    """The names of all formats of a kind of file: the built-in ones, then those installed."""
    return _registry.all_names(f"formats.{kind}")


@cache
def load(kind: str, name: str) -> Format[Any]:
    """The format of this name, built in or installed.

    Raises:
        UsageError: there is no such format of this kind.
    """
    return cast("Format[Any]", _registry.load(f"formats.{kind}", name, f"format of {kind}"))


def written(kind: str) -> list[str]:
    """The names of the formats of a kind that can be written, built in or installed."""
    return [name for name in all_names(kind) if isinstance(load(kind, name), Writable)]


def is_written(kind: str, name: str) -> bool:
    """Whether a format can be written, built in or installed."""
    return name in all_names(kind) and isinstance(load(kind, name), Writable)
