"""The differences that are on purpose, read from ``differences.md``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.differential.autojudge import REJECTED

_FILE = Path(__file__).with_name("differences.md")


class Difference(NamedTuple):
    """One listed difference, for one track and one mutation.

    Attributes:
        here: what only we find, as ``error length``.
        there: what only the other finds; `REJECTED` if its parser raises an exception.
    """

    track: str
    mutation: str
    here: frozenset[str]
    there: frozenset[str]

    @property
    def is_rejected(self) -> bool:
        """True if the other can't read the run."""
        return REJECTED in self.there


def differences(fitting: dict[str, list[str]]) -> list[Difference]:
    """All listed differences.

    Args:
        fitting: the names of the mutations that each track can have.
    """
    return [
        Difference(track, mutation, _set(here), _set(there))
        for tracks, mutations, here, there, reason in _rows()
        for track in (fitting if tracks == "*" else _set(tracks))
        for mutation in _set(mutations)
        if tracks != "*" or mutation in fitting[track]
        if reason
    ]


def _rows() -> Iterator[list[str]]:
    """Yields tracks, mutations, what is found here and there, and the reason."""
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or cells[0] in ("tracks", "---"):
            continue
        yield cells if len(cells) == 5 else [*cells[:3], REJECTED, cells[3]]


def _set(cell: str) -> frozenset[str]:
    return frozenset(each.strip() for each in cell.split(",") if each.strip())
