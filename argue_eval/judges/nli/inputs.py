"""What a model reads: a window of a document and a claim, laid out as a recipe says."""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.judges.cache import Cache
from argue_eval.judges.local.classifier import Classifier
from argue_eval.judges.local.tokens import Encoded
from argue_eval.judges.nli.known import PLAIN, Recipe, filled
from argue_eval.judges.nli.windows import Passage

_MARGIN = 8
"""A window is encoded again with the words around it, by which it may get some tokens more."""

_CACHED_CHARS = 2_000_000

_Pair = tuple[Sequence[int], Sequence[int]]


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
