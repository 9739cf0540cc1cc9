"""Long documents in windows: nothing is left out, and sentences stay whole."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.judges.local.tokens import PairTokenizer
from argue_eval.judges.nli.windows import Passage, cut
from tests.tiny_models import plain_bytes

sentence_lengths = st.lists(st.integers(1, 40), min_size=1, max_size=40)
rooms = st.integers(1, 60)


def _borders(lengths: list[int]) -> list[int]:
    borders = [0]
    for length in lengths:
        borders.append(borders[-1] + length)
    return borders


@given(sentence_lengths, rooms)
def test_every_token_is_in_some_window_and_no_window_is_too_long(
    lengths: list[int], room: int
) -> None:
    borders = _borders(lengths)
    windows = cut(borders, room)
    assert windows[0][0] == 0
    assert windows[-1][1] == borders[-1]
    assert all(0 < end - start <= room for start, end in windows)
    for (start, end), (following, following_end) in pairwise(windows):
        assert start < following <= end < following_end


@given(sentence_lengths, rooms)
def test_windows_begin_and_end_with_sentences_that_fit(lengths: list[int], room: int) -> None:
    borders = _borders(lengths)
    long = [(a, b) for a, b in pairwise(borders) if b - a > room]
    for place in {place for window in cut(borders, room) for place in window}:
        assert place in borders or any(a < place < b for a, b in long)


@given(st.lists(st.integers(1, 10), min_size=1, max_size=60), st.integers(40, 60))
def test_windows_overlap_by_whole_sentences_up_to_a_quarter(lengths: list[int], room: int) -> None:
    borders = _borders(lengths)
    for (_, end), (following, _) in pairwise(cut(borders, room)):
        assert 0 < end - following <= room // 4
        # One more sentence of overlap would be too much, or leave no room for what is new.
        earlier = borders[borders.index(following) - 1]
        next_end = borders[borders.index(end) + 1]
        assert end - earlier > room // 4 or next_end - earlier > room


@given(st.lists(st.integers(1, 60), min_size=1, max_size=20), st.integers(1, 60))
def test_a_text_that_fits_is_one_window(lengths: list[int], spare: int) -> None:
    borders = _borders(lengths)
    assert cut(borders, borders[-1] - 1 + spare) == [(0, borders[-1])]


@cache
def _tokenizer() -> PairTokenizer:
    """Its tokens are bytes, so that they can be counted."""
    return PairTokenizer(plain_bytes(100), "model")


def _passage(text: str, title: str = "", language: str | None = None) -> Passage:
    return Passage(_tokenizer().encode, text, title, language)


TEXT = "The mill is old. It was built in 1784. A fire burned it down. Nobody was hurt."


def test_windows_are_whole_sentences_of_the_document() -> None:
    passage = _passage(TEXT)
    excerpts = [passage.excerpt(window) for window in passage.windows(45)]
    assert excerpts == [
        "The mill is old. It was built in 1784.",
        "A fire burned it down. Nobody was hurt.",
    ]


def test_the_title_stands_in_every_window_but_in_one_excerpt() -> None:
    passage = _passage(TEXT, "Mill")
    windows = passage.windows(50)
    code_of = {_tokenizer().encode(chr(code)).ids[0]: code for code in range(128)}
    texts = ["".join(chr(code_of[each]) for each in passage.ids(window, 50)) for window in windows]
    assert texts == [
        "Mill\nThe mill is old. It was built in 1784. ",
        "Mill\nA fire burned it down. Nobody was hurt.",
    ]
    assert [passage.excerpt(window) for window in windows] == [
        "Mill\nThe mill is old. It was built in 1784.",
        "A fire burned it down. Nobody was hurt.",
    ]


def test_a_title_that_takes_more_than_a_quarter_is_part_of_the_text() -> None:
    passage = _passage(TEXT, "How the mill at Harrow burned down")
    assert passage.head(50) == 0
    excerpts = [passage.excerpt(window) for window in passage.windows(50)]
    assert excerpts[0].startswith("How the mill at Harrow burned down")
    assert not any("Harrow" in excerpt for excerpt in excerpts[1:])


def test_a_document_that_fits_is_one_window_and_is_not_split(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Passage, "borders", None)
    passage = _passage(TEXT, "The mill")
    (window,) = passage.windows(1000)
    assert passage.excerpt(window) == f"The mill\n{TEXT}"


@given(
    st.text(st.characters(codec="utf-8") | st.sampled_from(".!? \n。،"), min_size=1, max_size=300),
    st.text(max_size=20),
    st.integers(12, 60),
)
def test_windows_of_any_text_hold_all_of_its_tokens(text: str, title: str, room: int) -> None:
    passage = _passage(text, title)
    windows = passage.windows(room)
    num_tokens = len(passage.tokens.ids)
    assert all(len(passage.ids(window, room)) <= room for window in windows)
    if num_tokens:
        assert {place for start, end in windows for place in range(start, end)} == set(
            range(num_tokens)
        )


def test_the_languages_own_marks_end_sentences() -> None:
    assert len(_passage("水坝很高。鱼回来了。", language="zh").borders) == 2
