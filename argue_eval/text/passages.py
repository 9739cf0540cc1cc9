"""How long texts are, and long texts as passages that overlap and together hold all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from argue_eval.text import sentences

_BYTES_PER_TOKEN = 4


def num_tokens(text: str) -> int:
    """About how many tokens a text has, without a tokenizer: a quarter of its UTF-8 bytes.

    >>> num_tokens("The ferry ran aground."), num_tokens("渡轮搁浅")
    (6, 3)
    """
    num_bytes = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-num_bytes // _BYTES_PER_TOKEN)


def windows(
    sizes: Sequence[int], room: int, overlap: int, *, is_new_required: bool = False
) -> Iterator[tuple[int, int]]:
    """Yields windows over pieces of a text: the first piece of each, and the piece after its last.

    Windows come in order and hold every piece. Each has as many pieces as its room allows, one at
    least, and begins with as many of the last pieces of the window before as fit into the overlap.

    Args:
        sizes: the length of every piece, in any unit; there must be at least one piece.
        room: the greatest length of a window, unless one piece is longer.
        overlap: the greatest length of what a window repeats.
        is_new_required: repeat less where a window would otherwise have no piece of its own.

    >>> list(windows([4, 2, 2, 5], room=8, overlap=2))
    [(0, 3), (2, 4)]
    """
    first = 0
    while True:
        last, size = first, 0
        while last < len(sizes) and (last == first or size + sizes[last] <= room):
            size += sizes[last]
            last += 1
        yield first, last
        if last == len(sizes):
            return
        most = min(overlap, room - sizes[last]) if is_new_required else overlap
        before, first, size = first, last, 0
        while first - 1 > before and size + sizes[first - 1] <= most:
            first -= 1
            size += sizes[first]


def passages(text: str, max_tokens: int, overlap: int, language: str | None = None) -> list[str]:
    """A text as passages that overlap and together hold all of it, in its order.

    A passage begins and ends where a sentence does, unless a sentence alone is too long. Lengths
    are those of `num_tokens`.

    Args:
        overlap: about how many tokens of a passage the next one begins with.
    """
    if num_tokens(text) <= max_tokens:
        return [text]
    places = [*_starts(text, max_tokens, language), len(text)]
    sizes = [num_tokens(text[start:end]) for start, end in pairwise(places)]
    return [
        text[places[first] : places[last]] for first, last in windows(sizes, max_tokens, overlap)
    ]


def _starts(text: str, max_tokens: int, language: str | None) -> Iterator[int]:
    """Yields where the pieces begin: sentences with the space after them, long ones in parts."""
    begins = [0, *(start for start, _ in sentences.spans(text, language) if start > 0)]
    for start, end in pairwise([*begins, len(text)]):
        yield start
        place = start
        while num_tokens(text[place:end]) > max_tokens:
            # A character takes four bytes at most, and so does a token.
            cut = text.rfind(" ", place + max_tokens // 2, place + max_tokens) + 1
            place = cut if cut > place else place + max_tokens
            yield place
