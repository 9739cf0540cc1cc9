"""Texts as tokens, and pairs of texts in the layout that a model was trained on."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

from argue_eval.errors import UsageError, describe

_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character, which tokenizers reject."""


class Encoded(NamedTuple):
    """A text as tokens, without special ones at its start or end.

    Attributes:
        ids: the tokens.
        starts: the position of each token's start in the text, in characters.
        ends: that of its end.
    """

    ids: array[int]
    starts: array[int]
    ends: array[int]


class _Layout(NamedTuple):
    """The special tokens around the two texts of a pair, and the types of all five parts."""

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    types: tuple[int, int, int, int, int]


def _max_length(tokenizer: Any, name: str) -> int:
    length = tokenizer.model_max_length
    is_number = isinstance(length, int | float) and not isinstance(length, bool)
    if not is_number or not 1 <= length < inf:
        raise UsageError(
            f"{name}: model_max_length in its tokenizer_config.json: expected a number of tokens "
            f"from 1, found {describe(length)}; correct it in a copy of its folder"
        )
    return int(length)


class PairTokenizer:
    """Splits each text once and builds pairs from the results.

    The result is the same as the tokenizer's own for the two texts, with two differences: nothing
    is cut off, and special tokens that a text spells out (``</s>``) are plain text, so that no text
    can imitate the border between the two.

    Args:
        tokenizer: a fast tokenizer of transformers. It is modified, so do not use it elsewhere.
        joint: what stands between the two texts: ``pair`` (as the tokenizer joins pairs), ``eos``
            (its end-of-text token, in what is otherwise one text) or nothing (there is no second).

    Raises:
        UsageError: the tokenizer is not a fast one, cannot pad, or has no fixed layout for pairs.
    """

    def __init__(self, tokenizer: Any, name: str, joint: str = "pair") -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise UsageError(
                f"{name}: {type(tokenizer).__name__} is a slow tokenizer, which does not report "
                "the positions of tokens in a text; use a model with a tokenizer.json"
            )
        if tokenizer.pad_token_id is None:
            raise UsageError(
                f"{name}: the tokenizer has no padding token; name one in its "
                'tokenizer_config.json ("pad_token")'
            )
        self.pad_id = int(tokenizer.pad_token_id)
        self._pad_type = int(getattr(tokenizer, "pad_token_type_id", 0) or 0)
        self._has_types = "token_type_ids" in tokenizer.model_input_names
        self.max_length = _max_length(tokenizer, name)
        self._pads_left = tokenizer.padding_side == "left"
        self._backend = tokenizer.backend_tokenizer
        # A tokenizer file can have settings that silently truncate or pad each text.
        self._backend.no_truncation()
        self._backend.no_padding()
        border = {"pair": None, "eos": tokenizer.eos_token, "": ""}[joint]
        if joint == "eos" and border is None:
            raise UsageError(f"{name}: its tokenizer has no end-of-text token for {{eos}}")
        self._layout = self._find_layout(name, border)
        self._backend.encode_special_tokens = True

    @property
    def num_special(self) -> int:
        """How many tokens a pair has in addition to those of its two texts."""
        return sum(map(len, self._layout[:3]))

    def encode(self, text: str) -> Encoded:
        """Splits a text into tokens."""
        found = self._backend.encode(_SURROGATE.sub("\ufffd", text), add_special_tokens=False)
        starts, ends = zip(*found.offsets, strict=True) if found.ids else ((), ())
        return Encoded(ids=array("i", found.ids), starts=array("i", starts), ends=array("i", ends))

    def pair(self, first: Sequence[int], second: Sequence[int]) -> list[int]:
        """The tokens of a pair, as the model reads it."""
        before, between, after, _ = self._layout
        return [*before, *first, *between, *second, *after]

    def row(self, first: Sequence[int], second: Sequence[int], length: int) -> dict[str, list[int]]:
        """The model's inputs for a pair, padded to a length on the side that the model expects."""
        ids = self.pair(first, second)
        values = {"input_ids": (ids, self.pad_id), "attention_mask": ([1] * len(ids), 0)}
        if self._has_types:
            before, between, after, types = self._layout
            parts = zip(types, (before, first, between, second, after), strict=True)
            values["token_type_ids"] = [each for each, part in parts for _ in part], self._pad_type
        padding = length - len(ids)
        if self._pads_left:
            return {name: [filler] * padding + row for name, (row, filler) in values.items()}
        return {name: row + [filler] * padding for name, (row, filler) in values.items()}

    def second_at(self, first: Sequence[int], second: Sequence[int], length: int) -> int:
        """Where the second text begins in a row of this length."""
        before, between, _, _ = self._layout
        padding = length - len(first) - len(second) - self.num_special if self._pads_left else 0
        return padding + len(before) + len(first) + len(between)

    def _find_layout(self, name: str, border: str | None) -> _Layout:
        """Finds what the tokenizer puts around two texts: as a pair, or as one with a border."""

        def ids_of(text: str) -> list[int]:
            ids: list[int] = self._backend.encode(text, add_special_tokens=False).ids
            return ids

        parts = ("A longer text, of 2 parts.", "And what follows it?")
        first, second = map(ids_of, parts)
        if border == "":
            first, second = ids_of("".join(parts)), []
        between = ids_of(border) if border else []
        whole = self._backend.encode(*(parts if border is None else [border.join(parts)]))
        ids, types = whole.ids, [*whole.type_ids, 0]
        # What depends on these texts, such as one of them twice, must not become a layout.
        is_fixed = whole.special_tokens_mask.count(0) == len(first + between + second)
        for start in range(len(ids) if is_fixed and first else 0):
            end = start + len(first)
            if ids[start:end] != first:
                continue
            for at in range(end, len(ids) + 1):
                if ids[at : at + len(second)] == second:
                    rest = tuple(ids[at + len(second) :])
                    found = (types[0], types[start], types[end], types[at], types[-2])
                    return _Layout(tuple(ids[:start]), tuple(ids[end:at]), rest, found)
        if border is None:
            problem = "join two texts in a fixed way, so it cannot be used for pairs"
        else:
            problem = (
                "split a text the same way on its own and beside "
                f"{border or 'others'}, so it cannot be used for this template"
            )
        raise UsageError(f"{name}: its tokenizer does not {problem}")
