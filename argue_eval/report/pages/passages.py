"""How much of a document is shown around the passages that decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from argue_eval.text.deciding import Passage

MAX_SHOWN = 3_000
"""A longer document is shown around its passages."""

_AROUND = 300


class Excerpt(NamedTuple):
    """So much of a document as is shown.

    Attributes:
        text: pieces of it, with an ellipsis between.
        kept: where they stand in the document, and where in the text.
    """

    text: str
    kept: tuple[tuple[int, int, int], ...]

    def place(self, passage: Passage) -> tuple[int, int]:
        """Where a passage stands in the text; (0, 0) if it is not there."""
        for start, end, at in self.kept:
            if start <= passage.start < end:
                return at + passage.start - start, at + min(passage.end, end) - start
        return 0, 0


def excerpt(text: str, passages: Sequence[Passage]) -> Excerpt:
    """A document, whole or around its passages.

    >>> long = "x " * 2000 + "A tug came. " + "y " * 2000
    >>> shown = excerpt(long, [Passage(4000, 4011, True)])
    >>> len(shown.text), "A tug came." in shown.text
    (615, True)
    """
    if len(text) <= MAX_SHOWN:
        return Excerpt(text, ((0, len(text), 0),))
    spans = sorted(
        (max(0, each.start - _AROUND), min(len(text), each.end + _AROUND)) for each in passages
    ) or [(0, 2 * _AROUND)]
    merged = [spans[0]]
    for start, end in spans[1:]:
        last_start, last_end = merged[-1]
        if start <= last_end:
            merged[-1] = last_start, max(last_end, end)
        else:
            merged.append((start, end))
    shown, kept, size = [], [], 0
    for number, (start, end) in enumerate(merged):
        if size > MAX_SHOWN:
            break
        before = "… " if start and not number else " … " if number else ""
        kept.append((start, end, size + len(before)))
        shown.append(before + text[start:end])
        size += len(shown[-1])
    is_cut = kept[-1][1] < len(text)
    return Excerpt("".join(shown) + " …" * is_cut, tuple(kept))
