"""How long a text is, as the tracks count."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from argue_eval.text.lengths import may_exceed, measure


def test_no_character_grows_by_more_under_nfkc_than_the_short_cut_allows() -> None:
    most = max(
        len(unicodedata.normalize("NFKC", chr(code)))
        for code in range(sys.maxunicode + 1)
        if not 0xD800 <= code < 0xE000
    )
    assert most == 18
    for text in ("\ufdfa" * 30, "ﬁ" * 40, "é" * 50, "가" * 50, "a" * 50):
        for limit in range(1, 700):
            is_over = measure(text, "characters") > limit
            assert may_exceed(text, limit, "characters") or not is_over


@pytest.mark.parametrize(
    ("text", "unit", "length"),
    [
        ("The bridge.", "characters", 11),
        ("ﬁve", "characters", 4),
        ("大桥已重建。", "characters", 6),
        ("大桥已重建。", "words", 1),
        ("Мост перестроен.", "words", 2),
        ("پل  بازسازی\u200cشده", "words", 2),
        ("\ufdfa", "characters", 18),
    ],
)
def test_length_is_counted_as_the_tracks_count(text: str, unit: str, length: int) -> None:
    assert measure(text, unit) == length
