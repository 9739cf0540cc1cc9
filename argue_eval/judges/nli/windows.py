"""Long texts in windows that a model can read: on sentence borders, with overlap, nothing left out.

Places are counted in tokens.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from argue_eval.judges.local.classifier import Classifier, Encoded
from argue_eval.text import sentences

_SHARE = 4
"""A title is repeated, and windows overlap, by at most one part in so many of a window."""


class Passage:
    """A text as tokens, and where it may be cut.

    Args:
        title: stands before the text, on a line of its own, and again in every window.
        language: that of the text, if it is known.
    """

    def __init__(
        self, classifier: Classifier, text: str, title: str = "", language: str | None = None
    ) -> None:
        self.text = f"{title}\n{text}" if title.strip() else text
        self.tokens: Encoded = classifier.encode(self.text)
        self._start = len(self.text) - len(text)
        self._language = language
        self._borders: list[int] | None = None

    def windows(self, room: int) -> list[tuple[int, int]]:
        """Returns start and end of the windows of a text, of at most `room` tokens with the title.

        One window, from end to end, if the text fits into it.
        """
        num_tokens = len(self.tokens.ids)
        if num_tokens <= room:
            return [(0, num_tokens)]
        head = self.head(room)
        borders = [head, *(place for place in self.borders() if place > head), num_tokens]
        first, *others = cut(borders, room - head)
        return [(0, first[1]), *others]

    def head(self, room: int) -> int:
        """Returns how many tokens of the title are repeated; 0 if it is too long for that."""
        length = bisect_right(self.tokens.ends, self._start)
        return length if length * _SHARE <= room else 0

    def ids(self, window: tuple[int, int], room: int) -> Sequence[int]:
        """Returns the tokens of a window, with those of the title."""
        start, end = window
        ids = self.tokens.ids
        return ids[start:end] if start == 0 else ids[: self.head(room)] + ids[start:end]

    def excerpt(self, window: tuple[int, int]) -> str:
        """Returns the text of a window."""
        start, end = window
        return self.text[self.tokens.starts[start] : self.tokens.ends[end - 1]].strip()

    def borders(self) -> list[int]:
        """Returns the first token of every sentence. Asks for the sentences once, and only then."""
        if self._borders is None:
            text = self.text[self._start :]
            spans = sentences.spans(text, self._language)
            ends = self.tokens.ends
            self._borders = sorted({bisect_right(ends, self._start + start) for start, _ in spans})
        return self._borders


def cut(borders: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Returns windows of at most `room` tokens, in order, that have every token between them.

    A window holds whole sentences, and begins with as many of the last sentences of the window
    before it as make no more than a quarter of its room. A sentence that is longer than a window is
    cut into quarters of one.

    Args:
        borders: the first token of every sentence, ascending, and the end of the last one.

    >>> cut([0, 4, 6, 8, 13], 8)
    [(0, 8), (6, 13)]
    """
    quarter = max(1, room // _SHARE)
    units = list(_units(borders, room, quarter))
    windows: list[tuple[int, int]] = []
    first = 0
    while True:
        last = first
        while last < len(units) and units[last][1] - units[first][0] <= room:
            last += 1
        windows.append((units[first][0], units[last - 1][1]))
        if last == len(units):
            return windows
        end, following = units[last - 1][1], units[last][1]
        before, first = first, last
        while first - 1 > before:
            start = units[first - 1][0]
            if end - start > quarter or following - start > room:
                break
            first -= 1


def _units(borders: Sequence[int], room: int, quarter: int) -> Iterator[tuple[int, int]]:
    """Yields what is not cut: sentences, or pieces of those that are longer than a window."""
    for start, end in pairwise(borders):
        step = end - start if end - start <= room else quarter
        for place in range(start, end, step):
            yield place, min(place + step, end)
