from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from argue_eval.judges.lexical.judge import create
from argue_eval.records import Kind
from tests.contrast.suite import CONTRASTS, count, pairs

PAIRS = pairs()
HELD_OUT = [pair for pair in PAIRS if pair.is_held_out]


def test_the_suite_has_two_hundred_pairs_of_every_contrast_and_kind() -> None:
    assert len(PAIRS) >= 200
    assert len({pair.pair_id for pair in PAIRS}) == len(PAIRS)
    found = Counter((pair.contrast, pair.right.kind) for pair in PAIRS)
    assert {contrast for contrast, _ in found} == set(CONTRASTS)
    for contrast in CONTRASTS:
        assert all(found[contrast, kind] for kind in (Kind.SUPPORT, Kind.ANSWERS, Kind.COVERS))


def test_both_halves_have_every_contrast_and_share_no_text() -> None:
    halves = [[pair for pair in PAIRS if pair.is_held_out is half] for half in (False, True)]
    for half in halves:
        assert {pair.contrast for pair in half} == set(CONTRASTS)
    texts = [{(pair.right.doc_id, pair.right.answer) for pair in half} for half in halves]
    assert not texts[0] & texts[1]


def test_the_sentences_of_a_pair_differ_and_are_asked_the_same() -> None:
    for pair in PAIRS:
        assert pair.right.text != pair.wrong.text
        assert replace(pair.right, text="") == replace(pair.wrong, text="")
        assert pair.right.kind is not Kind.SUPPORT or pair.right.document is not None


@pytest.mark.parametrize("contrast", ["number", "date", "name"])
def test_lexical_tells_numbers_dates_and_names_apart_in_the_held_out_half(contrast: str) -> None:
    found = count(create(), HELD_OUT)
    assert found[contrast].accuracy >= 0.85
    assert found["all"].num_open == 0
