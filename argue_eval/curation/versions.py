"""Versions of a bank: a number and a digest in the bank, what changed, and a line for each in a
history.

The digest is that of all nuggets without further keys, so that a bank that was edited since is
recognised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval import formats
from argue_eval.errors import ArgueEvalError, Finding, InputError, MissingResourceError, describe
from argue_eval.formats.jsonl import Source, atomic_writer, encode
from argue_eval.formats.nuggets import canonical
from argue_eval.records import EMPTY, TopicNuggets

FORMAT = "argue-eval/bank-history/1"
KEY = "bank_version"
"""The further key of every topic that has the version of its bank."""

_SUFFIX = ".history.jsonl"
_PENDING = ".pending"
_NUM_DIGITS = 12


class Version(NamedTuple):
    """Which bank it is.

    Attributes:
        number: 1 and up; 0 for a bank that never got a version.
        digest: of its nuggets as they are.
        is_edited: the bank says another digest: it was edited since it got its number.
    """

    number: int
    digest: str
    is_edited: bool = False

    def __str__(self) -> str:
        number = f"version {self.number:,}" if self.number else "no version"
        return f"{number}{', edited since' if self.is_edited else ''} ({self.digest})"

    @property
    def as_json(self) -> dict[str, Any]:
        """The version as a JSON value."""
        return {"number": self.number, "digest": self.digest}


def version_of(topics: Sequence[TopicNuggets]) -> Version:
    """The version of a bank: the number that it states, and the digest that it has."""
    found = _digest(topics)
    stated = [topic.extra.get(KEY) for topic in topics if KEY in topic.extra]
    given = stated[0] if stated and isinstance(stated[0], Mapping) else {}
    number = given.get("number")
    if type(number) is not int or number < 1:
        return Version(0, found)
    return Version(number, found, given.get("digest") != found)


def stamped(topics: Sequence[TopicNuggets], number: int) -> tuple[list[TopicNuggets], Version]:
    """A bank that states its version."""
    version = Version(number, _digest(topics))
    key = {KEY: version.as_json}
    return [topic._replace(extra={**topic.extra, **key}) for topic in topics], version


def _bare(topic: TopicNuggets) -> TopicNuggets:
    """A topic without further keys: where nuggets are from is no part of what they say."""
    nuggets = [
        nugget._replace(
            extra=EMPTY, answers=tuple([each._replace(extra=EMPTY) for each in nugget.answers])
        )
        for nugget in topic.nuggets
    ]
    return TopicNuggets(topic.topic_id, tuple(nuggets))


def _digest(topics: Sequence[TopicNuggets]) -> str:
    sha = sha256()
    for topic in topics:
        value = encode(canonical.encode(_bare(topic)))
        sha.update(value.encode("utf-8", "surrogatepass") + b"\n")
    return sha.hexdigest()[:_NUM_DIGITS]


# --- what changed ---------------------------------------------------------------------------------

KINDS = {
    "added": "nuggets added",
    "removed": "nuggets removed",
    "merged": "nuggets merged",
    "split": "nuggets split",
    "reworded": "nuggets reworded",
    "renamed": "nuggets with another id",
    "answer_added": "answers added",
    "answer_removed": "answers removed",
    "documents": "answers with other documents",
    "aggregator": "AND or OR changed",
    "importance": "importance changed",
    "weight": "weight changed",
    "group": "group changed",
}
"""What a change is, in the order in which changes are counted."""


class Change(NamedTuple):
    """One change of one topic.

    Attributes:
        kind: one of `KINDS`.
        old_ids: the nuggets of the old version that it is about; `new_ids`: of the new one.
        before: what was there, as text; `after`: what is there now.
    """

    topic_id: str
    kind: str
    old_ids: tuple[str, ...] = ()
    new_ids: tuple[str, ...] = ()
    before: str = ""
    after: str = ""


class Size(NamedTuple):
    """How large a bank is."""

    topics: int
    nuggets: int
    answers: int
    documents: int


class BankDiff(NamedTuple):
    """What changed between two versions, topic by topic."""

    old: Version
    new: Version
    old_size: Size
    new_size: Size
    changes: tuple[Change, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many changes there are of each kind, in the order of `KINDS`."""
        found = Counter(change.kind for change in self.changes)
        return {kind: found[kind] for kind in KINDS if found[kind]}

    @property
    def as_json(self) -> dict[str, Any]:
        """The difference as a JSON value."""
        return {
            "old": self.old.as_json,
            "new": self.new.as_json,
            "old_size": self.old_size._asdict(),
            "new_size": self.new_size._asdict(),
            "counts": self.counts,
            "changes": [change._asdict() for change in self.changes],
        }

    def __str__(self) -> str:
        told = [f"{KINDS[kind]}: {number:,}" for kind, number in self.counts.items()]
        return "; ".join(told) or "nothing changed"


def from_json(value: Mapping[str, Any]) -> BankDiff:
    """The difference that a line of a history has.

    Raises:
        KeyError, TypeError, ValueError: the line is broken.
    """
    changes = [
        Change(
            str(each["topic_id"]),
            str(each["kind"]),
            tuple(map(str, each["old_ids"])),
            tuple(map(str, each["new_ids"])),
            str(each["before"]),
            str(each["after"]),
        )
        for each in value["changes"]
    ]
    if unknown := {each.kind for each in changes} - KINDS.keys():
        raise ValueError(f"unknown kinds of change: {sorted(unknown)}")
    stated, counted = (value["old"], value["new"]), (value["old_size"], value["new_size"])
    old, new = (Version(int(each["number"]), str(each["digest"])) for each in stated)
    sizes = [Size(**{name: int(each[name]) for name in Size._fields}) for each in counted]
    return BankDiff(old, new, sizes[0], sizes[1], tuple(changes))


# --- the history ----------------------------------------------------------------------------------


def history_of(bank: str) -> str:
    """The name of a bank's history file."""
    return bank + _SUFFIX


def bank_of(history: str) -> str:
    """The name of the bank beside which a history is."""
    return history.removesuffix(".gz").removesuffix(_SUFFIX)


def is_history(path: str) -> bool:
    """Whether a file's name is that of a history."""
    return bank_of(path) != path.removesuffix(".gz")


def read_history(path: str) -> list[dict[str, Any]]:
    """The lines of a history, the oldest first.

    Raises:
        InputError: the file has another format, or a line is broken.
        MissingResourceError: it cannot be read.
    """
    source = Source(path)
    found = []
    for number, line in source.lines():
        value = source.decode(line, number)
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            message = f"expected a line of a history ({FORMAT!r}), found {describe(value)}"
            hint = "name the history that is written beside a bank, BANK.history.jsonl"
            raise InputError(Finding("unknown_format", message, hint, path, number))
        found.append(value)
    return found


@contextmanager
def writing_history(bank: str, lines: Iterable[Mapping[str, Any]]) -> Iterator[None]:
    """Writes the history of a bank beside it; the bank itself is written meanwhile.

    The new history waits under another name until the bank is there. A program that is killed in
    between leaves both histories, of which `settle` keeps the one that belongs to the bank.
    """
    settle(bank)
    pending = _pending_of(bank)
    with atomic_writer(pending) as stream:
        stream.writelines(encode({"format": FORMAT, **line}) + "\n" for line in lines)
    try:
        yield
    except BaseException:
        settle(bank)
        raise
    _put_in_place(pending)


def settle(bank: str) -> str:
    """Gives a bank the history that belongs to it, if the writing of the two was stopped.

    Returns:
        What was done; empty if there was nothing to do.

    Raises:
        InputError, MissingResourceError: the history cannot be read or written.
    """
    pending = _pending_of(bank)
    if bank == "-" or not pending.is_file():
        return ""
    lines = read_history(str(pending))
    version = lines[-1].get("new") if lines else None
    if version is not None and version == _stated(bank):
        _put_in_place(pending)
        what = f"version {version['number']:,} ({version['digest']})"
        return f"{history_of(bank)}: {what} was missing, since a command was stopped; it is added"
    pending.unlink()
    return f"{pending}: removed; the command that wrote it was stopped before it wrote the bank"


def _pending_of(bank: str) -> Path:
    return Path(history_of(bank) + _PENDING)


def _put_in_place(pending: Path) -> None:
    history = pending.with_name(pending.name.removesuffix(_PENDING))
    try:
        pending.replace(history)
    except OSError as exc:
        raise MissingResourceError(f"{history}: cannot be written: {exc.strerror}") from exc


def _stated(bank: str) -> Any:
    """The version that the file of a bank states; None if it states none, or is no bank."""
    try:
        topics = formats.read_nuggets(bank)
    except ArgueEvalError:
        return None
    return next((topic.extra[KEY] for topic in topics if KEY in topic.extra), None)


def earlier_lines(bank: str) -> list[dict[str, Any]]:
    """The history beside a bank; empty if it has none."""
    path = history_of(bank)
    return read_history(path) if bank != "-" and Path(path).is_file() else []
