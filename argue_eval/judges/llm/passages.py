"""How long texts are, and documents in passages that a model can take."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from argue_eval.text import sentences

_BYTES_PER_TOKEN = 4


def num_tokens(text: str) -> int:
    """Returns about how many tokens a text is, without a tokenizer: a quarter of its UTF-8 bytes.

    >>> num_tokens("The ferry ran aground."), num_tokens("渡轮搁浅")
    (6, 3)
    """
    num_bytes = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-num_bytes // _BYTES_PER_TOKEN)


def passages(text: str, max_tokens: int, overlap: int, language: str | None = None) -> list[str]:
    """Returns a text as passages that overlap and together hold all of it, in its order.

    A passage begins and ends where a sentence does, unless a sentence alone is too long.

    Args:
        overlap: about how many tokens of a passage the next one begins with.
    """
    if num_tokens(text) <= max_tokens:
        return [text]
    starts = list(_starts(text, max_tokens, language))
    sizes = [num_tokens(text[start:end]) for start, end in pairwise([*starts, len(text)])]
    found = []
    first = 0
    while True:
        last, size = first, 0
        while last < len(sizes) and (last == first or size + sizes[last] <= max_tokens):
            size += sizes[last]
            last += 1
        found.append(text[starts[first] : starts[last] if last < len(starts) else len(text)])
        if last == len(sizes):
            return found
        first = _back(sizes, first, last, overlap)


def _back(sizes: list[int], first: int, last: int, overlap: int) -> int:
    """Returns where the passage after first…last begins: a little before its end, never at it."""
    size = 0
    while last - 1 > first and size + sizes[last - 1] <= overlap:
        last -= 1
        size += sizes[last]
    return last


def _starts(text: str, max_tokens: int, language: str | None) -> Iterator[int]:
    """Yields where pieces begin that are short enough: sentences, with the space after them."""
    begins = [0, *(start for start, _ in sentences.spans(text, language) if start > 0)]
    for start, end in pairwise([*begins, len(text)]):
        yield start
        yield from _cuts(text, start, end, max_tokens)


def _cuts(text: str, start: int, end: int, max_tokens: int) -> Iterator[int]:
    """Yields where a piece is cut that is too long: at white space, or anywhere."""
    while num_tokens(text[start:end]) > max_tokens:
        # A character takes four bytes at most, and so does a token.
        cut = text.rfind(" ", start + max_tokens // 2, start + max_tokens) + 1
        start = cut if cut > start else start + max_tokens
        yield start
