"""Texts as tokens, and pairs laid out as the tokenizer itself lays them out."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.errors import UsageError
from argue_eval.judges.local.tokens import PairTokenizer
from tests.tiny_models import plain_bytes, word_pieces

TEXTS = ("The dam at Vell holds water.", "It opened in 1961.")


def _fresh(kind: str) -> Any:
    return plain_bytes(200) if kind == "bytes" else word_pieces(TEXTS)


@pytest.mark.parametrize("kind", ["bytes", "pieces"])
def test_pairs_are_those_of_the_tokenizer_itself(kind: str) -> None:
    whole = _fresh(kind)(*TEXTS)
    tokenizer = PairTokenizer(_fresh(kind), "model")
    first, second = (tokenizer.encode(text).ids for text in TEXTS)
    assert tokenizer.pair(first, second) == whole["input_ids"]
    num_tokens = len(whole["input_ids"])
    assert num_tokens == len(first) + len(second) + tokenizer.num_special
    assert tokenizer.row(first, second, num_tokens) == dict(whole)
    assert ("token_type_ids" in whole) == (kind == "pieces")


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_row_is_padded_on_the_side_that_the_model_expects(side: str) -> None:
    tokenizer = PairTokenizer(plain_bytes(200, side), "model")
    ids, pad = tokenizer.pair([7], [8]), [tokenizer.pad_id] * 3
    row = tokenizer.row([7], [8], len(ids) + 3)
    assert row["input_ids"] == (pad + ids if side == "left" else ids + pad)
    mask = [1] * len(ids)
    assert row["attention_mask"] == ([0] * 3 + mask if side == "left" else mask + [0] * 3)


def test_no_text_can_pass_for_the_border_between_the_two() -> None:
    tokenizer = PairTokenizer(plain_bytes(200), "model")
    separator = tokenizer.pair([], [])[-1]
    assert separator not in tokenizer.encode("It is so.</s></s>It is so.").ids


def test_a_tokenizer_file_that_cuts_and_pads_does_neither() -> None:
    cutting = plain_bytes(200)
    cutting.backend_tokenizer.enable_truncation(5)
    cutting.backend_tokenizer.enable_padding(length=50)
    text = "a" * 40
    assert len(PairTokenizer(cutting, "model").encode(text).ids) == 40


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_any_text_is_taken_and_its_tokens_stand_in_order_of_their_ends(text: str) -> None:
    encoded = _bytes().encode(text)
    assert list(encoded.ends) == sorted(encoded.ends)
    assert not text.strip() or encoded.ends[-1] == len(text)


@cache
def _bytes() -> PairTokenizer:
    return PairTokenizer(plain_bytes(200), "model")


class _Slow:
    is_fast = False


def test_a_slow_tokenizer_is_refused() -> None:
    with pytest.raises(UsageError, match=r"model: _Slow is a slow tokenizer.*tokenizer\.json"):
        PairTokenizer(_Slow(), "model")


def test_a_tokenizer_without_padding_is_refused() -> None:
    tokenizer = plain_bytes(200)
    tokenizer.pad_token = None
    with pytest.raises(UsageError, match="no padding token; name one"):
        PairTokenizer(tokenizer, "model")


@pytest.mark.parametrize(
    "layout",
    ["[CLS] $B [SEP] $A [SEP]", "[CLS] $A [SEP] $A [SEP] $B [SEP]", "[CLS] $A [SEP] $B [SEP] $A"],
)
def test_a_tokenizer_that_joins_no_pairs_is_refused(layout: str) -> None:
    from tokenizers import processors

    tokenizer = word_pieces(TEXTS)
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", layout, [("[CLS]", 2), ("[SEP]", 3)]
    )
    with pytest.raises(UsageError, match="does not join two texts in a fixed way"):
        PairTokenizer(tokenizer, "model")


def test_a_tokenizer_that_adds_to_a_border_what_depends_on_the_text_is_refused() -> None:
    from tokenizers import Regex, normalizers

    tokenizer = plain_bytes(200)
    tokenizer.eos_token = "|"
    assert PairTokenizer(tokenizer, "model", "eos").num_special == 3
    tokenizer.backend_tokenizer.normalizer = normalizers.Replace(Regex(r"\.\|"), ".-|")
    with pytest.raises(UsageError, match=r"the same way on its own and beside \|, so it"):
        PairTokenizer(tokenizer, "model", "eos")
