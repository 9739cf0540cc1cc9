"""What a way to break a run is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.differential.runs import Form, Run, UnfitError

Change = Callable[[Run], None]
Fits = Callable[[Form], bool]


def has_references(form: Form) -> bool:
    """Returns whether a track's reports list their references."""
    return form.has_references


def has_scores(form: Form) -> bool:
    """Returns whether a track's runs cite with scores."""
    return form.cites == "scores"


def has_limit(form: Form) -> bool:
    """Returns whether a track limits the length."""
    return form.limit is not None


class Mutation(NamedTuple):
    """One thing that is done to a good run.

    Attributes:
        fits: whether the track has what is changed; None if every track has.
    """

    name: str
    change: Change
    fits: Fits | None = None


class Mutations(list[Mutation]):
    """A list of mutations that is written one by one."""

    def add(self, name: str, change: Change, fits: Fits | None = None) -> None:
        """Adds one."""
        self.append(Mutation(name, change, fits))

    def __call__(self, name: str, fits: Fits | None = None) -> Callable[[Change], Change]:
        """Returns a decorator that adds a function."""

        def added(change: Change) -> Change:
            self.add(name, change, fits)
            return change

        return added


def drop(table: dict[str, Any], key: str) -> None:
    """Takes a key away."""
    if key not in table:
        raise UnfitError
    del table[key]
