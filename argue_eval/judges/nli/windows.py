"""What a model reads: windows of a document, and a claim, laid out as a recipe says.

Long texts are cut between sentences; the windows overlap and are complete. Positions are counted in
tokens.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from argue_eval.judges.cache import Cache
from argue_eval.judges.local.classifier import Classifier
from argue_eval.judges.local.tokens import Encoded
from argue_eval.judges.nli.known import PLAIN, Recipe, filled
from argue_eval.text import passages, sentences

_SHARE = 4
"""At most 1 / 4 of a window repeats the title, and at most 1 / 4 the window before."""

_MARGIN = 8
"""A window is encoded again with the words around it, by which it may get some tokens more."""

_CACHED_CHARS = 2_000_000

_Pair = tuple[Sequence[int], Sequence[int]]


class Passage:
    """A text as tokens, and where it may be cut.

    Args:
        encode: splits a text into tokens.
        title: comes before the text, on its own line, and again in every window.
        language: that of the text, if it is known.
    """

    def __init__(
        self,
        encode: Callable[[str], Encoded],
        text: str,
        title: str = "",
        language: str | None = None,
    ) -> None:
        self.text = f"{title}\n{text}" if title.strip() else text
        self.tokens = encode(self.text)
        self._start = len(self.text) - len(text)
        self._language = language

    def windows(self, room: int) -> list[tuple[int, int]]:
        """Start and end of the windows, of at most `room` tokens each, including the title.

        A text that fits is one window, from start to end.
        """
        num_tokens = len(self.tokens.ids)
        if num_tokens <= room:
            return [(0, num_tokens)]
        head = self.head(room)
        borders = [head, *(place for place in self.borders if place > head), num_tokens]
        first, *others = cut(borders, room - head)
        return [(0, first[1]), *others]

    def chunks(self, room: int, size: int, unit: str) -> list[tuple[int, int]]:
        """Windows of at most `size` tokens or words, and `room` tokens, that do not overlap.

        Sentences are whole: one that is longer than the size alone is a window of its own.

        Args:
            unit: ``tokens``, or ``words`` between white space. The title counts too.
        """
        whole = 0, len(self.tokens.ids)
        if whole[1] <= room and self._count(whole, unit) <= size:
            return [whole]
        head = self.head(min(room, size))
        borders = [head, *(place for place in self.borders if place > head), whole[1]]
        room -= head
        size -= self._count((0, head), unit)
        units = list(_units(borders, room, max(1, room // _SHARE)))
        # Both limits in whole numbers: a window is full when either is reached.
        sizes = [max(self._count(each, unit) * room, (each[1] - each[0]) * size) for each in units]
        found = passages.windows(sizes, room * size, 0)
        first, *others = [(units[start][0], units[end - 1][1]) for start, end in found]
        return [(0, first[1]), *others]

    def _count(self, window: tuple[int, int], unit: str) -> int:
        start, end = window
        if unit == "tokens" or start == end:
            return end - start
        return len(self.excerpt(window).split())

    def text_of(self, window: tuple[int, int], room: int) -> str:
        """The text of a window, after the title where that is repeated."""
        text = self.excerpt(window)
        head = self.head(room) if window[0] else 0
        return f"{self.excerpt((0, head))}\n{text}" if head else text

    def head(self, room: int) -> int:
        """How many tokens of the title are repeated; 0 if it is too long for that."""
        length = bisect_right(self.tokens.ends, self._start)
        return length if length * _SHARE <= room else 0

    def ids(self, window: tuple[int, int], room: int) -> Sequence[int]:
        """The tokens of a window, including those of the title."""
        start, end = window
        ids = self.tokens.ids
        return ids[start:end] if start == 0 else ids[: self.head(room)] + ids[start:end]

    def excerpt(self, window: tuple[int, int]) -> str:
        """The text of a window."""
        start, end = window
        return self.text[self.tokens.starts[start] : self.tokens.ends[end - 1]].strip()

    @cached_property
    def borders(self) -> list[int]:
        """The first token of every sentence."""
        spans = sentences.spans(self.text[self._start :], self._language)
        return sorted({bisect_right(self.tokens.ends, self._start + start) for start, _ in spans})


def cut(borders: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Windows of at most `room` tokens, in order, that together hold every token.

    A window holds whole sentences, and begins with as many of the last sentences of the window
    before it as take no more than a quarter of its room. Sentences that are longer than a window
    are cut into quarters of one.

    Args:
        borders: the first token of every sentence, ascending, and the end of the last one.

    >>> cut([0, 4, 6, 8, 13], 8)
    [(0, 8), (6, 13)]
    """
    quarter = max(1, room // _SHARE)
    units = list(_units(borders, room, quarter))
    sizes = [end - start for start, end in units]
    found = passages.windows(sizes, room, quarter, is_new_required=True)
    return [(units[first][0], units[last - 1][1]) for first, last in found]


def _units(borders: Sequence[int], room: int, quarter: int) -> Iterator[tuple[int, int]]:
    """Yields what is not cut: sentences, or pieces of those that are longer than a window."""
    for start, end in pairwise(borders):
        step = end - start if end - start <= room else quarter
        for place in range(start, end, step):
            yield place, min(place + step, end)


class Inputs:
    """Makes the pairs of a model.

    A plain pair takes the tokens of the document as they are; every other template is filled with
    the text of the window and encoded as a whole, as the model's own program does.

    Attributes:
        room: how many tokens there are for document and claim together.
    """

    def __init__(self, classifier: Classifier, recipe: Recipe) -> None:
        self._encoded: Cache[str, Sequence[int]] = Cache(
            lambda text: classifier.encode(text).ids, len, _CACHED_CHARS
        )
        self._is_plain = recipe.template == PLAIN
        self._first, self._second = recipe.parts()
        self._chunk, self._unit = recipe.chunk, recipe.unit
        self.room = classifier.max_length - classifier.tokenizer.num_special
        self._most = self.room
        if not self._is_plain:
            words = (filled(part, "", "") for part in (self._first, self._second))
            self.room -= sum(len(self._encoded[text]) for text in words) + _MARGIN

    def windows(self, passage: Passage, claim: Encoded) -> list[tuple[int, int]]:
        """Where the windows of a document begin and end that are read with this claim."""
        room = self.room - len(claim.ids)
        if self._chunk is None:
            return passage.windows(room)
        return passage.chunks(room, self._chunk, self._unit)

    def pairs(
        self, passage: Passage, windows: Sequence[tuple[int, int]], claim: str, tokens: Encoded
    ) -> list[_Pair]:
        """The two texts of every window as tokens; none if one of them is too long."""
        room = self.room - len(tokens.ids)
        if self._is_plain:
            return [(passage.ids(window, room), tokens.ids) for window in windows]
        found = [self._filled(passage.text_of(window, room), claim) for window in windows]
        return [] if any(len(a) + len(b) > self._most for a, b in found) else found

    def _filled(self, document: str, claim: str) -> _Pair:
        first = filled(self._first, document, claim)
        return self._encoded[first], self._encoded[filled(self._second, document, claim)]
