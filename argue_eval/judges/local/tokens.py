"""Texts as tokens, and pairs of them laid out as a model was trained to read them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from argue_eval.errors import UsageError

_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character, which tokenizers do not take."""


class Encoded(NamedTuple):
    """A text as tokens, without any that mark its start or end.

    Attributes:
        ids: the tokens.
        starts: where each token starts in the text, in characters.
        ends: where each token ends.
    """

    ids: array[int]
    starts: array[int]
    ends: array[int]


class _Layout(NamedTuple):
    """The special tokens around the two texts of a pair, with the types of all parts."""

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    types: tuple[int, int, int, int, int]
    """Of what stands before, of the first text, between, of the second text, after."""


class PairTokenizer:
    """A tokenizer that splits a text once and puts pairs together from what it has split.

    What it makes is what the tokenizer itself makes of the two texts, with two differences: nothing
    is ever cut off, and special tokens that are written out in a text (``</s>``) are plain text, so
    that no text can pass for the border between the two.

    Args:
        tokenizer: a fast tokenizer of transformers. It is changed and must not be used elsewhere.

    Raises:
        UsageError: the tokenizer is not a fast one, cannot pad, or has no fixed layout for pairs.
    """

    def __init__(self, tokenizer: Any, name: str) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise UsageError(
                f"{name}: {type(tokenizer).__name__} is a slow tokenizer, which does not tell "
                "where its tokens stand in a text; use a model with a tokenizer.json"
            )
        if tokenizer.pad_token_id is None:
            raise UsageError(
                f"{name}: the tokenizer has no padding token; name one in its "
                'tokenizer_config.json ("pad_token")'
            )
        self.pad_id = int(tokenizer.pad_token_id)
        self.pad_type = int(getattr(tokenizer, "pad_token_type_id", 0) or 0)
        self.has_types = "token_type_ids" in tokenizer.model_input_names
        self.max_length = int(tokenizer.model_max_length)
        self._pads_left = tokenizer.padding_side == "left"
        self._backend = tokenizer.backend_tokenizer
        # A tokenizer file can bring settings that cut or pad each text without a word.
        self._backend.no_truncation()
        self._backend.no_padding()
        self._layout = self._find_layout(name)
        self._backend.encode_special_tokens = True

    @property
    def num_special(self) -> int:
        """Returns how many tokens a pair has beyond those of its two texts."""
        before, between, after, _ = self._layout
        return len(before) + len(between) + len(after)

    def encode(self, text: str) -> Encoded:
        """Returns a text as tokens."""
        found = self._backend.encode(_SURROGATE.sub("\ufffd", text), add_special_tokens=False)
        starts, ends = array("i"), array("i")
        for start, end in found.offsets:
            starts.append(start)
            ends.append(end)
        return Encoded(array("i", found.ids), starts, ends)

    def pair(self, first: Sequence[int], second: Sequence[int]) -> list[int]:
        """Returns the tokens of a pair, as the model reads it."""
        before, between, after, _ = self._layout
        return [*before, *first, *between, *second, *after]

    def types(self, num_first: int, num_second: int) -> list[int]:
        """Returns the types of a pair's tokens: in most models, which of the two texts they are."""
        before, between, after, types = self._layout
        numbers = (len(before), num_first, len(between), num_second, len(after))
        return [each for each, number in zip(types, numbers, strict=True) for _ in range(number)]

    def padded(self, row: Sequence[int], length: int, filler: int) -> list[int]:
        """Returns a row of numbers, one per token, filled up to a length where the model wants it.

        Args:
            filler: what stands for padding in this row.
        """
        filling = [filler] * (length - len(row))
        return [*filling, *row] if self._pads_left else [*row, *filling]

    def _find_layout(self, name: str) -> _Layout:
        """Returns the layout, found from a pair and checked with another."""
        made = self._backend.encode("one", "two")
        places = made.sequence_ids
        if 0 in places and 1 in places:
            start, end = places.index(0), len(places) - places[::-1].index(0)
            start_2, end_2 = places.index(1), len(places) - places[::-1].index(1)
            ids, types = made.ids, made.type_ids
            layout = _Layout(
                tuple(ids[:start]),
                tuple(ids[end:start_2]),
                tuple(ids[end_2:]),
                (
                    types[0],
                    types[start],
                    types[end] if start_2 > end else 0,
                    types[start_2],
                    types[-1],
                ),
            )
            first, second = "A longer text, of 2 parts.", "And what follows it?"
            whole = self._backend.encode(first, second)
            plain = [
                self._backend.encode(text, add_special_tokens=False).ids for text in (first, second)
            ]
            expected = [*layout.before, *plain[0], *layout.between, *plain[1], *layout.after]
            if whole.ids == expected:
                return layout
        raise UsageError(
            f"{name}: its tokenizer does not join two texts in a fixed way, so that it can't be "
            "used for pairs"
        )
