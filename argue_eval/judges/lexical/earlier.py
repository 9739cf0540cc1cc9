"""What the sentences shortly before one say: their terms, each with a bit for every sentence.

So a sentence is compared with a thousand others in a few steps: those that have the same of its
terms are compared as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from argue_eval.judges.cache import Cache
from argue_eval.judges.lexical.overlap import Claim

BLOCK = 1_000
"""How many of the nearest earlier sentences are examined."""

Postings = Mapping[str, int]


def postings_of(sentences: Iterable[Claim]) -> Postings:
    """The keys of a block of sentences, each with the bits of those that have it."""
    postings: dict[str, int] = {}
    for place, sentence in enumerate(sentences):
        for key in sentence.text.keys:
            postings[key] = postings.get(key, 0) | 1 << place
    return postings


class Earlier:
    """The keys of the last `BLOCK` sentences before one.

    Args:
        sentences: those of the report; `index`: the place of the sentence.
        postings: by the sentences of a block.
    """

    def __init__(
        self, sentences: tuple[str, ...], index: int, postings: Cache[tuple[str, ...], Postings]
    ) -> None:
        start = index - index % BLOCK
        self._first = start - BLOCK
        self._before = postings[sentences[self._first : start]] if start else {}
        self._own = postings[sentences[start : start + BLOCK]]
        self._window = (1 << index - self._first) - (1 << max(index - BLOCK, 0) - self._first)

    def __contains__(self, key: object) -> bool:
        return bool(self._posting(str(key)))

    def _posting(self, key: str) -> int:
        return (self._before.get(key, 0) | self._own.get(key, 0) << BLOCK) & self._window

    def nearest(self, claim: Claim) -> int | None:
        """The place of the sentence with the largest weighted share of a claim's terms.

        Of several, it is the first; None if there is no sentence.
        """
        groups = [(0.0, self._window)] if self._window else []
        for term, weight in claim.weights.items():
            if posting := self._posting(term):
                split = [
                    each
                    for found, group in groups
                    for each in ((found + weight, group & posting), (found, group & ~posting))
                ]
                groups = [each for each in split if each[1]]
        if not groups:
            return None
        most = max(found for found, _ in groups)
        firsts = [group & -group for found, group in groups if found == most]
        return self._first + min(firsts).bit_length() - 1
