"""Numbers, dates and units as keys that are equal when the quantities are.

A quantity that a text mentions becomes a few keys; a quantity that a claim needs becomes a tuple of
keys of which one must be there. "12 June 2023" mentions ``d:6-12``, ``m:6`` and ``n:2023`` and
needs the first and the last of them, so "26 June" satisfies "June" but not "12 June".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Need = tuple[str, ...]
"""Keys of which one must be there."""


class Quantity(NamedTuple):
    """What one mention of a number or date says: its keys, and the keys that a claim needs."""

    keys: tuple[str, ...]
    needs: tuple[Need, ...]


def token_at(tokens: Sequence[str], at: int) -> str:
    """Returns a token; empty beyond either end."""
    return tokens[at] if 0 <= at < len(tokens) else ""
