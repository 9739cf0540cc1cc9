"""Versions of a bank: a number and a digest in the bank, and a line per version in a history.

The digest is that of all nuggets, so that a bank that was edited since is recognised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval.errors import Finding, InputError, describe
from argue_eval.formats.jsonl import Source, atomic_writer, encode
from argue_eval.formats.nuggets import canonical
from argue_eval.records import TopicNuggets

FORMAT = "argue-eval/bank-history/1"
KEY = "bank_version"
"""The further key of every topic that has the version of its bank."""

_SUFFIX = ".history.jsonl"
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


def _digest(topics: Sequence[TopicNuggets]) -> str:
    sha = sha256()
    for topic in topics:
        value = canonical.encode(topic)
        value.pop(KEY, None)
        sha.update(encode(value).encode("utf-8", "surrogatepass") + b"\n")
    return sha.hexdigest()[:_NUM_DIGITS]


# --- the history ----------------------------------------------------------------------------------


def history_of(bank: str) -> str:
    """The name of a bank's history file."""
    return bank + _SUFFIX


def is_history(path: str) -> bool:
    """Whether a file's name is that of a history."""
    return path.removesuffix(".gz").endswith(_SUFFIX)


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


def write_history(bank: str, lines: Iterable[Mapping[str, Any]]) -> None:
    """Writes the history of a bank beside it."""
    with atomic_writer(history_of(bank)) as stream:
        stream.writelines(encode({"format": FORMAT, **line}) + "\n" for line in lines)


def earlier_lines(bank: str) -> list[dict[str, Any]]:
    """The history beside a bank; empty if it has none."""
    path = history_of(bank)
    return read_history(path) if bank != "-" and Path(path).is_file() else []
