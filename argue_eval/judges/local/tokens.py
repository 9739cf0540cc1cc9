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
        if joint == "pair":
            self._layout = self._find_layout(name)
        else:
            self._layout = self._single_layout(name, tokenizer.eos_token if joint else "")
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

    def _single_layout(self, name: str, border: str | None) -> _Layout:
        """The layout of one text, with a special token in its middle if there is a border."""
        if border is None:
            raise UsageError(f"{name}: its tokenizer has no end-of-text token for {{eos}}")
        parts = ("A longer text, of 2 parts.", "And what follows it?")
        whole = self._backend.encode(border.join(parts))
        plain = [self._backend.encode(text, add_special_tokens=False).ids for text in parts]
        between = self._backend.encode(border, add_special_tokens=False).ids
        if not border:
            plain[0] = self._backend.encode("".join(parts), add_special_tokens=False).ids
            plain[1] = []
        middle = [*plain[0], *between, *plain[1]]
        for at in range(len(whole.ids) - len(middle) + 1):
            if whole.ids[at : at + len(middle)] == middle:
                before, after = tuple(whole.ids[:at]), tuple(whole.ids[at + len(middle) :])
                return _Layout(before, tuple(between), after, (whole.type_ids[0],) * 5)
        raise UsageError(
            f"{name}: its tokenizer does not split a text the same way on its own and beside "
            f"{border or 'others'}, so it cannot be used for this template"
        )

    def _find_layout(self, name: str) -> _Layout:
        """Finds the layout with one pair and checks it with another."""
        made = self._backend.encode("one", "two")
        places = made.sequence_ids
        if 0 in places and 1 in places:
            start, end = places.index(0), len(places) - places[::-1].index(0)
            start_2, end_2 = places.index(1), len(places) - places[::-1].index(1)
            ids, types = made.ids, made.type_ids
            between = types[end] if start_2 > end else 0
            layout = _Layout(
                before=tuple(ids[:start]),
                between=tuple(ids[end:start_2]),
                after=tuple(ids[end_2:]),
                types=(types[0], types[start], between, types[start_2], types[-1]),
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
            f"{name}: its tokenizer does not join two texts in a fixed way, so it cannot be used "
            "for pairs"
        )
