"""Collects what the checks find, each with the place of its topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from argue_eval.errors import Finding, Severity, shorten
from argue_eval.records import Nugget

_MAX_NAMED = 5


class Found:
    """Warnings so far.

    Args:
        places: where each topic stands, ``file:line``.
        file: what is named for what concerns no topic.
    """

    def __init__(self, places: Mapping[str, str], file: str) -> None:
        self.warnings: list[Finding] = []
        self._places = places
        self._file = file

    def warn(self, code: str, message: str, hint: str, topic_id: str = "") -> None:
        """Notes a warning about a topic; about everything that was read if none is named."""
        place = self.place(topic_id)
        self.warnings.append(
            Finding(code, message, hint, *place, "", topic_id, severity=Severity.WARNING)
        )

    def warn_file(self, file: str, code: str, message: str, hint: str, topic_id: str = "") -> None:
        """Notes a warning about another file."""
        warning = Finding(code, message, hint, file, None, "", topic_id, Severity.WARNING)
        self.warnings.append(warning)

    def place(self, topic_id: str) -> tuple[str, int | None]:
        """Returns the file and line where a topic stands."""
        file, colon, line = self._places.get(topic_id, "").rpartition(":")
        if colon and line.isdigit():
            return file, int(line)
        return self._places.get(topic_id) or self._file, None


def named(nugget: Nugget) -> str:
    """Returns how messages call a nugget."""
    return f"{'claim' if nugget.is_claim else 'nugget'} {shorten(nugget.nugget_id)}"


def some(items: Sequence[str], most: int = _MAX_NAMED) -> str:
    """Returns the first few of some texts.

    >>> some(["a", "b", "c"], 2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(map(shorten, items[:most]))
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"


def count(number: int, noun: str) -> str:
    """Returns a number with its noun.

    >>> count(1, "topic"), count(0, "topic")
    ('1 topic', '0 topics')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
